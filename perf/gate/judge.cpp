#include "judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "protocol.hpp"

namespace selectors::gate {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

outcome outcome_of(decision d) {
  switch (d) {
    case decision::inside:
      return outcome::inside;
    case decision::outside:
      return outcome::outside;
    case decision::undecided:
      return outcome::undecided;
    case decision::broken:
      break;
  }
  return outcome::broken;
}

void copy_estimate(const std::optional<estimate>& e, metric_verdict& row) {
  if (!e) return;
  row.value = e->centre;
  row.low = e->low;
  row.high = e->high;
  row.bursts = e->bursts;
}

std::string explain_outside(const metric_verdict& row) {
  const bool above = row.limits.upper && *row.low > *row.limits.upper;
  return fmt::format("{:.5g}..{:.5g} is {} the limit {:.5g}", *row.low, *row.high, above ? "above" : "below",
                     above ? *row.limits.upper : *row.limits.lower);
}

class judgement {
 public:
  judgement(const reduction& data, const threshold_set& thresholds, const judge_options& options)
      : data_(data) {
    v_.machine = data.machine;
    v_.build = data.build;
    v_.bursts = static_cast<int>(data.bursts.size());
    choose_profiles(thresholds, options);
    check_build();
    for (const auto& p : v_.profiles) add_rows(p);
    add_unjudged_drift();
    add_self_quality();
    note_unknown_arms();
  }

  verdict finish() {
    v_.code = worst();
    v_.summary = summarise();
    return std::move(v_);
  }

 private:
  void choose_profiles(const threshold_set& thresholds, const judge_options& options) {
    std::string matching;
    for (const auto& p : thresholds.profiles) {
      const bool fits = p.kind == profile_kind::portable || (p.match && p.match->fits(data_.machine));
      if (!fits) continue;
      v_.profiles.push_back(p);
      if (p.kind == profile_kind::portable) continue;
      if (v_.drift_judged) {
        bad_input_ =
            fmt::format("the profiles {} and {} both match this machine: narrow one", matching, p.name);
      }
      v_.drift_judged = true;
      matching = p.name;
    }
    if (!bad_input_.empty()) v_.notes.push_back(bad_input_);
    if (v_.drift_judged) return;
    v_.notes.push_back("drift not judged: no profile for this machine");
    v_.notes.push_back("to make one: selectors-gate propose --help");
    if (options.require_profile) bad_input_ = "no profile for this machine, and one is required";
  }

  void check_build() {
    const auto& build = data_.build;
    if (build.type != "Release")
      broken_run_ = fmt::format("a {} build was measured, expected Release", build.type);
    if (!build.sanitizers.empty()) {
      broken_run_ = fmt::format("the measured build has the {} sanitizer", build.sanitizers.front());
    }
    if (!broken_run_.empty()) v_.notes.push_back(broken_run_);
  }

  void add_rows(const profile& p) {
    for (const auto& l : p.limits) {
      const auto* m = find_metric(l.metric);
      metric_verdict row{l.metric, m->kind, p.name, {l.lower, l.upper}, l.equals};
      if (m->kind == metric_kind::exact) {
        judge_count(row);
      } else {
        judge_ratio(*m, row);
        if (m->kind == metric_kind::drift && p.control) check_control(*p.control, row);
      }
      v_.metrics.push_back(std::move(row));
    }
    for (const auto& u : p.ungated) {
      metric_verdict row{u.metric, find_metric(u.metric)->kind, p.name};
      show_value(row);
      row.result = outcome::ungated;
      row.reason = fmt::format("{} (until {})", u.reason, u.until);
      v_.metrics.push_back(std::move(row));
    }
  }

  void show_value(metric_verdict& row) const {
    if (row.kind == metric_kind::exact) {
      row.value = count_of(row.metric);
    } else {
      copy_estimate(estimate_metric(data_, row.metric, 0, data_.bursts.size()), row);
    }
  }

  std::optional<double> count_of(const std::string& metric) const {
    for (const auto& c : data_.counts) {
      if (c.metric == metric) return c.value;
    }
    return std::nullopt;
  }

  void judge_count(metric_verdict& row) const {
    row.value = count_of(row.metric);
    if (!row.value) {
      row.result = outcome::no_data;
      row.reason = "was not counted";
    } else if (!std::isfinite(*row.value)) {
      row.result = outcome::broken;
      row.reason = "the count is not a finite number";
    } else if (row.equals && *row.value == *row.equals) {
      row.result = outcome::inside;
    } else {
      row.result = outcome::outside;
      row.reason = fmt::format("counted {:g}, expected {:g}", *row.value, row.equals.value_or(NAN));
    }
  }

  void judge_ratio(const metric& m, metric_verdict& row) const {
    for (const auto& arm : arms_of(m)) {
      if (!contains(data_.arms, arm))
        return refuse(row, outcome::no_data, "arm " + arm + " was not measured");
    }
    if (m.kind == metric_kind::drift && !contains(data_.arms, control_arm)) {
      return refuse(row, outcome::no_data, fmt::format("the control {} was not measured", control_arm));
    }
    if (data_.bursts.empty()) return refuse(row, outcome::no_data, "the measurement holds no bursts");
    if (contains(data_.non_finite, m.name)) {
      return refuse(row, outcome::broken, "a measured time is not a finite number > 0");
    }
    const auto d = decide(data_, m.name, row.limits);
    copy_estimate(d.last, row);
    row.result = outcome_of(d.result);
    if (row.result == outcome::outside) row.reason = explain_outside(row);
    if (row.result == outcome::broken) row.reason = "the estimate is not a finite number > 0";
    if (row.result == outcome::undecided) row.reason = explain_undecided(row);
  }

  static void refuse(metric_verdict& row, outcome result, std::string reason) {
    row.result = result;
    row.reason = std::move(reason);
  }

  std::string explain_undecided(const metric_verdict& row) const {
    if (!row.value) {
      const auto fast = std::count_if(data_.bursts.begin(), data_.bursts.end(),
                                      [](const burst_summary& b) { return b.kept >= min_kept_rounds; });
      return fmt::format("the control ran fast in {} of {} bursts, {} are needed", fast, v_.bursts,
                         min_valid_bursts);
    }
    if (v_.bursts < looks.front())
      return fmt::format("{} bursts, the first look needs {}", v_.bursts, looks.front());
    return fmt::format("{:.5g}..{:.5g} straddles a limit after {} bursts", *row.low, *row.high, row.bursts);
  }

  // A control far from the reviewed one says that the limits were taken in another state of the machine.
  void check_control(const control_reference& control, metric_verdict& row) const {
    if (row.result != outcome::inside && row.result != outcome::outside && row.result != outcome::undecided)
      return;
    const double shift = data_.control_own_fast / control.fast - 1;
    const auto said = fmt::format("the control's fast state is {:.0f} ns, the profile's {:.0f} ns",
                                  data_.control_own_fast, control.fast);
    if (!std::isfinite(shift)) return refuse(row, outcome::broken, said);
    if (shift > control.max_shift)
      return refuse(row, outcome::undecided, said + ": never idle, or another machine");
    if (shift < -control.max_shift)
      return refuse(row, outcome::broken, said + ": another machine, propose anew");
  }

  void add_unjudged_drift() {
    for (const auto& m : metric_table()) {
      const auto named = [&](const metric_verdict& row) { return row.metric == m.name; };
      if (m.kind != metric_kind::drift || std::any_of(v_.metrics.begin(), v_.metrics.end(), named)) continue;
      metric_verdict row{m.name, m.kind, {}};
      show_value(row);
      row.result = outcome::not_judged;
      v_.metrics.push_back(std::move(row));
    }
  }

  void add_self_quality() {
    metric_verdict twin{
        std::string(twin_metric), metric_kind::self, {}, {1 - twin_tolerance, 1 + twin_tolerance}};
    judge_ratio(*find_metric(twin_metric), twin);
    // Straddling the limit is noise while the interval still holds 1; when it does not, the twins do differ.
    const bool differs =
        twin.low && !(*twin.low <= 1 && 1 <= *twin.high) && std::abs(*twin.value - 1) > twin_tolerance;
    if (twin.result == outcome::outside || (twin.result == outcome::undecided && differs && at_cap())) {
      refuse(twin, outcome::broken, "contaminated: two selectors doing the same work differ");
    }
    v_.metrics.push_back(std::move(twin));

    metric_verdict injected{std::string(injected_metric),
                            metric_kind::self,
                            {},
                            {1 - injected_tolerance, 1 + injected_tolerance}};
    judge_ratio(*find_metric(injected_metric), injected);
    if (injected.result == outcome::inside) {
      refuse(injected, outcome::broken, "the gate is blind: the injected slowdown was judged inside");
    } else if (injected.result == outcome::outside && *injected.low > *injected.limits.upper) {
      refuse(injected, outcome::inside, "seen, as it must be");
    } else if (injected.result == outcome::outside) {
      refuse(injected, outcome::broken, "the gate is blind: the slowed arm ran faster");
    }
    v_.metrics.push_back(std::move(injected));
  }

  bool at_cap() const { return !next_look(v_.bursts); }

  void note_unknown_arms() {
    for (const auto& arm : data_.arms) {
      if (contains(arm_table(), arm)) continue;
      const auto near = nearest_name(arm, arm_table());
      v_.notes.push_back(fmt::format("arm {} is measured, and no metric knows it{}", arm,
                                     near ? "; was " + *near + " renamed?" : ""));
    }
  }

  bool any(outcome o) const {
    return std::any_of(v_.metrics.begin(), v_.metrics.end(),
                       [&](const auto& row) { return row.result == o; });
  }

  exit_code worst() {
    if (!bad_input_.empty() || any(outcome::no_data)) return exit_code::bad_input;
    if (!broken_run_.empty() || any(outcome::broken)) return exit_code::broken;
    const bool undecided = any(outcome::undecided);
    if (undecided && v_.bursts < looks.front()) {
      bad_input_ = fmt::format("no data: {} bursts, the first look needs {}", v_.bursts, looks.front());
      return exit_code::bad_input;
    }
    if (any(outcome::outside)) return exit_code::outside;
    if (undecided && data_.interrupted) {
      bad_input_ = fmt::format("no data: the run was interrupted after {} bursts; run it again", v_.bursts);
      return exit_code::bad_input;
    }
    return undecided ? exit_code::too_noisy : exit_code::pass;
  }

  std::string names_of(outcome o) const {
    std::string names;
    int found = 0;
    for (const auto& row : v_.metrics) {
      if (row.result == o && ++found <= 3) names += (names.empty() ? "" : ", ") + row.metric;
    }
    return found > 3 ? fmt::format("{} and {} more", names, found - 3) : names;
  }

  std::string summarise() const {
    switch (v_.code) {
      case exit_code::bad_input:
        return !bad_input_.empty() ? bad_input_ : "no data: " + names_of(outcome::no_data);
      case exit_code::broken:
        return !broken_run_.empty() ? broken_run_ : names_of(outcome::broken);
      case exit_code::outside:
        return names_of(outcome::outside);
      case exit_code::too_noisy:
        return fmt::format("{} after {} bursts", names_of(outcome::undecided), v_.bursts);
      case exit_code::pass:
        break;
    }
    const auto good = std::count_if(v_.metrics.begin(), v_.metrics.end(),
                                    [](const auto& row) { return row.result == outcome::inside; });
    return fmt::format("{} metrics inside their limits after {} bursts{}", good, v_.bursts,
                       v_.drift_judged ? "" : "; drift not judged: no profile for this machine");
  }

  const reduction& data_;
  verdict v_;
  std::string bad_input_;   // set: exit code 2, whatever the metrics say
  std::string broken_run_;  // set: at best exit code 3
};

}  // namespace

verdict judge(const reduction& data, const threshold_set& thresholds, const judge_options& options) {
  return judgement(data, thresholds, options).finish();
}

std::optional<double> fast_control(const measurement& m, const threshold_set& thresholds) {
  for (const auto& p : thresholds.profiles) {
    if (p.control && p.match && p.match->fits(m.machine)) return p.control->fast;
  }
  return std::nullopt;
}

verdict judge(const measurement& m, const threshold_set& thresholds, const judge_options& options) {
  return judge(reduce(m, fast_control(m, thresholds)), thresholds, options);
}

}  // namespace selectors::gate
