#include "metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace selectors::gate {
namespace {

constexpr std::array<backend, 4> backend_list{
    {{"adaptive", ""}, {"epoll", "epoll"}, {"poll", "poll"}, {"select", "select"}}};
constexpr std::array<int, 3> size_list{8, 32, 128};
constexpr std::array<std::string_view, 2> ready_list{"all", "one"};
constexpr std::array<std::string_view, 3> raw_calls{"epoll", "poll", "select"};
constexpr std::array<std::string_view, 2> counted_arms{"recreate", "reuse"};

using table = std::vector<metric>;

void add_ratio(table& out, metric_kind kind, std::string name, std::string numerator, std::string denominator,
               std::string meaning) {
  out.push_back(
      {std::move(name), kind, "ratio", std::move(numerator), std::move(denominator), std::move(meaning)});
}

void add_count(table& out, std::string name, std::string meaning) {
  out.push_back({std::move(name), metric_kind::exact, "count", {}, {}, std::move(meaning)});
}

void add_self_quality(table& out) {
  add_ratio(out, metric_kind::self, std::string(twin_metric), "twin/reuse/epoll/32", "reuse/epoll/32/all",
            "two selectors doing the same work: away from 1 the measurement is contaminated");
  add_ratio(out, metric_kind::self, std::string(injected_metric), "injected/reuse/epoll/32",
            "reuse/epoll/32/all",
            "the same work made about 5 % slower on purpose: a gate that does not see it is blind");
}

void add_overheads(table& out, const backend& b, int n) {
  if (b.raw_call.empty()) return;
  for (const auto ready : ready_list) {
    add_ratio(out, metric_kind::twin, fmt::format("overhead_reuse/{}/{}/{}", b.name, n, ready),
              fmt::format("reuse/{}/{}/{}", b.name, n, ready),
              fmt::format("raw_reuse/{}/{}/{}", b.raw_call, n, ready),
              fmt::format("a wait on a kept selector over the same {} call without the library", b.raw_call));
  }
  add_ratio(
      out, metric_kind::twin, fmt::format("overhead_recreate/{}/{}", b.name, n),
      fmt::format("recreate/{}/{}", b.name, n), fmt::format("raw_recreate/{}/{}", b.raw_call, n),
      fmt::format("create, register, wait, close over the same {} work without the library", b.raw_call));
}

void add_drifts(table& out, const backend& b, int n) {
  add_ratio(out, metric_kind::drift, fmt::format("recreate_over_reuse/{}/{}", b.name, n),
            fmt::format("recreate/{}/{}", b.name, n), fmt::format("reuse/{}/{}/all", b.name, n),
            "what building a selector for each wait costs over keeping it");
  add_ratio(out, metric_kind::drift, fmt::format("select_lead_recreate/{}/{}", b.name, n),
            fmt::format("recreate/{}/{}", b.name, n), fmt::format("raw_recreate/select/{}", n),
            "a selector built for each wait over a plain select(2)");
  for (const auto ready : ready_list) {
    add_ratio(out, metric_kind::drift, fmt::format("select_lead_reuse/{}/{}/{}", b.name, n, ready),
              fmt::format("reuse/{}/{}/{}", b.name, n, ready),
              fmt::format("raw_reuse/select/{}/{}", n, ready),
              "a wait on a kept selector over a plain select(2)");
  }
}

// `pattern` names the arms of one cell; "{}" stands for the backend.
void add_regret(table& out, std::string name, std::string_view pattern) {
  metric m{std::move(name),
           metric_kind::twin,
           "ratio",
           fmt::format(fmt::runtime(pattern), "adaptive"),
           {},
           "the backend that chooses over the best of those that do not"};
  for (const auto& b : backend_list) {
    if (!b.raw_call.empty()) m.rivals.push_back(fmt::format(fmt::runtime(pattern), b.name));
  }
  out.push_back(std::move(m));
}

void add_regrets(table& out) {
  for (const int n : size_list) {
    for (const auto ready : ready_list)
      add_regret(out, fmt::format("regret/reuse/{}/{}", n, ready), fmt::format("reuse/{{}}/{}/{}", n, ready));
    add_regret(out, fmt::format("regret/recreate/{}", n), fmt::format("recreate/{{}}/{}", n));
  }
}

void add_counts(table& out, const backend& b, int n) {
  for (const auto arm : counted_arms) {
    add_count(out, fmt::format("system_calls/{}/{}/{}", arm, b.name, n), "system calls per operation");
    add_count(out, fmt::format("allocations/{}/{}/{}", arm, b.name, n),
              "heap allocations per operation, warm");
  }
  add_count(out, fmt::format("system_calls/modify_data/{}/{}", b.name, n),
            "system calls of a modify that changes the user data alone");
}

template <class Function>
void for_each_cell(Function function) {
  for (const auto& b : backend_list) {
    for (const int n : size_list) function(b, n);
  }
}

table build_metrics() {
  table out;
  for_each_cell([&](const backend& b, int n) { add_overheads(out, b, n); });
  add_regrets(out);
  for_each_cell([&](const backend& b, int n) { add_drifts(out, b, n); });
  for (const auto& b : backend_list) {
    add_ratio(out, metric_kind::drift, fmt::format("select_lead_empty/{}", b.name),
              fmt::format("empty/{}", b.name), "raw_empty/select",
              "a poll of nothing at all over a plain select(2) of nothing");
  }
  for_each_cell([&](const backend& b, int n) { add_counts(out, b, n); });
  add_self_quality(out);
  return out;
}

std::vector<std::string> build_arms() {
  std::vector<std::string> out{std::string(control_arm)};
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const auto& m : metric_table()) {
    for (const auto& arm : arms_of(m)) add(arm);
  }
  for (const auto call : raw_calls) add(fmt::format("raw_empty/{}", call));
  return out;
}

std::string_view take_component(std::string_view& path) {
  const auto slash = path.find('/');
  const auto head = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  return head;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view to_string(metric_kind kind) {
  switch (kind) {
    case metric_kind::drift:
      return "drift";
    case metric_kind::twin:
      return "twin";
    case metric_kind::exact:
      return "exact";
    case metric_kind::self:
      break;
  }
  return "self";
}

std::span<const backend> backends() {
  return backend_list;
}
std::span<const int> sizes() {
  return size_list;
}
std::span<const std::string_view> ready_sets() {
  return ready_list;
}

const std::vector<metric>& metric_table() {
  static const table metrics = build_metrics();
  return metrics;
}

const std::vector<std::string>& arm_table() {
  static const std::vector<std::string> arms = build_arms();
  return arms;
}

std::vector<std::string> arms_of(const metric& m) {
  std::vector<std::string> arms = m.rivals;
  for (const auto& arm : {m.denominator, m.numerator}) {
    if (!arm.empty()) arms.insert(arms.begin(), arm);
  }
  return arms;
}

const metric* find_metric(std::string_view name) {
  const auto& all = metric_table();
  const auto found = std::find_if(all.begin(), all.end(), [&](const metric& m) { return m.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool matches_pattern(std::string_view pattern, std::string_view name) {
  if (std::count(pattern.begin(), pattern.end(), '/') != std::count(name.begin(), name.end(), '/'))
    return false;
  while (!pattern.empty() || !name.empty()) {
    const auto wanted = take_component(pattern);
    const auto given = take_component(name);
    if (wanted != "*" && wanted != given) return false;
  }
  return true;
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  std::optional<std::string> best;
  // Farther than a third of the name is another word, not a slip of the pen.
  std::size_t best_distance = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const auto& candidate : known) {
    const auto distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace selectors::gate
