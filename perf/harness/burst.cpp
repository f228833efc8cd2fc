#include "harness/burst.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <exception>
#include <numeric>

#include "harness/facts.hpp"
#include "harness/rounds.hpp"

namespace selectors::perf {
namespace {

long involuntary_switches() {
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

burst run_burst(arm_list& arms, int rounds_wanted, std::uint64_t seed) {
  burst result;
  result.arms = arms.names();
  result.build = this_build();
  auto& record = result.rounds;
  record.at = iso_time_now();
  if (::getloadavg(&record.load, 1) != 1) record.load = 0;

  rounds source(arms, seed);
  std::exception_ptr failure;
  const long switches_before = involuntary_switches();
  benchmark::RegisterBenchmark(
      "burst",
      [&](benchmark::State& state) {
        try {
          for ([[maybe_unused]] auto _ : state) {
            record.rounds.push_back(source.next());
            const auto& times = record.rounds.back();
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
  record.involuntary_switches = involuntary_switches() - switches_before;
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace selectors::perf
