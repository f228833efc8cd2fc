#include "synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gate/metrics.hpp"

namespace selectors::gate::testing {
namespace {

std::vector<std::string> split(const std::string& arm) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= arm.size()) {
    const auto slash = std::min(arm.find('/', at), arm.size());
    parts.push_back(arm.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

double call_time(const std::string& call) {
  return call == "epoll" ? 300 : call == "poll" ? 250 : 280;
}

// A slow host slows unlike work unlike: building a set more than waiting on one.
double slow_factor(const std::string& arm) {
  return arm.find("recreate") != std::string::npos ? 1.36 : 1.25;
}

double count_of(const std::string& metric) {
  const auto parts = split(metric);
  if (parts[0] == "allocations" || parts[1] == "modify_data") return 0;
  const double n = std::stod(parts[3]);
  if (parts[1] == "reuse" || parts[2] == "poll" || parts[2] == "adaptive") return 1;
  return parts[2] == "epoll" ? n + 3 : n + 1;
}

}  // namespace

double usual_time(const std::string& arm) {
  const auto parts = split(arm);
  if (parts[0] == "control") return 1750;
  if (parts[0] == "twin") return usual_time("reuse/epoll/32/all");
  if (parts[0] == "injected") return 1.05 * usual_time("reuse/epoll/32/all");
  if (parts[0] == "raw_empty") return call_time(parts[1]);
  if (parts[0] == "empty") return 1.02 * call_time(parts[1]);
  // The backend that chooses is a little slower than the best one.
  if (parts[1] == "adaptive") {
    const auto of = [&](const char* other) {
      return usual_time(std::string(arm).replace(parts[0].size() + 1, 8, other));
    };
    return 1.01 * std::min({of("epoll"), of("poll"), of("select")});
  }
  const double n = std::stod(parts[2]);
  if (parts[0] == "raw_reuse")
    return call_time(parts[1]) + (parts[3] == "all" ? 45 : parts[1] == "epoll" ? 0 : 30) * n;
  if (parts[0] == "raw_recreate") return call_time(parts[1]) + (parts[1] == "epoll" ? 900 : 60) * n;
  if (parts[0] == "reuse") return 1.02 * usual_time("raw_" + arm);
  return 1.03 * usual_time("raw_" + arm);
}

double usual_ratio(const std::string& metric) {
  const auto* m = find_metric(metric);
  double below = std::numeric_limits<double>::infinity();
  for (const auto& arm : arms_of(*m)) {
    if (arm != m->numerator) below = std::min(below, usual_time(arm));
  }
  return usual_time(m->numerator) / below;
}

machine_facts example_machine() {
  return {"x86_64", "Example CPU 9", 25, 17, "6.18.5-generic", "kvm", 2};
}

build_facts release_build() {
  return {"Release", "GNU 12.2.0", "glibc 2.36", std::string(40, 'a'), false, {}, std::string(64, 'b')};
}

measurement synthesise(const model& m) {
  measurement out;
  out.machine = example_machine();
  out.build = release_build();
  out.arms = m.arms.empty() ? arm_table() : m.arms;
  for (const auto& each : metric_table()) {
    if (each.kind == metric_kind::exact) out.counts.push_back({each.name, count_of(each.name)});
  }
  std::mt19937_64 random(m.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (int b = 0; b < m.bursts; ++b) {
    burst next{"2026-11-30T12:00:00Z", 0.25, 3, {}};
    const bool slow = uniform(random) < m.slow_share;
    std::vector<double> base;
    for (const auto& arm : out.arms) {
      const auto extra = m.factor.find(arm);
      base.push_back(usual_time(arm) * (extra == m.factor.end() ? 1 : extra->second) *
                     (slow ? slow_factor(arm) : 1) * std::exp(m.burst_noise * normal(random)));
    }
    for (int r = 0; r < rounds_per_burst; ++r) {
      round_times times;
      for (const double t : base)
        times.push_back(std::round(10 * t * std::exp(m.round_noise * normal(random))) / 10);
      next.rounds.push_back(std::move(times));
    }
    out.bursts.push_back(std::move(next));
  }
  return out;
}

profile portable_limits() {
  profile p;
  p.name = "portable";
  p.file = "thresholds/portable.json";
  p.revision = 1;
  p.max_age_days = 180;
  for (const auto& m : metric_table()) {
    limit l;
    l.metric = m.name;
    l.rationale = "a promise";
    if (m.kind == metric_kind::twin) l.upper = 1.05;
    if (m.kind == metric_kind::exact) l.equals = count_of(m.name);
    if (l.upper || l.equals) p.limits.push_back(std::move(l));
  }
  return p;
}

profile class_limits() {
  profile p;
  p.name = "example-class";
  p.file = "thresholds/example-class.json";
  p.revision = 4;
  p.kind = profile_kind::machine_class;
  p.max_age_days = 180;
  p.match = machine_match{example_machine()};
  p.match->wanted.kernel = "6.18";
  p.control = control_reference{1700, 0.05};
  for (const auto& m : metric_table()) {
    if (m.kind != metric_kind::drift) continue;
    const double centre = usual_ratio(m.name);
    limit l;
    l.metric = m.name;
    l.lower = 0.97 * centre;
    l.reviewed = centre;
    l.upper = 1.03 * centre;
    l.rationale = "a reviewed run";
    p.limits.push_back(std::move(l));
  }
  return p;
}

threshold_set both() {
  return {{portable_limits(), class_limits()}};
}

std::vector<std::string> arms_of(const std::vector<std::string>& metrics) {
  std::vector<std::string> arms{std::string(control_arm)};
  const auto add = [&](const std::string& arm) {
    if (std::find(arms.begin(), arms.end(), arm) == arms.end()) arms.push_back(arm);
  };
  for (const auto& self : {twin_metric, injected_metric}) {
    for (const auto& arm : gate::arms_of(*find_metric(self))) add(arm);
  }
  for (const auto& name : metrics) {
    for (const auto& arm : gate::arms_of(*find_metric(name))) add(arm);
  }
  return arms;
}

}  // namespace selectors::gate::testing
