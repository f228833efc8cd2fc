// selectors-perf: the driver of the lab. It measures; selectors-gate judges.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "gate/file_io.hpp"
#include "gate/json_facts.hpp"
#include "harness/exit_codes.hpp"
#include "harness/lead_table_command.hpp"
#include "harness/run_command.hpp"
#include "harness/tools.hpp"

namespace {

using namespace selectors::perf;

CLI::App* add_run(CLI::App& app, run_options& options, int& bursts) {
  auto* const run = app.add_subcommand("run", "Measure in bursts until every metric is decided");
  run->add_option("--arms", options.arms, "Only arms whose name matches this glob, e.g. !(empty/*)")
      ->envname("SELECTORS_PERF_ARMS")
      ->capture_default_str();
  run->add_option("--bursts", bursts, "Exactly so many, undecided or not (for proposals)")
      ->check(CLI::Range(1, 10'000));
  run->add_option("--cap", options.cap, "At most so many")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  run->add_option("--output", options.output, "The measurement")->capture_default_str();
  run->add_option("--counts", options.counts, "Counts made before (default: count now)");
  run->add_option("--thresholds", options.thresholds, "Folder of limits to decide by")->capture_default_str();
  run->add_option("--report", options.report, "Folder for the verdict of a run that fails");
  return run;
}

CLI::App* add_counts(CLI::App& app, std::filesystem::path& output) {
  auto* const counts = app.add_subcommand("counts", "Count system calls and allocations per operation");
  counts->add_option("--output", output, "Where to write them as JSON");
  return counts;
}

CLI::App* add_lead_table(CLI::App& app, lead_table_options& options) {
  auto* const lead =
      app.add_subcommand("lead-table", "Print the published table, measuring what is not given");
  lead->add_option("--lab", options.lab, "Output of selectors-lab --benchmark_format=json");
  lead->add_option("--python", options.python, "Output of perf/scenarios/python_lab.py");
  lead->add_option("--python-command", options.python_command, "The Python to run")->capture_default_str();
  lead->add_option("--report", options.report, "Folder for summary.json and summary.txt")
      ->capture_default_str();
  return lead;
}

int counts_command(const std::filesystem::path& output) {
  const auto counts = count_operations();
  fmt::print("{}", to_text(counts));
  if (!output.empty())
    selectors::gate::write_file_atomically(output, selectors::gate::to_json(counts).dump(1) + "\n");
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The lab of the selector library: measures for selectors-gate, and prints the published table",
               "selectors-perf");
  app.require_subcommand(1);
  run_options run_chosen;
  int bursts = 0;
  std::filesystem::path counts_output;
  lead_table_options lead_chosen;
  auto* const run = add_run(app, run_chosen, bursts);
  auto* const counts = add_counts(app, counts_output);
  add_lead_table(app, lead_chosen);
  return guarded("selectors-perf", app, [&] {
    app.parse(argc, argv);
    if (bursts > 0) run_chosen.bursts = bursts;
    if (run->parsed()) return run_command(run_chosen);
    if (counts->parsed()) return counts_command(counts_output);
    return lead_table_command(lead_chosen);
  });
}
