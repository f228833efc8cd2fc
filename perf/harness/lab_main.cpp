// selectors-lab: every arm as an ordinary Google Benchmark benchmark. This is the published table, never what
// the gate judges.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <vector>

#include "gate/metrics.hpp"
#include "harness/exit_codes.hpp"
#include "harness/facts.hpp"
#include "harness/sockets.hpp"
#include "scenarios/scenarios.hpp"

namespace {

using namespace selectors;

constexpr int iterations = 2000;

void measure(benchmark::State& state, perf::arm& work) {
  work.run(50);
  try {
    for ([[maybe_unused]] auto _ : state) work.run(1);
  } catch (const perf::broken_measurement& e) {
    state.SkipWithError(e.what());
    return;
  }
  state.counters["ops/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void describe_this_run() {
  auto build = perf::this_build();
  perf::add_source_facts(build, SELECTORS_SOURCE_DIR);
  benchmark::AddCustomContext("selectors_build_type", build.type);
  benchmark::AddCustomContext("selectors_compiler", build.compiler);
  benchmark::AddCustomContext("selectors_libc", build.libc);
  benchmark::AddCustomContext("selectors_commit", build.commit + (build.dirty ? " and changes" : ""));
  benchmark::AddCustomContext("kernel", perf::this_machine().kernel);
}

// The user's own flags come later and win.
std::vector<char*> with_defaults(int argc, char** argv) {
  static char repetitions[] = "--benchmark_repetitions=7";
  static char interleaved[] = "--benchmark_enable_random_interleaving=true";
  static char aggregates[] = "--benchmark_display_aggregates_only=true";
  std::vector<char*> all{argv[0], repetitions, interleaved, aggregates};
  all.insert(all.end(), argv + 1, argv + argc);
  return all;
}

int run(int argc, char** argv) {
  auto arguments = with_defaults(argc, argv);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return perf::bad_input;

  const perf::socket_sets sockets(gate::sizes());
  perf::arm_list arms;
  perf::add_all(arms, sockets);
  arms.make_all(std::random_device()());
  for (const auto& work : arms.arms()) {
    benchmark::RegisterBenchmark(work->name().c_str(), [&](benchmark::State& s) { measure(s, *work); })
        ->Iterations(iterations)
        ->UseRealTime();
  }
  describe_this_run();
  if (benchmark::RunSpecifiedBenchmarks() > 0) return perf::success;
  fmt::print(stderr, "selectors-lab: nothing was measured; see --benchmark_list_tests for the names\n");
  return perf::bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "selectors-lab: {}\n", e.what());
    return perf::bad_input;
  }
}
