// Every verb of a selector with its two faces, as data: for what holds of all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <selectors/selector.hpp>

namespace selectors::tests {

struct verb {
  const char* name;
  std::function<void(selector&)> throwing;
  std::function<void(selector&, std::error_code&)> reporting;
  bool forked_works = false;  // it is the one verb for a forked child
};

// With arguments that are right for a selector that has `fd` registered.
std::vector<verb> every_verb(int fd);

// "" when both faces fail with `expected`, and the throwing one names the verb; else what they did.
std::string unlike(const verb& v, selector& s, std::error_code expected);

}  // namespace selectors::tests
