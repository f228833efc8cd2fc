#include "gate/metrics.hpp"
#include "scenarios/library.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {

void add_empty(arm_list& arms) {
  for (const auto& b : gate::backends()) {
    arms.add(fmt::format("empty/{}", b.name), found{},
             [=] { return kept_selector(backend_named(b.name), {}); });
  }
}

}  // namespace selectors::perf
