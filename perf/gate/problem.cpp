#include "problem.hpp"

#include <fmt/format.h>

namespace selectors::gate {

std::string to_string(const problem& p) {
  std::string out = p.file;
  if (p.line != 0) out += fmt::format(":{}:{}", p.line, p.column);
  if (!p.path.empty()) out += " " + p.path;
  return out + " " + p.code + " " + p.message;
}

}  // namespace selectors::gate
