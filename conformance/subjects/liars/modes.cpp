#include <sys/ioctl.h>

#include <set>
#include <thread>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using namespace std::chrono_literals;
using enum interest;

// Takes one trigger for another.
template <trigger asked, trigger given, class Base = decorator>
class mistaken final : public Base {
 public:
  using Base::Base;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return Base::register_fd(fd, wanted, data, mode == asked ? given : mode);
  }
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    return Base::modify(fd, wanted, data, mode == asked ? given : mode);
  }
  using Base::modify;
};

using edge_is_level = mistaken<trigger::edge, trigger::level>;
using oneshot_is_level = mistaken<trigger::oneshot, trigger::level>;
using exclusive_is_level = mistaken<trigger::exclusive, trigger::level>;

// Edges that are made by comparing a level with the one before.
class compares_levels final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return decorator::register_fd(fd, wanted, data, mode == trigger::edge ? trigger::level : mode);
  }
  outcome wait(timeout t) override {
    const auto deadline = std::chrono::steady_clock::now() + (t.is_infinite() ? 1h : t.duration());
    for (;;) {
      const std::vector<event> before = std::exchange(last_, decorator::wait(timeout::zero).events);
      outcome fresh{last_, false, false};
      std::erase_if(fresh.events,
                    [&](const event& e) { return std::ranges::find(before, e) != before.end(); });
      if (!fresh.events.empty() || std::chrono::steady_clock::now() >= deadline) return fresh;
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  std::vector<event> last_;
};

class same_interest_is_no_change final : public tracking {
 public:
  using tracking::tracking;
  key modify(int fd, interest wanted) override {
    const auto known = keys().find(fd);
    if (known != keys().end() && known->second.wanted == wanted) return known->second;
    return tracking::modify(fd, wanted);
  }
};

class only_the_new_bits final : public decorator {
 public:
  using decorator::decorator;

 protected:
  outcome lie(outcome result) override {
    for (event& e : result.events) e.ready &= ~std::exchange(last_[e.fd], e.ready);
    return result;
  }

 private:
  std::map<int, interest> last_;
};

// As if any read made room for a writer.
class a_byte_is_room final : public tracking {
 public:
  using tracking::tracking;

 protected:
  outcome lie(outcome result) override {
    for (const auto& [fd, k] : keys()) {
      int content = 0;
      if (!any(k.wanted & write) || ::ioctl(fd, FIONREAD, &content) != 0) continue;
      const auto [known, fresh] = content_.emplace(fd, content);
      const bool shrunk = content < std::exchange(known->second, content);
      if (!fresh && shrunk && result.events.empty())
        result.events.push_back({fd, write, status::none, k.generation, k.data});
    }
    return result;
  }

 private:
  std::map<int, int> content_;
};

// A oneshot that was reported is remembered; what becomes of it is the liar's.
class knows_the_fired : public tracking {
 public:
  using tracking::tracking;
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    fired_.erase(fd);
    return tracking::modify(fd, wanted, data, mode);
  }
  key modify(int fd, interest wanted) override {
    fired_.erase(fd);
    return tracking::modify(fd, wanted);
  }
  key unregister(int fd) override {
    fired_.erase(fd);
    return tracking::unregister(fd);
  }

 protected:
  outcome lie(outcome result) override {
    for (const event& e : result.events) {
      if (keys().at(e.fd).mode == trigger::oneshot) fired_.insert(e.fd);
    }
    return result;
  }
  const std::set<int>& fired() const noexcept { return fired_; }

 private:
  std::set<int> fired_;
};

class hang_up_gets_through final : public knows_the_fired {
 public:
  using knows_the_fired::knows_the_fired;

 protected:
  outcome lie(outcome result) override {
    for (const int fd : fired()) {
      if ((raw_bits(fd) & POLLHUP) == 0) continue;
      const key& k = keys().at(fd);
      result.events.push_back({fd, read, status::hangup, k.generation, k.data});
    }
    return knows_the_fired::lie(std::move(result));
  }
};

class spins_while_disarmed final : public knows_the_fired {
 public:
  using knows_the_fired::knows_the_fired;
  outcome wait(timeout t) override {
    const bool trouble =
        std::ranges::any_of(fired(), [](int fd) { return (raw_bits(fd) & (POLLHUP | POLLERR)) != 0; });
    if (!trouble || t.is_infinite()) return knows_the_fired::wait(t);
    const auto deadline = std::chrono::steady_clock::now() + t.duration();
    outcome result;
    do {
      result = knows_the_fired::wait(timeout::zero);
    } while (result.events.empty() && std::chrono::steady_clock::now() < deadline);
    return result;
  }
};

class each_direction_has_its_own_shot final : public tracking {
 public:
  using tracking::tracking;

 protected:
  outcome lie(outcome result) override {
    for (const event& e : result.events) {
      const key& k = keys().at(e.fd);
      const interest rest = k.wanted & ~e.ready;
      if (k.mode == trigger::oneshot && any(rest)) honest().modify(e.fd, rest, k.data, k.mode);
    }
    return result;
  }
};

class pause_forgets_the_data final : public decorator {
 public:
  using decorator::decorator;
  key pause(int fd) override {
    const key k = decorator::get_key(fd);
    honest().modify(fd, k.wanted, user_data{}, k.mode);
    return decorator::pause(fd);
  }
};

class resume_drops_what_came_meanwhile final : public decorator {
 public:
  using decorator::decorator;
  key resume(int fd) override {
    const key k = decorator::resume(fd);
    dropped_ = fd;
    return k;
  }

 protected:
  outcome lie(outcome result) override {
    std::erase_if(result.events, [&](const event& e) { return e.fd == dropped_; });
    return result;
  }

 private:
  int dropped_ = -1;
};

class refuses_to_change_exclusive final : public decorator {
 public:
  using decorator::decorator;
  key modify(int fd, interest wanted) override {
    if (honest().get_key(fd).mode == trigger::exclusive) refuse(std::errc::invalid_argument);
    return decorator::modify(fd, wanted);
  }
};

class change_of_trigger_clears final : public tracking {
 public:
  using tracking::tracking;
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    if (keys().at(fd).mode != mode) cleared_ = fd;
    return tracking::modify(fd, wanted, data, mode);
  }

 protected:
  outcome lie(outcome result) override {
    const int fd = std::exchange(cleared_, -1);
    std::erase_if(result.events, [&](const event& e) { return e.fd == fd; });
    return result;
  }

 private:
  int cleared_ = -1;
};

class second_pause_is_refused final : public decorator {
 public:
  using decorator::decorator;
  key pause(int fd) override {
    if (honest().get_key(fd).paused) refuse(std::errc::invalid_argument);
    return decorator::pause(fd);
  }
};

class modify_leaves_it_paused final : public decorator {
 public:
  using decorator::decorator;
  key modify(int fd, interest wanted) override {
    const bool paused = honest().get_key(fd).paused;
    const key k = decorator::modify(fd, wanted);
    return paused ? honest().pause(fd) : k;
  }
};

}  // namespace

std::span<const liar> modes_liars() {
  static const std::vector<liar> rows{
      {"EdgeIsDegraded", "MOD-01", &disguised<edge_is_level>, "poll"},
      {"EdgeIsLevel", "MOD-02", &disguised<edge_is_level>},
      {"EdgeRepeatsTheRest", "MOD-03", &disguised<edge_is_level>},
      {"ComparesLevels", "MOD-04", &disguised<compares_levels>},
      {"SameInterestIsNoChange", "MOD-05", &disguised<same_interest_is_no_change>},
      {"OnlyTheNewBits", "MOD-06", &disguised<only_the_new_bits>},
      {"HangUpIsRepeated", "MOD-07", &disguised<edge_is_level>},
      {"AByteIsRoom", "MOD-08", &disguised<a_byte_is_room>},
      {"OneshotIsLevel", "MOD-11", &disguised<oneshot_is_level>},
      {"HangUpGetsThrough", "MOD-11", &disguised<hang_up_gets_through>},
      {"SameInterestDoesNotArm", "MOD-11", &disguised<same_interest_is_no_change>},
      {"EachDirectionHasItsOwnShot", "MOD-12", &disguised<each_direction_has_its_own_shot>},
      {"SpinsWhileDisarmed", "MOD-13", &disguised<spins_while_disarmed>, "poll"},
      {"PauseIsIgnored", "MOD-14", &disguised<pause_is_ignored>},
      {"PauseForgetsTheData", "MOD-14", &disguised<pause_forgets_the_data>},
      {"ResumeDropsWhatCameMeanwhile", "MOD-14", &disguised<resume_drops_what_came_meanwhile>},
      {"ExclusiveWakesAll", "MOD-15", &disguised<exclusive_is_level>},
      {"RefusesToChangeExclusive", "MOD-15", &disguised<refuses_to_change_exclusive>},
      {"ChangeOfTriggerClears", "MOD-16", &disguised<change_of_trigger_clears>},
      {"SecondPauseIsRefused", "MOD-20", &disguised<second_pause_is_refused>},
      {"ModifyLeavesItPaused", "MOD-20", &disguised<modify_leaves_it_paused>},
  };
  return rows;
}

}  // namespace selectors::conformance
