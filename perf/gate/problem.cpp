#include "problem.hpp"

#include <fmt/format.h>

namespace selectors::gate {

std::string to_string(const problem& p) {
  std::string out = p.file;
  if (p.line != 0) out += fmt::format(":{}:{}", p.line, p.column);
  for (const auto& part : {p.path, p.code, p.message}) {
    if (!part.empty()) out += (out.empty() ? "" : " ") + part;
  }
  return out;
}

}  // namespace selectors::gate
