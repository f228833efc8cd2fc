#include "support.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace selectors::gate::testing {

temporary_folder::temporary_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "selectors-gate-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path sources() {
  return GATE_TESTS_DIR;
}

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void spill(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the text has no " + from);
  return text.replace(at, from.size(), to);
}

void copy_good(const std::filesystem::path& folder) {
  std::filesystem::copy(sources() / "good", folder, std::filesystem::copy_options::recursive);
}

date test_day() {
  return *parse_date("2026-11-30");
}

bool has_code(const problems& found, const std::string& code) {
  return std::any_of(found.begin(), found.end(), [&](const problem& p) { return p.code == code; });
}

std::string joined(const problems& found) {
  std::string out;
  for (const auto& p : found) out += to_string(p) + "\n";
  return out;
}

finished run_program(const std::vector<std::string>& arguments, const std::string& environment) {
  std::string command = environment + " '" GATE_PROGRAM "'";
  for (const auto& a : arguments) command += " '" + a + "'";
  finished out{-1, {}};
  auto* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> chunk{};
  while (const auto got = std::fread(chunk.data(), 1, chunk.size(), pipe))
    out.output.append(chunk.data(), got);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
  return out;
}

void expect_approved(const std::string& name, const std::string& text) {
  const auto file = sources() / "approved" / name;
  if (std::getenv("SELECTORS_BLESS") != nullptr) {
    spill(file, text);
    return;
  }
  EXPECT_EQ(slurp(file), text) << "differs from " << file
                               << "; if that is meant: SELECTORS_BLESS=1 ctest --preset dev -R Approved";
}

}  // namespace selectors::gate::testing
