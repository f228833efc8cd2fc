#include "gate/metrics.hpp"
#include "scenarios/library.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {

void add_recreate(arm_list& arms, const socket_sets& sockets) {
  for (const auto& b : gate::backends()) {
    for (const int n : gate::sizes()) {
      const auto descriptors = sockets.descriptors(n, "all");
      arms.add(fmt::format("recreate/{}/{}", b.name, n), socket_sets::expected(descriptors, "all"), [=] {
        return [id = backend_named(b.name), descriptors] {
          selector s(id);
          register_all(s, descriptors);
          return take(s.select(timeout::zero));
        };
      });
    }
  }
}

}  // namespace selectors::perf
