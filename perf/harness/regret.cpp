#include "harness/regret.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "gate/statistics.hpp"
#include "harness/clock.hpp"

namespace selectors::perf {
namespace {

// Far below a scheduler slice, and long enough for the two looks at the clock not to matter.
constexpr double sample_ns = 200e3;
constexpr double untimed_share = 10;  // work around the sample may take so many times as long
constexpr int longest_warm_up = 300;
constexpr double warm_up_ns = 20e6;
constexpr int longest_batch = 5000;

// Settles, then measures what the last operation took: the batch that takes about a sample.
int warm_up(contestant& work, int least) {
  const double begin = thread_cpu_ns();
  double now = begin;
  double timed = 0;
  double whole = 0;
  for (int done = 0; done < longest_warm_up && (done < least || now - begin < warm_up_ns); ++done) {
    timed = work.run(1);
    whole = thread_cpu_ns() - now;
    now += whole;
  }
  // Where the clock costs as much as an operation, a short batch is a better measure.
  if (whole * 20 < sample_ns) timed = work.run(20) / 20;
  const double fitting = std::min(sample_ns / timed, sample_ns * untimed_share / whole);
  return std::clamp(static_cast<int>(fitting), 1, longest_batch);
}

double median_of(const backend_times& t) {
  return gate::median(t.rounds);
}

}  // namespace

std::string regret_cell::name() const {
  return fmt::format("n={} {}{}{}", n, ready, detail.empty() ? "" : " ", detail);
}

regret_result regret_of(const cell_times& times) {
  if (times.size() < 2 || times.front().id != backend::adaptive || times.front().rounds.empty())
    throw std::invalid_argument("a regret needs rounds of the adaptive backend and of a fixed one");
  const auto best = std::min_element(times.begin() + 1, times.end(), [](const auto& a, const auto& b) {
    return median_of(a) < median_of(b);
  });
  std::vector<double> quotients;
  for (std::size_t r = 0; r < best->rounds.size(); ++r)
    quotients.push_back(times.front().rounds.at(r) / best->rounds[r]);
  return {gate::median(quotients), best->id};
}

contest::contest(const regret_cell& cell, std::uint64_t seed) : random_(seed) {
  const auto make = cell.set_up();
  std::vector<backend> ids;
  for (const auto& b : backends()) ids.push_back(b.id);
  std::vector<std::unique_ptr<contestant>> made(ids.size());
  order_.resize(ids.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::shuffle(order_.begin(), order_.end(), random_);
  for (const std::size_t i : order_) made[i] = make(ids[i]);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!made[i]) continue;
    const int batch = warm_up(*made[i], ids[i] == backend::adaptive ? cell.least_warm_up : 3);
    entrants_.push_back({std::move(made[i]), batch});
    times_.push_back({ids[i], {}});
  }
  order_.resize(entrants_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

double contest::round() {
  double total = 0;
  std::shuffle(order_.begin(), order_.end(), random_);
  for (const std::size_t i : order_) {
    auto& [work, batch] = entrants_[i];
    // Whose data the caches still hold should not show; an operation that fills a sample alone fills them itself.
    if (batch > 1) work->run(std::clamp(batch / 8, 1, 5));
    const double time = work->run(batch);
    times_[i].rounds.push_back(time / batch);
    total += time;
  }
  return total * 1e-9;
}

void append(cell_times& times, const cell_times& more) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto& rounds = more.at(i).rounds;
    times[i].rounds.insert(times[i].rounds.end(), rounds.begin(), rounds.end());
  }
}

}  // namespace selectors::perf
