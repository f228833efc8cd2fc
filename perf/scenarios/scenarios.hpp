// The questions that the lab asks, each in a file of its own. A new one is a file, a line here and a line in
// the build; names, backends and sizes come from the metric table (gate/metrics.hpp).
#pragma once

#include "harness/arm.hpp"
#include "harness/sockets.hpp"

namespace selectors::perf {

void add_recreate(arm_list& arms, const socket_sets& sockets);  // what does a selector per wait cost?
void add_reuse(arm_list& arms, const socket_sets& sockets);     // what does a wait on a kept selector cost?
void add_empty(arm_list& arms);                                 // what does looking at nothing cost?
void add_raw(arm_list& arms, const socket_sets& sockets);       // the same by hand, without the library
void add_control(arm_list& arms, const socket_sets& sockets);   // can the measurement be believed?

// All of the above.
void add_all(arm_list& arms, const socket_sets& sockets);

}  // namespace selectors::perf
