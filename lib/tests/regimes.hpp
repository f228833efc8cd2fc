// For tests that hold the adaptive backend in one regime after another.
#pragma once

#include <adaptive_backend.hpp>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "descriptors.hpp"

namespace selectors::tests {

inline constexpr std::array all_regimes = {regime::polling, regime::mixed, regime::watching};

inline std::string name_of(regime r) {
  return r == regime::polling ? "polling" : r == regime::mixed ? "mixed" : "watching";
}

// Their readers' numbers are odd and even by turns, so that the mixed regime has both kinds.
inline std::vector<pipe_ends> odd_and_even_pipes(std::size_t count) {
  constexpr int lowest = 60;
  std::vector<pipe_ends> pipes = make_pipes(count);
  for (std::size_t i = 0; i < count; ++i)
    pipes[i].reader = duplicate(pipes[i].reader, lowest + static_cast<int>(i));
  return pipes;
}

// Free again at the end of the scope.
class held_regime {
 public:
  explicit held_regime(regime r) noexcept { hold(r); }
  held_regime(const held_regime&) = delete;
  held_regime& operator=(const held_regime&) = delete;
  ~held_regime() { forced_regime.reset(); }

  void hold(regime r) noexcept { forced_regime = r; }
};

}  // namespace selectors::tests
