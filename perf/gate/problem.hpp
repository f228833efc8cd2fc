#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace selectors::gate {

/// One thing that is wrong with an input. Readers collect all of them before they give up, so that a file is
/// repaired in one go.
struct problem {
  std::string file;
  std::size_t line = 0;    ///< 1-based; 0 when the place is not known
  std::size_t column = 0;  ///< 1-based, in bytes
  std::string path;        ///< JSON path, "$.limits[3].upper"
  std::string code;        ///< stable and greppable: E_TYPE, E_DUP_KEY, ...
  std::string message;     ///< what was given and what was expected
};

using problems = std::vector<problem>;

/// `FILE:LINE:COL $.path CODE message`, without the parts that are empty.
std::string to_string(const problem& p);

}  // namespace selectors::gate
