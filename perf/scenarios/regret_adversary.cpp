// Somebody who sees the regime chooses what is ready. The library's table of system calls is the window: the first call
// of a wait shows the regime, and what is ready is still open then. What was chosen is played to the fixed backends
// through the same window, so that the clock is stopped alike for all.
#include <algorithm>
#include <random>

#include "scenarios/regret_work.hpp"
#include "system_calls.hpp"

namespace selectors::perf {
namespace {

constexpr int waits_per_run = 400;

enum class first_call { poll_all, poll_some, ask_epoll, select };
enum class strategy { none_or_all, one_or_most, coin };

// What hurts most: for polling a lot of silence, for watching a lot of noise.
class adversary {
 public:
  adversary(int n, strategy kind) : n_(n), kind_(kind) {}

  int choose(first_call seen) {
    const bool alternate = (++turns_ & 1) != 0;
    switch (kind_) {
      case strategy::coin:
        return (random_() & 1) != 0 ? n_ : 0;
      case strategy::none_or_all:
        if (seen == first_call::poll_some) return alternate ? n_ : 0;
        return seen == first_call::ask_epoll ? n_ : 0;
      case strategy::one_or_most:
        break;
    }
    if (seen == first_call::poll_some) return n_ / 2;
    return seen == first_call::ask_epoll ? std::max(1, n_ * 6 / 10) : 1;
  }

 private:
  int n_;
  strategy kind_;
  unsigned turns_ = 0;
  std::mt19937 random_{11};
};

// While one of these lives, `at_first_call` is called before the first call of each wait.
class window {
 public:
  window(int n, std::function<void(first_call)> at_first_call)
      : n_(static_cast<nfds_t>(n)), at_first_call_(std::move(at_first_call)), real_(system_call) {
    looking = this;
    system_call.poll = [](pollfd* set, nfds_t count, int milliseconds) {
      looking->see(count == looking->n_ ? first_call::poll_all : first_call::poll_some);
      return looking->real_.poll(set, count, milliseconds);
    };
    system_call.epoll_wait = [](int set, epoll_event* events, int room, int milliseconds) {
      looking->see(first_call::ask_epoll);
      return looking->real_.epoll_wait(set, events, room, milliseconds);
    };
    system_call.select = [](int limit, fd_set* read, fd_set* write, fd_set* except, timeval* t) {
      looking->see(first_call::select);
      return looking->real_.select(limit, read, write, except, t);
    };
  }
  ~window() { system_call = real_; }
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  void next_wait() noexcept { open_ = true; }

 private:
  void see(first_call call) {
    if (std::exchange(open_, false)) at_first_call_(call);
  }

  static inline window* looking = nullptr;
  nfds_t n_;
  std::function<void(first_call)> at_first_call_;
  system_calls real_;
  bool open_ = false;
};

struct duel_scene {
  duel_scene(int n, strategy kind) : opponent(n, kind) {}

  adversary opponent;
  std::vector<int> choices = std::vector<int>(waits_per_run, 0);  // of the adaptive backend's last run
};

// An operation is a whole run; the selector is kept, so that what counts is changing one's mind, not buying.
class duellist final : public contestant {
 public:
  duellist(int n, backend b, std::shared_ptr<duel_scene> scene)
      : scene_(std::move(scene)), sockets_(n), selector_(b) {
    register_all(selector_, sockets_.read_ends());
  }

  double run(int operations) override {
    stopwatch watch;
    int* choice = nullptr;
    const bool chooses = selector_.active_backend() == backend::adaptive;
    window w(sockets_.size(), [&](first_call seen) {
      watch.stop();
      if (chooses) *choice = scene_->opponent.choose(seen);
      sockets_.set_first_ready(*choice);
      watch.start();
    });
    for (int i = 0; i < operations; ++i) {
      for (int& each : scene_->choices) {
        choice = &each;
        w.next_wait();
        watch.start();
        const found got = take(selector_.select(timeout::zero));
        watch.stop();
        if (got.ready != each)
          throw broken_measurement(fmt::format("found {} ready, not {}", got.ready, each));
      }
    }
    return watch.elapsed_ns();
  }

 private:
  std::shared_ptr<duel_scene> scene_;
  wires sockets_;
  selector selector_;
};

contestant_maker duel(int n, strategy kind) {
  return [=, scene = std::make_shared<duel_scene>(n, kind)](backend b) -> std::unique_ptr<contestant> {
    if (b == backend::select && n > largest_for_select / 4) return nullptr;  // each has sockets of its own
    return std::make_unique<duellist>(n, b, scene);
  };
}

}  // namespace

void add_adversary(regret_cells_of& cells) {
  const auto add = [&](int n, const char* name, strategy kind) {
    cells.push_back({.arm = "adversary",
                     .n = n,
                     .ready = name,
                     .detail = {},
                     .set_up = [=] { return duel(n, kind); },
                     .least_warm_up = 2,
                     .rounds_divisor = 2});
  };
  for (const int n : {2, 8, 32, 128, 480}) {
    add(n, "0-or-all", strategy::none_or_all);
    add(n, "1-or-60%", strategy::one_or_most);
    add(n, "coin", strategy::coin);
  }
}

}  // namespace selectors::perf
