// The seam by which tests hold the adaptive backend in one regime.
#pragma once

#include <optional>

#include "cost_model.hpp"

namespace selectors {

// Of every adaptive selector of the process, from its next wait on. In the mixed regime every other number is watched.
extern std::optional<regime> forced_regime;

}  // namespace selectors
