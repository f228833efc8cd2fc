// What the arms of the regret lab share.
#pragma once

#include <memory>
#include <utility>

#include "harness/stopwatch.hpp"
#include "harness/wires.hpp"
#include "scenarios/library.hpp"
#include "scenarios/raw_calls.hpp"
#include "scenarios/regret.hpp"

namespace selectors::perf {

inline void expect(const found& got, const found& wanted) {
  if (got == wanted) [[likely]]
    return;
  throw broken_measurement(fmt::format("found {} ready (sum {}), expected {} (sum {})", got.ready, got.sum,
                                       wanted.ready, wanted.sum));
}

// What poll(2) by hand finds there.
inline found found_by_hand(std::span<const int> descriptors) {
  std::vector<pollfd> set;
  raw::fill(set, descriptors);
  return raw::wait(set);
}

// A contestant whose operations are timed all together. `Operation` returns `found`.
template <class Operation>
class timed_batch final : public contestant {
 public:
  timed_batch(found wanted, Operation operation) : wanted_(wanted), operation_(std::move(operation)) {}

  double run(int operations) override {
    stopwatch watch;
    watch.start();
    for (int i = 0; i < operations; ++i) expect(operation_(), wanted_);
    watch.stop();
    return watch.elapsed_ns();
  }

 private:
  found wanted_;
  Operation operation_;
};

template <class Operation>
std::unique_ptr<contestant> in_batches(found wanted, Operation operation) {
  return std::make_unique<timed_batch<Operation>>(wanted, std::move(operation));
}

// Sockets of which some are ready and stay so, for all contestants of a cell: nothing is written while they run.
struct still_scene {
  still_scene(int n, int ready) : sockets(n) {
    sockets.set_spread_ready(ready);
    wanted = found_by_hand(sockets.read_ends());
  }

  wires sockets;
  found wanted;
};

inline bool can_take_part(backend b, const wires& sockets) {
  return b != backend::select || (sockets.size() <= largest_for_select && sockets.fit_select());
}

}  // namespace selectors::perf
