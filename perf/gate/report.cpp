#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace selectors::gate {
namespace {

constexpr std::size_t columns = 80;

// Breaks at spaces; continuation lines stand below the first one's text.
std::string labelled(const std::string& label, const std::string& text) {
  const std::size_t indent = 9;
  std::string out;
  std::string line = fmt::format("{:<{}}", label, indent);
  std::size_t at = 0;
  while (at < text.size()) {
    auto end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const auto word = text.substr(at, end - at);
    if (line.size() > indent && line.size() + 1 + word.size() > columns) {
      out += line + "\n";
      line.assign(indent, ' ');
    }
    line += (line.size() > indent ? " " : "") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string painted(const std::string& text, const char* code, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

struct look {
  const char* word;
  const char* colour;
};

look look_of(outcome o) {
  switch (o) {
    case outcome::inside:
      return {"pass", "32"};
    case outcome::outside:
      return {"FAIL", "1;31"};
    case outcome::undecided:
      return {"noisy", "33"};
    case outcome::no_data:
      return {"no data", "1;31"};
    case outcome::broken:
      return {"broken", "1;31"};
    case outcome::ungated:
      return {"ungated", "36"};
    case outcome::not_judged:
      break;
  }
  return {"-", "2"};
}

std::string row_line(const metric_verdict& row, bool colour) {
  const auto range = row.low ? short_number(*row.low) + ".." + short_number(*row.high) : "-";
  const auto shown = look_of(row.result);
  // Names and values share their columns: a count is short where its name is long.
  constexpr std::size_t name_and_value = 42;
  const auto room = name_and_value - std::min(row.metric.size() + 1, name_and_value);
  return fmt::format("{} {:>{}} {:>14} {:>14} {}\n", row.metric, value_text(row), room, range,
                     limits_text(row), painted(shown.word, shown.colour, colour));
}

std::string machine_line(const verdict& v) {
  const auto& m = *v.machine;
  return labelled("machine",
                  fmt::format("{}, {} cpus, {}, Linux {}, {}", m.cpu_model, m.cpus, m.arch, m.kernel,
                              m.virtualization.empty() ? "no virtualization" : m.virtualization));
}

std::string build_line(const verdict& v) {
  const auto& b = *v.build;
  return labelled("build", fmt::format("{}, {}, commit {}{}", b.type, b.compiler, b.commit.substr(0, 12),
                                       b.dirty ? " (dirty)" : ""));
}

std::string profile_lines(const verdict& v) {
  std::string out;
  for (const auto& p : v.profiles) {
    const auto* why = p.kind == profile_kind::portable ? "promises for any machine" : "matches this machine";
    out += labelled("profile", fmt::format("{}, revision {}: {}", p.name, p.revision, why));
  }
  return out;
}

std::string verdict_line(const verdict& v, const std::string& summary, bool colour) {
  const auto word = std::string(to_string(v.code));
  const auto said = fmt::format("{} ({}): {}", word, static_cast<int>(v.code), summary);
  const char* code = v.code == exit_code::pass ? "1;32" : v.code == exit_code::too_noisy ? "1;33" : "1;31";
  // Painted last, or the escape codes would count as columns.
  auto line = labelled("verdict", said);
  const auto at = line.find(word);
  return at == std::string::npos ? line : line.replace(at, word.size(), painted(word, code, colour));
}

}  // namespace

std::string short_number(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 0.1 ? 4 : size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

std::string value_text(const metric_verdict& row) {
  if (!row.value) return "-";
  return row.kind == metric_kind::exact ? fmt::format("{:g}", *row.value) : short_number(*row.value);
}

std::string limits_text(const metric_verdict& row) {
  if (row.metric == injected_metric) return "> " + short_number(*row.limits.upper);
  if (row.equals) return fmt::format("= {:g}", *row.equals);
  if (row.limits.lower && row.limits.upper) {
    return short_number(*row.limits.lower) + ".." + short_number(*row.limits.upper);
  }
  if (row.limits.upper) return "<= " + short_number(*row.limits.upper);
  if (row.limits.lower) return ">= " + short_number(*row.limits.lower);
  return "-";
}

std::vector<const metric_verdict*> bad_rows(const verdict& v) {
  constexpr std::array order{outcome::no_data, outcome::broken, outcome::outside, outcome::undecided};
  std::vector<const metric_verdict*> out;
  for (const auto o : order) {
    for (const auto& row : v.metrics) {
      if (row.result == o) out.push_back(&row);
    }
  }
  return out;
}

std::string text_report(const verdict& v, bool colour) {
  auto out =
      fmt::format("{:<35} {:>6} {:>14} {:>14} {}\n", "metric", "value", "interval", "limits", "verdict");
  for (const auto& row : v.metrics) out += row_line(row, colour);
  out += "\n";
  if (v.machine) out += machine_line(v);
  if (v.build) out += build_line(v);
  out += profile_lines(v);
  for (const auto& note : v.notes) out += labelled("note", note);
  for (const auto* row : bad_rows(v)) {
    out += labelled(look_of(row->result).word, fmt::format("{}: {}", row->metric, row->reason));
  }
  return out + verdict_line(v, v.summary, colour);
}

std::string text_report(const verdict& v, const problems& wrong, bool colour) {
  if (wrong.empty()) return text_report(v, colour);
  std::string out;
  for (const auto& p : wrong) out += to_string(p) + "\n";
  // The summary of such a verdict repeats the first of the lines above.
  return out +
         verdict_line(v, wrong.size() == 1 ? "a problem in the input" : "problems in the input", colour);
}

verdict unreadable(const problems& wrong) {
  verdict v;
  v.code = exit_code::bad_input;
  v.summary = wrong.size() == 1
                  ? to_string(wrong.front())
                  : fmt::format("{} problems, first: {}", wrong.size(), to_string(wrong.front()));
  return v;
}

}  // namespace selectors::gate
