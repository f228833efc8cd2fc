// What the arms that use the library share.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <selectors/selector.hpp>

#include "harness/arm.hpp"

namespace selectors::perf {

inline backend backend_named(std::string_view name) {
  const backend_info* info = find_backend(name);
  if (info == nullptr) throw std::runtime_error("the library has no backend named " + std::string(name));
  return info->id;
}

// The user's part of a wait: walk the entries and use the data that travels with each.
inline found take(const selection& ready) {
  found f;
  for (const event& e : ready) {
    ++f.ready;
    f.sum += e.data.value();
  }
  return f;
}

inline void register_all(selector& s, std::span<const int> descriptors) {
  for (const int fd : descriptors) s.register_fd(fd, interest::read, static_cast<std::uintptr_t>(fd));
}

// A selector that is kept. Registered descriptors carry their number as data.
class kept_selector {
 public:
  kept_selector(backend b, std::span<const int> descriptors) : selector_(b) {
    register_all(selector_, descriptors);
    // What chooses by experience has had it: a batch is measured out for one regime.
    if (b == backend::adaptive)
      for (int i = 0; i < waits_to_settle; ++i) (*this)();
  }
  found operator()() { return take(selector_.select(timeout::zero)); }

 private:
  static constexpr int waits_to_settle = 200;
  selector selector_;
};

}  // namespace selectors::perf
