// Regret: what the adaptive backend takes over what the best fixed one takes at the same work.
//
// Two backends are compared only within a round: every backend runs one short batch, in an order drawn by lot, and the
// round's quotient is what counts. The best fixed backend of a cell is the one with the lowest median over all its
// rounds - never the fastest of each round, which would be the luckiest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <selectors/backends.hpp>

#include "harness/arm.hpp"

namespace selectors::perf {

// One backend at the work of a cell.
class contestant {
 public:
  virtual ~contestant() = default;
  contestant(const contestant&) = delete;
  contestant& operator=(const contestant&) = delete;

  // Thread CPU nanoseconds of what counts in so many operations. Throws broken_measurement when the work did not find
  // what it should.
  virtual double run(int operations) = 0;

 protected:
  contestant() = default;
};

// Makes the contestants of a cell, which share what they work on; null for a backend that cannot do this work.
using contestant_maker = std::function<std::unique_ptr<contestant>(backend)>;

struct regret_cell {
  std::string arm;
  int n = 0;           // descriptors
  std::string ready;   // "0", "1", "10%", "50%", "all", or whatever else stands for the kind of readiness
  std::string detail;  // tells cells of one arm, n and readiness apart; may be empty
  std::function<contestant_maker()> set_up;

  // Before measuring: operations until the regimes have settled, at most 300, at least so many.
  int least_warm_up = 40;
  int rounds_divisor = 1;  // one operation is many waits already

  std::string name() const;  // "n=8 ready=50% W=4"
};

// Nanoseconds per operation.
struct backend_times {
  backend id;
  std::vector<double> rounds;
};
using cell_times = std::vector<backend_times>;  // the adaptive backend first

struct regret_result {
  double regret = 0;
  backend best = backend::poll;
};

// The median over rounds of the quotient. Throws std::invalid_argument without a fixed backend or without rounds.
regret_result regret_of(const cell_times& times);

// The rounds of one cell.
class contest {
 public:
  // Makes the contestants, in an order drawn by lot - where things lie in memory should favour nobody - and warms
  // them up.
  contest(const regret_cell& cell, std::uint64_t seed);

  // Returns the seconds that it measured.
  double round();

  const cell_times& times() const noexcept { return times_; }

 private:
  struct entrant {
    std::unique_ptr<contestant> work;
    int batch = 1;
  };

  std::vector<entrant> entrants_;  // in the order of times_
  std::vector<std::size_t> order_;
  cell_times times_;
  std::mt19937_64 random_;
};

// The rounds of `more` after those of `times`; both have the same backends.
void append(cell_times& times, const cell_times& more);

}  // namespace selectors::perf
