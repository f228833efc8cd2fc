#include "contract.hpp"

#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace selectors::conformance {

namespace {

[[noreturn]] void reject(int line, const std::string& why) {
  throw std::invalid_argument("CONTRACT.md:" + std::to_string(line) + ": " + why);
}

promise parse_row(const std::string& row, int line) {
  static const std::regex shape(
      R"(\| ([A-Z]{3}-\d\d) \| (must|should|info)( \(Linux\))? \| ([^|]+) \| ([^|]+) \|)");
  std::smatch cells;
  if (!std::regex_match(row, cells, shape)) {
    reject(line, "expected | id | must, should or info | sentence | source |, found " + row);
  }
  return {cells[1], cells[2], cells[3].matched, cells[4], cells[5]};
}

}  // namespace

std::vector<promise> parse_contract(std::string_view markdown) {
  static const std::regex looks_like_row(R"(\|\s*[A-Z]{2,}-\d+.*)");
  std::vector<promise> promises;
  std::set<std::string> seen;
  std::istringstream text{std::string(markdown)};
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (!std::regex_match(line, looks_like_row)) continue;
    promise p = parse_row(line, number);
    if (!seen.insert(p.id).second) reject(number, p.id + " is there twice");
    promises.push_back(std::move(p));
  }
  return promises;
}

const std::vector<promise>& contract() {
  static const std::vector<promise> promises = parse_contract(contract_text());
  return promises;
}

}  // namespace selectors::conformance
