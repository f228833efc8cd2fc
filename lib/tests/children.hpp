// Tests that need a process of their own.
#pragma once

#include <functional>
#include <string>

namespace selectors::tests {

// Runs `body` in a forked child and returns what it returned: nothing when all is well, else what is wrong. A
// crash, an exception and 20 seconds without an end are wrong too. GoogleTest assertions do not work inside.
std::string in_child(const std::function<std::string()>& body);

// "" when `fine`.
std::string wrong_unless(bool fine, const std::string& what);

}  // namespace selectors::tests
