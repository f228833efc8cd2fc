#include <fmt/format.h>

#include <algorithm>

#include "file_io.hpp"
#include "json_facts.hpp"
#include "report.hpp"
#include "schema_check.hpp"

namespace selectors::gate {
namespace {

using nlohmann::ordered_json;

ordered_json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const metric_verdict& row) {
  return {{"metric", row.metric},
          {"kind", to_string(row.kind)},
          {"profile", row.profile},
          {"estimate", optional_number(row.value)},
          {"low", optional_number(row.low)},
          {"high", optional_number(row.high)},
          {"lower", optional_number(row.limits.lower)},
          {"upper", optional_number(row.limits.upper)},
          {"equals", optional_number(row.equals)},
          {"bursts", row.bursts},
          {"result", to_string(row.result)},
          {"reason", row.reason}};
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      // Other control characters do not exist in XML 1.0, not even escaped.
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

// "error" is for what could not be judged. A row that is too noisy is a failure and never a skip: skips look green.
std::string junit_body(const metric_verdict& row) {
  const auto message = escape_xml(row.reason);
  switch (row.result) {
    case outcome::inside:
      return "";
    case outcome::outside:
      return fmt::format("<failure type=\"outside\" message=\"{}\"/>", message);
    case outcome::undecided:
      return fmt::format("<failure type=\"too noisy\" message=\"{}\"/>", message);
    case outcome::no_data:
      return fmt::format("<error type=\"no data\" message=\"{}\"/>", message);
    case outcome::broken:
      return fmt::format("<error type=\"broken\" message=\"{}\"/>", message);
    case outcome::ungated:
      return fmt::format("<skipped message=\"ungated: {}\"/>", message);
    case outcome::not_judged:
      break;
  }
  return "<skipped message=\"no profile for this machine\"/>";
}

std::string markdown_row(const metric_verdict& row) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", row.metric, value_text(row),
                     row.low ? short_number(*row.low) + " .. " + short_number(*row.high) : "",
                     limits_text(row), to_string(row.result));
}

// The rules of workflow commands: these three would end or split the message.
std::string escape_command(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '%' ? "%25" : c == '\n' ? "%0A" : c == '\r' ? "%0D" : std::string(1, c);
  return out;
}

}  // namespace

std::string verdict_json(const verdict& v, const problems& wrong) {
  auto profiles = ordered_json::array();
  for (const auto& p : v.profiles) {
    profiles.push_back(
        {{"name", p.name}, {"file", p.file.string()}, {"revision", p.revision}, {"kind", to_string(p.kind)}});
  }
  auto rows = ordered_json::array();
  for (const auto& row : v.metrics) rows.push_back(to_json(row));
  auto lines = ordered_json::array();
  for (const auto& p : wrong) lines.push_back(to_string(p));
  const auto next = next_look(v.bursts);
  return dump_by_line({{"schema", "selectors-perf-verdict"},
                       {"schema_version", schema_version},
                       {"code", static_cast<int>(v.code)},
                       {"result", to_string(v.code)},
                       {"summary", v.summary},
                       {"drift_judged", v.drift_judged},
                       {"bursts", v.bursts},
                       {"next_look", next ? ordered_json(*next) : ordered_json()},
                       {"machine", v.machine ? gate::to_json(*v.machine) : ordered_json()},
                       {"build", v.build ? gate::to_json(*v.build) : ordered_json()},
                       {"profiles", std::move(profiles)},
                       {"notes", v.notes},
                       {"problems", std::move(lines)},
                       {"metrics", std::move(rows)}});
}

std::string junit_xml(const verdict& v, const problems& wrong) {
  const auto count = [&](std::initializer_list<outcome> wanted) {
    return std::count_if(v.metrics.begin(), v.metrics.end(), [&](const metric_verdict& row) {
      return std::find(wanted.begin(), wanted.end(), row.result) != wanted.end();
    });
  };
  const auto errors = count({outcome::no_data, outcome::broken}) + static_cast<std::ptrdiff_t>(wrong.size());
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      "<testsuite name=\"selectors-gate\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      v.metrics.size() + wrong.size(), count({outcome::outside, outcome::undecided}), errors,
      count({outcome::ungated, outcome::not_judged}));
  for (const auto& p : wrong) {
    out += fmt::format(
        "  <testcase classname=\"input\" name=\"{}\"><error type=\"{}\" message=\"{}\"/></testcase>\n",
        escape_xml(p.file + " " + p.path), p.code, escape_xml(to_string(p)));
  }
  for (const auto& row : v.metrics) {
    out += fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                       escape_xml(row.profile.empty() ? "gate" : row.profile), escape_xml(row.metric),
                       junit_body(row));
  }
  return out + "</testsuite>\n";
}

std::string markdown_report(const verdict& v, const problems& wrong) {
  auto out = fmt::format("## Perf gate: {}\n\n{} (exit code {})\n", to_string(v.code), v.summary,
                         static_cast<int>(v.code));
  for (const auto& p : wrong) out += fmt::format("\n- `{}`", to_string(p));
  for (const auto* row : bad_rows(v)) {
    out += fmt::format("\n- **{}** {}: {}", row->metric, to_string(row->result), row->reason);
  }
  for (const auto& note : v.notes) out += "\n- " + note;
  if (v.metrics.empty()) return out + "\n";
  out += fmt::format("\n\n<details><summary>{} limits</summary>\n\n", v.metrics.size());
  out += "| metric | value | interval | limits | verdict |\n|---|---:|---:|---:|---|\n";
  for (const auto& row : v.metrics) out += markdown_row(row);
  return out + "\n</details>\n";
}

std::string github_annotations(const verdict& v, const problems& wrong) {
  constexpr std::size_t most = 10;
  std::string out;
  std::size_t written = 0;
  for (const auto& p : wrong) {
    if (written++ == most) return out;
    const auto place = p.line == 0 ? "" : fmt::format(",line={},col={}", p.line, p.column);
    out += fmt::format("::error file={}{}::{}\n", p.file, place, escape_command(p.code + " " + p.message));
  }
  for (const auto* row : bad_rows(v)) {
    if (written++ == most) return out;
    out += fmt::format("::error title={}::{}\n", row->metric,
                       escape_command(fmt::format("{}: {}", to_string(row->result), row->reason)));
  }
  return out;
}

void write_reports(const std::filesystem::path& directory, const verdict& v, const problems& wrong) {
  write_file_atomically(directory / "junit.xml", junit_xml(v, wrong));
  write_file_atomically(directory / "report.md", markdown_report(v, wrong));
  // Last: whoever sees this verdict finds the other two of the same run.
  write_file_atomically(directory / "verdict.json", verdict_json(v, wrong));
}

}  // namespace selectors::gate
