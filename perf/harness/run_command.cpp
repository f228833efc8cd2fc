#include "harness/run_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <random>

#include "gate/estimate.hpp"
#include "gate/file_io.hpp"
#include "gate/judge.hpp"
#include "gate/report.hpp"
#include "gate/sha256.hpp"
#include "gate/thresholds.hpp"
#include "harness/exit_codes.hpp"
#include "harness/facts.hpp"
#include "harness/progress_line.hpp"
#include "harness/tools.hpp"

namespace selectors::perf {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::size_t max_binary_bytes = std::size_t{256} << 20;

// Uneven spaces fall into step with nothing that is periodic on the machine.
std::chrono::milliseconds space_between_bursts() {
  static std::mt19937 random(std::random_device{}());
  return std::chrono::milliseconds(std::uniform_int_distribution(120, 220)(random));
}

// Input that cannot be used, each mistake named.
struct bad_files {
  gate::problems problems;
};

gate::threshold_set limits_of(const run_options& options) {
  if (options.bursts) return {};
  gate::problems problems;
  auto limits = gate::load_thresholds(options.thresholds, gate::today(), problems);
  if (!problems.empty()) throw bad_files{std::move(problems)};
  return limits;
}

std::string checksum(const std::filesystem::path& binary) {
  gate::problems problems;
  const auto bytes = gate::read_file(binary, max_binary_bytes, problems);
  if (!bytes) throw std::runtime_error(to_string(problems.front()));
  return gate::sha256_hex(*bytes);
}

void append(gate::measurement& m, burst b) {
  if (m.bursts.empty()) {
    const auto source = m.build;
    m.arms = b.arms;
    m.build = b.build;
    m.build.commit = source.commit;
    m.build.dirty = source.dirty;
    m.build.binary_sha256 = source.binary_sha256;
  } else if (b.arms != m.arms) {
    throw broken_measurement("selectors-burst was replaced while it was being run");
  }
  m.bursts.push_back(std::move(b.rounds));
}

// What the judge says about the bursts so far; until the first look, and without limits, nothing.
class question {
 public:
  explicit question(const run_options& options) : options_(options), limits_(limits_of(options)) {}

  bool answered_by(const gate::measurement& m) const {
    const int count = static_cast<int>(m.bursts.size());
    if (options_.bursts) return count >= *options_.bursts;
    if (count >= options_.cap) return true;
    return count > 0 && gate::next_look(count - 1) == count && !gate::needs_more(gate::judge(m, limits_));
  }

  std::string progress(int count) const {
    if (options_.bursts) return fmt::format("burst {} of {}", count + 1, *options_.bursts);
    return fmt::format("burst {}, next look at {}, at most {}", count + 1,
                       std::min(gate::next_look(count).value_or(options_.cap), options_.cap), options_.cap);
  }

 private:
  const run_options& options_;
  gate::threshold_set limits_;
};

gate::measurement described(const run_options& options) {
  gate::measurement m;
  m.machine = this_machine();
  add_source_facts(m.build, SELECTORS_SOURCE_DIR);
  m.build.binary_sha256 = checksum(tool("selectors-burst"));
  m.counts = options.counts.empty() ? count_operations() : read_counts(options.counts);
  return m;
}

void add_bursts(gate::measurement& m, const question& asked, const run_options& options) {
  const auto begin = clock::now();
  progress_line line;
  while (!asked.answered_by(m)) {
    line.show(fmt::format("{}, {} s", asked.progress(static_cast<int>(m.bursts.size())),
                          (clock::now() - begin) / 1s));
    if (!m.bursts.empty()) pause_for(space_between_bursts());
    auto next = interruption::requested() ? burst{} : fresh_burst(options.arms);
    m.interrupted = interruption::requested();
    if (m.interrupted) return;
    append(m, std::move(next));
  }
}

std::string what_was_kept(const gate::measurement& m, const std::filesystem::path& output) {
  if (m.bursts.empty()) return "interrupted before the first burst ended; nothing kept, run it again";
  return fmt::format("interrupted; kept {} burst(s) of {} arms in {}; run it again for a verdict",
                     m.bursts.size(), m.arms.size(), output.string());
}

void measure(const run_options& options) {
  const auto begin = clock::now();
  const interruption guard;
  const question asked(options);
  auto m = described(options);
  add_bursts(m, asked, options);
  if (!m.bursts.empty()) gate::write_measurement(m, options.output);
  if (m.interrupted) throw std::runtime_error(what_was_kept(m, options.output));
  fmt::print("measured {} bursts of {} arms in {} s: {}\n", m.bursts.size(), m.arms.size(),
             (clock::now() - begin) / 1s, options.output.string());
}

// Every script reads the verdict file, and there must be one also when the gate never came to judge.
int failed(const run_options& options, gate::exit_code code, const gate::problems& wrong) {
  for (const auto& p : wrong) fmt::print(stderr, "selectors-perf: {}\n", to_string(p));
  auto v = gate::unreadable(wrong);
  v.code = code;
  if (!options.report.empty()) gate::write_reports(options.report, v, wrong);
  return static_cast<int>(code);
}

gate::problems one_problem(const char* code, const char* message) {
  return {{.file = {}, .path = {}, .code = code, .message = message}};
}

}  // namespace

int run_command(const run_options& options) {
  try {
    std::filesystem::remove(options.output);
    measure(options);
    return success;
  } catch (const bad_files& e) {
    return failed(options, gate::exit_code::bad_input, e.problems);
  } catch (const broken_measurement& e) {
    return failed(options, gate::exit_code::broken, one_problem("R_ARM", e.what()));
  } catch (const std::exception& e) {
    return failed(options, gate::exit_code::bad_input, one_problem("E_RUN", e.what()));
  }
}

}  // namespace selectors::perf
