#include "contract.hpp"

#include <set>
#include <sstream>
#include <stdexcept>

namespace selectors::conformance {

namespace {

[[noreturn]] void reject(int line, const std::string& why) {
  throw std::invalid_argument("CONTRACT.md:" + std::to_string(line) + ": " + why);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// What stands between the bars of "| a | b |"; empty for a line that is no row.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with('|')) return cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

bool is_letter(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// "REG-05". What only resembles it is a mistake in the contract, what does not is another table.
bool is_id(const std::string& text) noexcept {
  return text.size() == 6 && is_letter(text[0]) && is_letter(text[1]) && is_letter(text[2]) &&
         text[3] == '-' && is_digit(text[4]) && is_digit(text[5]);
}
bool resembles_id(const std::string& text) noexcept {
  const std::size_t dash = text.find('-');
  return dash != std::string::npos && dash > 0 && is_letter(text[0]) && is_digit(text.back());
}

promise promise_of(const std::vector<std::string>& cells, int line) {
  constexpr std::string_view linux_mark = " (Linux)";
  promise p{cells[0], cells.size() > 1 ? cells[1] : "", false, {}, {}};
  if (p.level.ends_with(linux_mark)) {
    p.linux_only = true;
    p.level.resize(p.level.size() - linux_mark.size());
  }
  const bool known_level = p.level == "must" || p.level == "should" || p.level == "info";
  if (cells.size() != 4 || !is_id(p.id) || !known_level || cells[2].empty() || cells[3].empty()) {
    reject(line, "expected | ABC-01 | must, should or info | sentence | source |, found a row of " +
                     std::to_string(cells.size()) + " cells for " + p.id + " with level \"" + p.level + '"');
  }
  p.sentence = cells[2];
  p.source = cells[3];
  return p;
}

}  // namespace

std::vector<promise> parse_contract(std::string_view markdown) {
  std::vector<promise> promises;
  std::set<std::string> seen;
  std::istringstream text{std::string(markdown)};
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty() || !resembles_id(cells[0])) continue;
    promise p = promise_of(cells, number);
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
