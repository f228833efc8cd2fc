// The gated measurement: rounds in which every arm runs one short batch, in shuffled order.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "harness/arm.hpp"

namespace selectors::perf {

// How many operations of `operation_ns` fill a batch of gate::batch_us: the nearest whole number, at least
// one. Throws std::invalid_argument for a time that is not positive and finite.
int batch_size(double operation_ns);

// Two arms whose quotient must be fair to a per mille (the metric table calls them twins) run batches of one
// size, so that both pay alike for the cold first operation. `batches` is in the order of `names`.
void level_twins(const std::vector<std::string>& names, std::vector<int>& batches);

class rounds {
 public:
  // Warms every arm up and measures it once. `arms`, made already, must outlive this, and are made anew every
  // gate::rounds_per_making rounds: where its objects lie in memory favours an arm by up to a per cent.
  rounds(arm_list& arms, std::uint64_t seed);

  // Thread CPU nanoseconds per operation, in the order of the arms.
  std::vector<double> next();

  const std::vector<int>& batches() const noexcept { return batches_; }

 private:
  void make_anew();

  arm_list& arms_;
  int done_ = 0;
  std::vector<int> batches_;
  std::vector<std::size_t> order_;
  std::mt19937_64 random_;
};

}  // namespace selectors::perf
