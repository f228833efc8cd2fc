#include "harness/tools.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gate/file_io.hpp"
#include "gate/json_facts.hpp"

namespace selectors::perf {
namespace {

using namespace std::chrono_literals;

// A burst takes about half a second; a minute means that it hangs.
constexpr auto burst_timeout = 60s;
constexpr std::size_t max_counts_bytes = 1 << 20;

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "(it said nothing)";
  const auto before = text.rfind('\n', end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end - begin + 1);
}

std::vector<gate::counted> parse_counts(const std::string& text, const std::string& source) {
  try {
    return gate::counts_from(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(
        fmt::format("{}: expected counts as selectors-counts prints them: {}", source, e.what()));
  }
}

}  // namespace

std::filesystem::path tool(const std::string& name) {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (!std::filesystem::exists(path))
    throw std::runtime_error(
        fmt::format("{} is not there; build it: cmake --build --preset perf", path.string()));
  return path;
}

std::string output_of(const std::vector<std::string>& command, std::chrono::milliseconds at_most) {
  auto result = run_process(command, at_most);
  if (result.succeeded() || result.interrupted) return std::move(result.output);
  const auto what = result.started ? last_line(result.errors) : "no such program";
  if (result.exit_code == 3) throw broken_measurement(what);
  if (result.timed_out)
    throw std::runtime_error(fmt::format("{} did not end within {} s", command[0], at_most / 1s));
  throw std::runtime_error(fmt::format(
      "{} ended with {}: {}", std::filesystem::path(command[0]).filename().string(), result.exit_code, what));
}

burst fresh_burst(const std::string& arms) {
  const auto text = output_of({tool("selectors-burst"), "--arms", arms}, burst_timeout);
  return interruption::requested() ? burst{} : parse_burst(text);
}

std::vector<gate::counted> count_operations() {
  const auto text = output_of({tool("selectors-counts")}, burst_timeout);
  if (interruption::requested()) return {};
  return parse_counts(text, "selectors-counts");
}

std::vector<gate::counted> read_counts(const std::filesystem::path& file) {
  gate::problems problems;
  const auto text = gate::read_file(file, max_counts_bytes, problems);
  if (!text) throw std::runtime_error(to_string(problems.front()));
  return parse_counts(*text, file.string());
}

std::string to_text(const std::vector<gate::counted>& counts) {
  std::string text;
  std::string current;
  for (const auto& c : counts) {
    const auto slash = c.metric.rfind('/');
    const auto group = c.metric.substr(0, slash);
    if (group != current) text += fmt::format("{}{:<32}", text.empty() ? "" : "\n", group);
    current = group;
    text += fmt::format("{:>5}: {:<7}", c.metric.substr(slash + 1), c.value);
  }
  return text + "\n";
}

}  // namespace selectors::perf
