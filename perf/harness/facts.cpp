#include "harness/facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/process.hpp"

namespace selectors::perf {
namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

int number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string virtualization() {
  const auto detected = run_process({"systemd-detect-virt", "--vm"});
  if (const auto name = trimmed(detected.output); detected.started && !name.empty()) return name;
  if (const auto product = trimmed(contents("/sys/class/dmi/id/product_name")); !product.empty())
    return product;
  return "unknown";
}

std::vector<std::string> sanitizers() {
  std::vector<std::string> active;
#if defined(__SANITIZE_ADDRESS__)
  active.push_back("address");
#endif
#if defined(__SANITIZE_THREAD__)
  active.push_back("thread");
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  active.push_back("address");
#endif
#if __has_feature(thread_sanitizer)
  active.push_back("thread");
#endif
#if __has_feature(memory_sanitizer)
  active.push_back("memory");
#endif
#if __has_feature(undefined_behavior_sanitizer)
  active.push_back("undefined");
#endif
#endif
  return active;
}

}  // namespace

void read_cpuinfo(const std::string& text, gate::machine_facts& facts) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto name = trimmed(line.substr(0, colon));
    const auto value = trimmed(line.substr(colon + 1));
    if (name == "model name" && facts.cpu_model.empty()) facts.cpu_model = value;
    if (name == "cpu family") facts.cpu_family = number(value);
    if (name == "model") facts.cpu_model_number = number(value);
  }
}

gate::machine_facts this_machine() {
  gate::machine_facts facts;
  utsname names{};
  if (::uname(&names) == 0) {
    facts.arch = names.machine;
    facts.kernel = names.release;
  }
  read_cpuinfo(contents("/proc/cpuinfo"), facts);
  if (facts.cpu_model.empty()) facts.cpu_model = "unknown";
  facts.virtualization = virtualization();
  facts.cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  return facts;
}

gate::build_facts this_build() {
  gate::build_facts facts;
  facts.type = SELECTORS_BUILD_TYPE;
#if !defined(__OPTIMIZE__)
  facts.type += " without optimisation";
#endif
#if defined(__clang__)
  facts.compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  facts.compiler = fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  facts.libc = fmt::format("glibc {}", ::gnu_get_libc_version());
  facts.sanitizers = sanitizers();
  return facts;
}

void add_source_facts(gate::build_facts& build, const std::string& folder) {
  build.commit = "unknown";
  const auto head = run_process({"git", "-C", folder, "rev-parse", "--verify", "HEAD"});
  if (!head.succeeded()) return;
  build.commit = trimmed(head.output);
  build.dirty = !run_process({"git", "-C", folder, "status", "--porcelain"}).output.empty();
}

std::string iso_time_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace selectors::perf
