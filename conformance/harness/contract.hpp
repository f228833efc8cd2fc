// CONTRACT.md, read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace selectors::conformance {

struct promise {
  std::string id;     // "REG-05"
  std::string level;  // "must", "should", "info"
  bool linux_only = false;
  std::string sentence;
  std::string source;
};

// The rows of the tables of `markdown`. Throws std::invalid_argument that names the line for a row that does not have
// four cells, an unknown level or an id that was there before.
std::vector<promise> parse_contract(std::string_view markdown);

// The contract of this build, which is compiled in.
const std::vector<promise>& contract();
std::string_view contract_text();

}  // namespace selectors::conformance
