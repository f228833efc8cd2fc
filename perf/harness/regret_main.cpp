// selectors-regret: what the adaptive backend loses to the best fixed one, cell by cell.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <random>

#include "gate/file_io.hpp"
#include "gate/json_facts.hpp"
#include "harness/exit_codes.hpp"
#include "harness/facts.hpp"
#include "harness/process.hpp"
#include "harness/progress_line.hpp"
#include "harness/regret_picture.hpp"
#include "harness/regret_report.hpp"
#include "harness/wires.hpp"

namespace {

using namespace selectors;
using namespace selectors::perf;

constexpr int outside_limits = 1;
constexpr int fewest_rounds = 5;

struct options {
  std::vector<std::string> arms;
  int rounds = 21;
  bool quick = false;
  std::filesystem::path report = "build/report";
  std::uint64_t seed = std::random_device()();
  bool only_list = false;
};

// The rounds themselves are the result, and the table is printed when all are done.
class silent_reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

std::string benchmark_name(const regret_cell& cell) {
  auto name = cell.arm + "/" + cell.name();
  std::replace(name.begin(), name.end(), ' ', '/');
  return name;
}

class lab {
 public:
  explicit lab(const options& chosen) : options_(chosen), cells_(regret_cells(chosen.quick)) {
    leave_out_what_does_not_fit();
    const auto& arms = chosen.arms;
    if (!arms.empty())
      std::erase_if(cells_, [&](const regret_cell& cell) {
        return std::find(arms.begin(), arms.end(), cell.arm) == arms.end();
      });
    for (const auto& cell : cells_) {
      benchmark::RegisterBenchmark(benchmark_name(cell).c_str(),
                                   [this, &cell](benchmark::State& state) { measure_guarded(state, cell); })
          ->Iterations(rounds_of(cell))
          ->UseManualTime();
    }
  }

  std::size_t cells() const noexcept { return cells_.size(); }

  std::vector<measured_cell> run() {
    if (options_.only_list) {
      benchmark::RunSpecifiedBenchmarks();
      return {};
    }
    silent_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    if (failure_) std::rethrow_exception(failure_);
    return std::move(measured_);
  }

 private:
  // A table without the largest sizes is better than none.
  void leave_out_what_does_not_fit() {
    int largest = 0;
    for (const int n : grid_sizes) {
      if (can_have_pairs(static_cast<std::size_t>(n))) largest = n;
    }
    if (std::erase_if(cells_, [&](const regret_cell& cell) { return cell.n > largest; }) != 0)
      fmt::print("left out: more than {} descriptors; to have them: ulimit -Hn 20000\n", largest);
  }

  int rounds_of(const regret_cell& cell) const {
    return std::max(options_.rounds / cell.rounds_divisor, std::min(fewest_rounds, options_.rounds));
  }

  void measure_guarded(benchmark::State& state, const regret_cell& cell) {
    // After a failure or an interruption the rest passes by.
    if (!failure_ && !interruption::requested()) {
      try {
        return measure(state, cell);
      } catch (const broken_measurement& e) {
        failure_ = std::make_exception_ptr(broken_measurement(benchmark_name(cell) + ": " + e.what()));
      } catch (const std::exception& e) {
        failure_ = std::make_exception_ptr(std::runtime_error(benchmark_name(cell) + ": " + e.what()));
      }
    }
    state.SkipWithError("not measured");
  }

  void measure(benchmark::State& state, const regret_cell& cell) {
    show_progress(cell, "");
    cell_times times;
    {
      contest first(cell, options_.seed + measured_.size());
      for ([[maybe_unused]] auto _ : state) state.SetIterationTime(first.round());
      times = first.times();
    }
    // Among hundreds of cells some are beyond their limit by chance: those are measured again, afresh, and all rounds
    // count.
    for (int again = 1; again <= 2 && regret_of(times).regret > find_regret_arm(cell.arm)->worst_limit;
         ++again) {
      show_progress(cell, " (again)");
      contest more(cell, options_.seed - measured_.size() - static_cast<std::size_t>(again));
      for (int r = 0; r < rounds_of(cell); ++r) more.round();
      append(times, more.times());
    }
    measured_.push_back(summary_of(cell, times));
    for (const auto& [id, ns] : measured_.back().median_ns)
      state.counters[std::string(find_backend(id)->name) + "_ns"] = ns;
    state.counters["regret"] = measured_.back().result.regret;
  }

  void show_progress(const regret_cell& cell, const char* remark) {
    using namespace std::chrono;
    line_.show(fmt::format("cell {} of {}, {} s: {} {}{}", measured_.size() + 1, cells_.size(),
                           duration_cast<seconds>(steady_clock::now() - begun_).count(), cell.arm,
                           cell.name(), remark));
  }

  const options& options_;
  std::vector<regret_cell> cells_;
  std::vector<measured_cell> measured_;
  std::exception_ptr failure_;
  progress_line line_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

regret_report measured_report(const options& chosen) {
  regret_report report;
  report.at = iso_time_now();
  report.machine = this_machine();
  report.build = this_build();
  report.build.binary_sha256 = "unknown";
  add_source_facts(report.build, SELECTORS_SOURCE_DIR);
  lab all(chosen);
  report.cells = all.run();
  report.whole_grid = !chosen.quick && report.cells.size() == regret_cells(false).size();
  return report;
}

void write_files(const regret_report& report, const std::filesystem::path& folder) {
  const auto why_not = draw_regret(report, folder / "regret.svg");
  gate::write_file_atomically(folder / "regret.json", gate::dump_by_line(to_json(report)));
  gate::write_file_atomically(folder / "regret.md", to_markdown(report, why_not.empty()));
  fmt::print("{}/regret.{{md,json{}}}\n", folder.string(), why_not.empty() ? ",svg" : "");
  if (!why_not.empty()) fmt::print("no picture: {}\n", why_not);
}

int measure_and_report(const options& chosen) {
  const interruption guard;
  // Nobody shall take an older result for this one's.
  if (!chosen.only_list)
    for (const auto* file : {"regret.json", "regret.md", "regret.svg"})
      std::filesystem::remove(chosen.report / file);
  const auto report = measured_report(chosen);
  if (chosen.only_list) return success;
  if (interruption::requested())
    throw std::runtime_error(
        fmt::format("interrupted after {} cells; nothing was written, run it again", report.cells.size()));
  if (report.cells.empty())
    throw std::runtime_error("nothing was measured; --benchmark_list_tests lists the cells");
  fmt::print("{}", to_text(report));
  write_files(report, chosen.report);
  return all_ok(report) ? success : outside_limits;
}

std::vector<std::string> arm_names() {
  std::vector<std::string> names;
  for (const auto& arm : regret_arms()) names.emplace_back(arm.name);
  return names;
}

void add_options(CLI::App& app, options& chosen) {
  app.add_option("--arms", chosen.arms, "Only these, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(arm_names()));
  app.add_option("--rounds", chosen.rounds, "Rounds of each cell")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_flag("--quick", chosen.quick, "8, 32 and 128 descriptors and one variant of each arm");
  app.add_option("--report", chosen.report, "Folder for regret.json, regret.md and regret.svg")
      ->capture_default_str();
  app.add_option("--seed", chosen.seed, "Of the order within rounds (default: a new one each time)");
  app.footer(
      "Each cell is a Google Benchmark benchmark: --benchmark_filter=REGEX, --benchmark_list_tests and\n"
      "--benchmark_out=FILE work. Exit codes: 0 within the limits, 1 beyond one, 2 bad input, 3 broken.");
}

}  // namespace

int main(int argc, char** argv) {
  options chosen;
  for (int i = 1; i < argc; ++i)
    chosen.only_list = chosen.only_list || std::string_view(argv[i]).starts_with("--benchmark_list_tests");
  benchmark::Initialize(&argc, argv);
  CLI::App app("Measures what the adaptive backend loses to the best fixed one", "selectors-regret");
  add_options(app, chosen);
  return guarded("selectors-regret", app, [&] {
    app.parse(argc, argv);
    return measure_and_report(chosen);
  });
}
