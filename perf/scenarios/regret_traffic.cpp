#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "scenarios/regret_work.hpp"

namespace selectors::perf {
namespace {

// Each contestant has sockets of its own, so that nobody's write wakes another's epoll set; thousands, of which a
// process may not have so many, are shared.
using own_wires = std::map<backend, std::shared_ptr<wires>>;

own_wires wires_for_each(int n) {
  if (n > largest_for_select) {
    const auto shared = std::make_shared<wires>(n);
    return {{backend::poll, shared}, {backend::epoll, shared}, {backend::adaptive, shared}};
  }
  const auto all = wires::alike(4, n, std::random_device()());
  return {{backend::select, all[0]},
          {backend::poll, all[1]},
          {backend::epoll, all[2]},
          {backend::adaptive, all[3]}};
}

selector selector_on(backend b, const wires& sockets) {
  selector s(b);
  for (int i = 0; i < sockets.size(); ++i)
    s.register_fd(sockets.read_ends()[static_cast<std::size_t>(i)], interest::read,
                  static_cast<std::uintptr_t>(i));
  return s;
}

// ------------------------------------------------------------------------------------------------- traffic

enum class popularity { uniform, zipf };

// The receivers of each wait: `k` different ones out of `n`, over and over.
class receivers {
 public:
  receivers(int n, int k, popularity kind) : k_(static_cast<std::size_t>(k)) {
    std::mt19937 random(7);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::uniform_real_distribution<double> uniform;
    for (std::size_t wait = 0; wait < waits; ++wait) {
      std::vector<char> taken(order.size(), 0);
      for (std::size_t got = 0; got < k_;) {
        const double u = uniform(random);
        const double place = kind == popularity::uniform ? u : u * u * u * u;  // the head gets most
        const auto i = static_cast<std::size_t>(place * n);
        if (std::exchange(taken[i], char{1}) != 0) continue;
        all_.push_back(order[i]);
        ++got;
      }
    }
  }

  std::span<const int> next() noexcept {
    const std::span<const int> now(all_.data() + at_ * k_, k_);
    at_ = (at_ + 1) % waits;
    return now;
  }

 private:
  static constexpr std::size_t waits = 256;
  std::size_t k_;
  std::vector<int> all_;
  std::size_t at_ = 0;
};

class server {
 public:
  server(backend b, std::shared_ptr<wires> sockets, receivers who)
      : sockets_(std::move(sockets)), selector_(selector_on(b, *sockets_)), who_(std::move(who)) {}

  found operator()() {
    for (const int i : who_.next()) sockets_->send(i);
    found f;
    for (const event& e : selector_.select(timeout::zero)) {
      ++f.ready;
      sockets_->drain(static_cast<int>(e.data.value()));
    }
    return f;
  }

 private:
  std::shared_ptr<wires> sockets_;
  selector selector_;
  receivers who_;
};

contestant_maker traffic(int n, int k, popularity kind) {
  return [=, sockets = wires_for_each(n),
          who = receivers(n, k, kind)](backend b) -> std::unique_ptr<contestant> {
    const auto own = sockets.find(b);
    if (own == sockets.end()) return nullptr;
    return in_batches(found{k, 0}, server(b, own->second, who));
  };
}

// ------------------------------------------------------------------------------------------------- phases

// An operation is `length` waits with one ready and `length` with all; only the waits are timed.
class changing_phases final : public contestant {
 public:
  changing_phases(backend b, std::shared_ptr<wires> sockets, int length)
      : sockets_(std::move(sockets)), selector_(selector_on(b, *sockets_)), length_(length) {}

  double run(int operations) override {
    stopwatch watch;
    for (int i = 0; i < operations; ++i) {
      for (const int ready : {1, sockets_->size()}) {
        sockets_->set_first_ready(ready);
        watch.start();
        for (int w = 0; w < length_; ++w) {
          if (take(selector_.select(timeout::zero)).ready != ready)
            throw broken_measurement(fmt::format("not {} were ready", ready));
        }
        watch.stop();
      }
    }
    return watch.elapsed_ns();
  }

 private:
  std::shared_ptr<wires> sockets_;
  selector selector_;
  int length_;
};

contestant_maker phases(int n, int length) {
  return [=, sockets = wires_for_each(n)](backend b) -> std::unique_ptr<contestant> {
    const auto own = sockets.find(b);
    return own == sockets.end() ? nullptr : std::make_unique<changing_phases>(b, own->second, length);
  };
}

}  // namespace

void add_traffic(regret_cells_of& cells) {
  const auto add = [&](int n, const ready_count& ready, const char* detail, popularity kind) {
    cells.push_back({.arm = "traffic",
                     .n = n,
                     .ready = std::string(ready.name),
                     .detail = detail,
                     .set_up = [=, k = ready.count] { return traffic(n, k, kind); }});
  };
  for (const int n : sizes_up_to(8000)) {
    for (const auto& ready : ready_counts(n)) {
      if (ready.count == 0) continue;
      add(n, ready, "uniform", popularity::uniform);
      if (n <= 480 && ready.count <= n / 2) add(n, ready, "zipf", popularity::zipf);
    }
  }
  for (const int n : sizes_up_to(2000)) {
    for (const int length : {4, 16, 64, 256, 1024}) {
      if (n == 1 || (n > 480 && length > 256)) continue;
      cells.push_back({.arm = "phases",
                       .n = n,
                       .ready = "1/all",
                       .detail = fmt::format("L={}", length),
                       .set_up = [=] { return phases(n, length); },
                       .least_warm_up = 3});
    }
  }
}

}  // namespace selectors::perf
