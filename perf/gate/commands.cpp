#include "commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evidence.hpp"
#include "file_io.hpp"
#include "gates.hpp"
#include "json_document.hpp"
#include "judge.hpp"
#include "measurement.hpp"
#include "propose.hpp"
#include "report.hpp"
#include "schema_check.hpp"

namespace selectors::gate {
namespace {

constexpr int bad_input = static_cast<int>(exit_code::bad_input);

int print(const problems& wrong, std::ostream& out) {
  for (const auto& p : wrong) out << to_string(p) << '\n';
  return wrong.empty() ? 0 : bad_input;
}

void validate_file(const std::filesystem::path& file, const validate_arguments& a, date now,
                   problems& wrong) {
  const auto document = json_document::read(file, max_measurement_bytes, wrong);
  if (!document) return;
  const auto kind = kind_of(*document, wrong);
  if (!kind) return;
  switch (*kind) {
    case file_kind::measurement:
      read_measurement(file, wrong);
      break;
    case file_kind::evidence:
      read_evidence(file, wrong);
      break;
    case file_kind::verdict:
    case file_kind::regret:
      check_schema(*document, *kind, wrong);
      break;
    case file_kind::thresholds: {
      threshold_set set;
      if (auto p = load_profile(file, now, wrong)) set.profiles.push_back(std::move(*p));
      if (set.profiles.empty()) return;
      const auto portable = a.thresholds / "portable.json";
      if (set.profiles.front().kind == profile_kind::machine_class && std::filesystem::exists(portable)) {
        if (auto p = load_profile(portable, now, wrong)) set.profiles.push_back(std::move(*p));
      }
      check_coverage(set, wrong);
    }
  }
}

void explain_limits(const threshold_set& set, const metric& m, std::ostream& out) {
  bool any = false;
  for (const auto& p : set.profiles) {
    for (const auto& l : p.limits) {
      if (l.metric != m.name) continue;
      any = true;
      metric_verdict row{l.metric, m.kind, p.name, {l.lower, l.upper}, l.equals};
      out << fmt::format("limit     {} ({}, revision {})\n", limits_text(row), p.file.string(), p.revision);
      if (l.reviewed) out << fmt::format("reviewed  {:g}\n", *l.reviewed);
      out << fmt::format("because   {}\n", l.rationale);
      const auto& r = l.reviewed_in ? l.reviewed_in : p.reviewed_in;
      if (r) out << fmt::format("evidence  {}, {}, reviewed by {}\n", r->evidence, r->date, r->reviewed_by);
    }
    for (const auto& u : p.ungated) {
      if (u.metric != m.name) continue;
      any = true;
      out << fmt::format("ungated   until {}: {} ({})\n", u.until, u.reason, p.file.string());
    }
  }
  if (!any && m.kind != metric_kind::self) out << "limit     none\n";
}

void explain_last(const std::filesystem::path& report, const metric& m, std::ostream& out) {
  problems ignored;  // a missing or foreign verdict is no news here
  const auto document = json_document::read(report / "verdict.json", max_measurement_bytes, ignored);
  if (!document || !check_schema(*document, file_kind::verdict, ignored)) return;
  for (const auto& row : document->root()["metrics"]) {
    if (row["metric"] != m.name || row["estimate"].is_null()) continue;
    out << fmt::format("last      {:.5g}, {} ({})\n", row["estimate"].get<double>(),
                       row["result"].get<std::string>(), document->file());
    return;
  }
}

std::string orientation(metric_kind kind) {
  switch (kind) {
    case metric_kind::drift:
      return "drift: unlike work; worse above, and a change either way wants a review";
    case metric_kind::twin:
      return "twin: like work with and without the library; worse above";
    case metric_kind::exact:
      return "exact: counted, equal or not";
    case metric_kind::self:
      break;
  }
  return "self: the quality of the gate itself; its limits are built in";
}

int refuse(std::ostream& out, const std::string& message) {
  out << message << '\n';
  return bad_input;
}

// What the gate's own quality looks like on a recording: a run in which nothing changed and that fails is a false alarm.
int count_verdicts(const reduction& data, const threshold_set& thresholds, const judge_options& options,
                   std::ostream& out) {
  std::array<int, 5> tally{};
  for (const auto& s : gate_slices(data)) {
    auto run = data;
    const auto first = data.bursts.begin() + static_cast<std::ptrdiff_t>(s.first);
    run.bursts.assign(first, first + static_cast<std::ptrdiff_t>(s.count));
    const auto v = judge(run, thresholds, options);
    ++tally[static_cast<std::size_t>(v.code)];
    out << fmt::format("{:>4} bursts from {:>4}: {}: {}\n", s.count, s.first + 1, to_string(v.code),
                       v.summary);
  }
  int worst = 0;
  for (const auto code :
       {exit_code::pass, exit_code::too_noisy, exit_code::outside, exit_code::broken, exit_code::bad_input}) {
    const int runs = tally[static_cast<std::size_t>(code)];
    out << fmt::format("{:>4} {}\n", runs, to_string(code));
    if (runs > 0) worst = static_cast<int>(code);
  }
  return worst;
}

bool fits_name(const propose_arguments& a) {
  return a.output.stem() == a.profile && a.output.extension() == ".json";
}

}  // namespace

int check(const check_arguments& a, const surroundings& world, std::ostream& out) {
  problems wrong;
  const auto thresholds = load_thresholds(a.thresholds, world.now, wrong);
  const auto m = read_measurement(a.measurement, wrong);
  const auto v = wrong.empty() && m ? judge(*m, thresholds, {a.require_profile}) : unreadable(wrong);
  out << text_report(v, wrong, world.colour);
  if (world.github) out << github_annotations(v, wrong);
  try {
    write_reports(a.report, v, wrong);
  } catch (const std::filesystem::filesystem_error& error) {
    return refuse(out, fmt::format("{} E_IO the report files cannot be written ({}): give another --report",
                                   a.report.string(), error.code().message()));
  }
  return static_cast<int>(v.code);
}

int explain(const explain_arguments& a, const surroundings& world, std::ostream& out) {
  const auto* m = find_metric(a.metric);
  if (m == nullptr) {
    std::vector<std::string> known;
    for (const auto& each : metric_table()) known.push_back(each.name);
    const auto near = nearest_name(a.metric, known);
    return refuse(out,
                  fmt::format("{}: no such metric{}", a.metric, near ? "; did you mean " + *near + "?" : ""));
  }
  out << fmt::format("metric    {}\nmeaning   {}\nkind      {}\n", m->name, m->meaning, orientation(m->kind));
  if (!m->denominator.empty())
    out << fmt::format("ratio     {}\n        / {}\n", m->numerator, m->denominator);
  if (!m->rivals.empty())
    out << fmt::format("ratio     {}\n        / the fastest of {}\n", m->numerator,
                       fmt::join(m->rivals, ", "));
  problems wrong;
  const auto thresholds = load_thresholds(a.thresholds, world.now, wrong);
  if (!wrong.empty()) return print(wrong, out);
  explain_limits(thresholds, *m, out);
  explain_last(a.report, *m, out);
  return 0;
}

int validate(const validate_arguments& a, const surroundings& world, std::ostream& out) {
  problems wrong;
  if (a.files.empty()) load_thresholds(a.thresholds, world.now, wrong);
  for (const auto& file : a.files) validate_file(file, a, world.now, wrong);
  if (!a.base.empty() && wrong.empty()) check_revisions(a.thresholds, a.base, wrong);
  if (wrong.empty()) out << "valid\n";
  return print(wrong, out);
}

int make_proposal(const propose_arguments& a, const surroundings& world, std::ostream& out) {
  if (!fits_name(a)) {
    return refuse(out, fmt::format("{}: a profile's file has its name, expected {}.json", a.output.string(),
                                   a.profile));
  }
  for (const auto& file : {a.output, a.evidence}) {
    if (std::filesystem::exists(file))
      return refuse(out, file.string() + " exists, and a proposal changes no file");
  }
  problems wrong;
  std::vector<measurement> runs;
  for (const auto& file : a.measurements) {
    if (auto m = read_measurement(file, wrong)) runs.push_back(std::move(*m));
  }
  if (!wrong.empty()) return print(wrong, out);
  proposal_request request;
  request.profile = a.profile;
  request.proposed_by = a.proposed_by;
  request.when = world.now;
  request.with_twins = a.with_twins;
  const auto directory = std::filesystem::absolute(a.output).parent_path();
  request.evidence = std::filesystem::absolute(a.evidence).lexically_relative(directory).generic_string();
  const auto current = a.thresholds / a.output.filename();
  if (std::filesystem::exists(current)) {
    if (const auto p = load_profile(current, world.now, wrong)) request.revision = p->revision + 1;
  }
  std::vector<std::string> faults;
  const auto draft = propose(runs, request, faults);
  for (const auto& fault : faults) out << "refused: " << fault << '\n';
  if (!draft) return bad_input;
  write_file_atomically(a.evidence, draft->evidence_text);
  write_file_atomically(a.output, draft->profile_text);
  for (const auto& remark : draft->remarks) out << "remark: " << remark << '\n';
  out << fmt::format(
      "wrote {} and {}\nnext: read them, fill in \"reviewed_by\" and the rationales, move both into {}, "
      "and commit them on their own\n",
      a.output.string(), a.evidence.string(), a.thresholds.string());
  return 0;
}

int replay(const replay_arguments& a, const surroundings& world, std::ostream& out) {
  problems wrong;
  const auto thresholds = load_thresholds(a.thresholds, world.now, wrong);
  std::optional<reduction> data;
  if (!a.evidence.empty()) {
    if (auto e = read_evidence(a.evidence, wrong)) data = std::move(e->data);
  } else if (const auto m = read_measurement(a.measurement, wrong)) {
    data = reduce(*m, fast_control(*m, thresholds));
  }
  const judge_options options{a.require_profile};
  if (a.gates && wrong.empty()) return count_verdicts(*data, thresholds, options, out);
  const auto v = wrong.empty() ? judge(*data, thresholds, options) : unreadable(wrong);
  out << text_report(v, wrong, world.colour);
  return static_cast<int>(v.code);
}

}  // namespace selectors::gate
