#pragma once

#include "json_document.hpp"
#include "thresholds.hpp"

namespace selectors::gate {

/// What a JSON Schema cannot say about one profile: that metrics exist and are limited once, that limits are
/// in order and neither tighter than the noise nor too wide to mean anything, that reviews are dated and
/// their evidence is there, unchanged, sound, and says what the limits say.
void check_rules(const json_document& document, const profile& p, date now, problems& out);

}  // namespace selectors::gate
