// selectors-burst: measures all arms once, in short interleaved batches, and prints the burst as JSON.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>

#include "gate/metrics.hpp"
#include "gate/protocol.hpp"
#include "harness/burst.hpp"
#include "harness/exit_codes.hpp"
#include "harness/sockets.hpp"
#include "scenarios/scenarios.hpp"

namespace {

using namespace selectors;

struct options {
  std::string arms = "*";
  std::string output;
  int rounds = gate::rounds_per_burst;
  std::uint64_t seed = std::random_device()();
};

int measure(const options& chosen) {
  const perf::socket_sets sockets(gate::sizes());
  perf::arm_list arms(chosen.arms);
  perf::add_all(arms, sockets);
  if (arms.names().empty()) {
    fmt::print(stderr,
               "selectors-burst: no arm matches \"{}\"; `selectors-lab --benchmark_list_tests` lists them\n",
               chosen.arms);
    return perf::bad_input;
  }
  arms.make_all(chosen.seed);
  const auto text = to_text(perf::run_burst(arms, chosen.rounds, chosen.seed));
  if (chosen.output.empty()) {
    std::cout << text << '\n' << std::flush;
    return std::cout ? perf::success : perf::bad_input;
  }
  std::ofstream file(chosen.output);
  file << text << '\n' << std::flush;
  if (file) return perf::success;
  fmt::print(stderr, "selectors-burst: cannot write {}; name a file in a writable folder\n", chosen.output);
  return perf::bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  options chosen;
  CLI::App app("Measures all arms once (one burst) and prints the rounds as JSON", "selectors-burst");
  app.add_option("--arms", chosen.arms, "Only arms whose name matches this glob")->capture_default_str();
  app.add_option("--output", chosen.output, "Where to write the burst (default: standard output)");
  app.add_option("--rounds", chosen.rounds, "Rounds")->check(CLI::Range(1, 100'000))->capture_default_str();
  app.add_option("--seed", chosen.seed, "Of the order of arms (default: a new one each time)");
  return perf::guarded("selectors-burst", app, [&] {
    app.parse(argc, argv);
    return measure(chosen);
  });
}
