#include "gate/metrics.hpp"
#include "scenarios/library.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {

void add_reuse(arm_list& arms, const socket_sets& sockets) {
  for (const auto& b : gate::backends()) {
    for (const int n : gate::sizes()) {
      for (const auto ready : gate::ready_sets()) {
        const auto descriptors = sockets.descriptors(n, ready);
        arms.add(fmt::format("reuse/{}/{}/{}", b.name, n, ready), socket_sets::expected(descriptors, ready),
                 [=] { return kept_selector(backend_named(b.name), descriptors); });
      }
    }
  }
}

}  // namespace selectors::perf
