#include "harness/lead_table_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gate/file_io.hpp"
#include "gate/json_facts.hpp"
#include "harness/exit_codes.hpp"
#include "harness/facts.hpp"
#include "harness/lead_table.hpp"
#include "harness/tools.hpp"

namespace selectors::perf {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr std::size_t max_bytes = std::size_t{64} << 20;
constexpr auto lab_timeout = 10min;
const std::filesystem::path scenarios = std::filesystem::path(SELECTORS_SOURCE_DIR) / "perf" / "scenarios";

json parse(const std::string& text, const std::string& source) {
  try {
    return json::parse(text);
  } catch (const json::exception& e) {
    throw std::runtime_error(fmt::format("{}: expected JSON: {}", source, e.what()));
  }
}

json read(const std::filesystem::path& file) {
  gate::problems problems;
  const auto text = gate::read_file(file, max_bytes, problems);
  if (!text) throw std::runtime_error(to_string(problems.front()));
  return parse(*text, file.string());
}

json lab_result(const lead_table_options& options) {
  if (!options.lab.empty()) return read(options.lab);
  return parse(output_of({tool("selectors-lab"), "--benchmark_format=json"}, lab_timeout), "selectors-lab");
}

// The reason instead of a result when this machine has no such Python: a column of dashes, not an error.
json python_result(const lead_table_options& options, std::string& missing) {
  if (!options.python.empty()) return read(options.python);
  if (!run_process({options.python_command, "--version"}).succeeded()) {
    missing = fmt::format("no {} on this machine", options.python_command);
    return {};
  }
  return parse(output_of({options.python_command, scenarios / "python_lab.py"}, lab_timeout),
               "python_lab.py");
}

template <class Convert>
auto converted(const json& file, const char* what, Convert convert) {
  try {
    return convert(file);
  } catch (const json::exception& e) {
    throw std::runtime_error(fmt::format("{}: not in the expected form: {}", what, e.what()));
  }
}

std::string heading(const json& seed, const json& python, const std::string& missing) {
  std::string text = "Operations per second, p50 of 7 x 2000; timeout 0, a ready byte in each socket\n";
  text += fmt::format("seed:    {}\n", seed.value("source", "unknown"));
  text += missing.empty() ? fmt::format("Python:  {}, {}, this machine\n", python.value("python", "unknown"),
                                        python.value("backend", "unknown"))
                          : fmt::format("Python:  {}\n", missing);
  const auto build = this_build();
  return text + fmt::format("library: {}, {}, {}, this machine\n\n", build.type, build.compiler, build.libc);
}

json summary(const json& seed, const json& python, const std::string& missing, const json& lab,
             const lead_table& table) {
  auto build = this_build();
  add_source_facts(build, SELECTORS_SOURCE_DIR);
  json p50 = json::object();
  for (const auto& [arm, rate] : rates_of_lab(lab))
    p50[arm] = {{"ops_per_second", rate}, {"p50_ns", 1e9 / rate}};
  return {{"schema", "selectors-perf-summary"},
          {"schema_version", 1},
          {"at", iso_time_now()},
          {"machine", gate::to_json(this_machine())},
          {"build", gate::to_json(build)},
          {"protocol", {{"iterations", 2000}, {"repetitions", 7}, {"timeout", 0}, {"statistic", "p50"}}},
          {"seed", seed},
          {"python", missing.empty() ? python : json({{"missing", missing}})},
          {"library", std::move(p50)},
          {"table", to_json(table)}};
}

}  // namespace

int lead_table_command(const lead_table_options& options) {
  const auto seed = read(scenarios / "seed.json");
  std::string missing;
  const auto python = python_result(options, missing);
  const auto lab = lab_result(options);

  std::optional<rates> python_rates;
  if (missing.empty()) python_rates = converted(python, "the Python lab's file", rates_of_python);
  const auto table = make_lead_table(converted(seed, "seed.json", rates_of_seed), python_rates,
                                     converted(lab, "the lab's file", rates_of_lab));
  const auto text = heading(seed, python, missing) + to_text(table);
  fmt::print("{}", text);
  gate::write_file_atomically(options.report / "summary.txt", text);
  gate::write_file_atomically(options.report / "summary.json",
                              summary(seed, python, missing, lab, table).dump(1) + "\n");
  return success;
}

}  // namespace selectors::perf
