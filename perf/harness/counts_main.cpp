// selectors-counts: the exact metrics - system calls and allocations per operation - as JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "gate/metrics.hpp"
#include "harness/counted_calls.hpp"
#include "harness/exit_codes.hpp"
#include "harness/sockets.hpp"
#include "scenarios/library.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {
namespace {

constexpr int warm_operations = 50;
constexpr int counted_operations = 100;

// The parts of "system_calls/reuse/epoll/8".
struct exact_metric {
  std::string what;
  std::string work;
  std::string backend;
  int n = 0;
};

exact_metric parse(const std::string& name) {
  const auto parts = CLI::detail::split(name, '/');
  if (parts.size() != 4) throw std::runtime_error("no way to count \"" + name + "\"");
  return {parts[0], parts[1], parts[2], std::stoi(parts[3])};
}

// A modify that changes nothing but the data, each time.
class modified_data {
 public:
  modified_data(backend b, std::span<const int> descriptors) : fd_(descriptors.front()), selector_(b) {
    register_all(selector_, descriptors);
  }
  found operator()() {
    ++data_;
    selector_.modify(fd_, interest::read, data_, trigger::level);
    return selector_.get_key(fd_).data == user_data(data_) ? found{1, 0} : found{};
  }

 private:
  int fd_;
  selector selector_;
  std::uintptr_t data_ = 0;
};

void add_modify_data(arm_list& arms, const socket_sets& sockets) {
  for (const auto& b : gate::backends()) {
    for (const int n : gate::sizes()) {
      arms.add(fmt::format("modify_data/{}/{}", b.name, n), found{1, 0},
               [=, &sockets] { return modified_data(backend_named(b.name), sockets.descriptors(n, "all")); });
    }
  }
}

counters per_run(arm& work, int operations) {
  const counters before = counted();
  work.run(operations);
  const counters after = counted();
  return {after.system_calls - before.system_calls, after.allocations - before.allocations};
}

// A whole number where it is one; anything else shows as what it is.
nlohmann::json per_operation(std::int64_t total) {
  if (total % counted_operations == 0) return total / counted_operations;
  return static_cast<double>(total) / counted_operations;
}

nlohmann::json count_all(const arm_list& arms) {
  auto counts = nlohmann::json::array();
  for (const auto& m : gate::metric_table()) {
    if (m.kind != gate::metric_kind::exact) continue;
    const auto metric = parse(m.name);
    const auto name = fmt::format("{}/{}/{}{}", metric.work, metric.backend, metric.n,
                                  metric.work == "reuse" ? "/all" : "");
    arm* const work = arms.find(name);
    if (work == nullptr) throw std::runtime_error(fmt::format("{}: no arm {} to count", m.name, name));
    work->run(warm_operations);
    const auto total = per_run(*work, counted_operations);
    counts.push_back(
        {{"metric", m.name},
         {"value", per_operation(metric.what == "allocations" ? total.allocations : total.system_calls)}});
  }
  return counts;
}

}  // namespace
}  // namespace selectors::perf

int main(int argc, char** argv) {
  using namespace selectors;
  using namespace selectors::perf;
  std::string audited;
  int operations = 0;
  CLI::App app("Counts system calls and allocations per operation, as JSON", "selectors-counts");
  auto* const only =
      app.add_option("--run", audited, "Do the work of this arm alone, for a system call tracer to look at");
  app.add_option("--operations", operations, "How often")->needs(only)->check(CLI::Range(1, 1'000'000));
  return guarded("selectors-counts", app, [&] {
    app.parse(argc, argv);
    const socket_sets sockets(gate::sizes());
    arm_list arms(audited.empty() ? "*" : audited);
    add_recreate(arms, sockets);
    add_reuse(arms, sockets);
    add_modify_data(arms, sockets);
    arms.make_all(std::random_device()());
    if (audited.empty()) {
      count_system_calls();
      std::cout << count_all(arms).dump(1) << '\n';
      return success;
    }
    arm* const work = arms.find(audited);
    if (work == nullptr) throw std::runtime_error("no arm named " + audited);
    if (operations > 0) work->run(operations);
    return success;
  });
}
