#include "harness/burst.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <numeric>

#include "harness/facts.hpp"
#include "harness/rounds.hpp"

namespace selectors::perf {
namespace {

std::int64_t involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// The rounds themselves are the result; a mean over them is of no use to anybody.
class silent_reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

burst run_burst(const arm_list& arms, int rounds_wanted, std::uint64_t seed) {
  burst result;
  result.arms = arms.names();
  result.at = iso_time_now();
  if (::getloadavg(&result.load, 1) != 1) result.load = 0;

  rounds source(arms, seed);
  std::exception_ptr failure;
  const std::int64_t switches_before = involuntary_switches();
  benchmark::RegisterBenchmark(
      "burst",
      [&](benchmark::State& state) {
        try {
          for ([[maybe_unused]] auto _ : state) {
            result.rounds.push_back(source.next());
            const auto& times = result.rounds.back();
            state.SetIterationTime(
                std::inner_product(times.begin(), times.end(), source.batches().begin(), 0.0) * 1e-9);
          }
        } catch (...) {
          failure = std::current_exception();
          state.SkipWithError("broken measurement");
        }
      })
      ->Iterations(rounds_wanted)
      ->UseManualTime();
  silent_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  result.involuntary_switches = involuntary_switches() - switches_before;
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  return result;
}

nlohmann::json to_json(const burst& b) {
  auto rounds = nlohmann::json::array();
  for (const auto& times : b.rounds) {
    auto row = nlohmann::json::array();
    for (const double t : times) row.push_back(std::round(t * 100) / 100);
    rounds.push_back(std::move(row));
  }
  const build_facts build = this_build();
  return {{"arms", b.arms},
          {"build",
           {{"type", build.type},
            {"compiler", build.compiler},
            {"libc", build.libc},
            {"sanitizers", build.sanitizers}}},
          {"burst",
           {{"at", b.at},
            {"load", b.load},
            {"involuntary_switches", b.involuntary_switches},
            {"rounds", std::move(rounds)}}}};
}

}  // namespace selectors::perf
