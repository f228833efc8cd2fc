#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using shared_waker = std::shared_ptr<const wake_handle>;

struct waker_notes {
  std::atomic<bool> waiting{false};
  std::atomic<int> wakes{0};
  std::atomic<bool> dead{false};
};

// Wakes through an honest waker, or does not.
template <void (*wake_by)(const wake_handle&, waker_notes&)>
class strange_waker final : public wake_handle {
 public:
  strange_waker(shared_waker honest, std::shared_ptr<waker_notes> notes)
      : honest_(std::move(honest)), notes_(std::move(notes)) {}
  void wake() const noexcept override { wake_by(*honest_, *notes_); }

 private:
  shared_waker honest_;
  std::shared_ptr<waker_notes> notes_;
};

template <void (*wake_by)(const wake_handle&, waker_notes&)>
class with_strange_wakers final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    notes_->waiting = !t.is_zero();
    outcome result = decorator::wait(t);
    notes_->waiting = false;
    return result;
  }
  shared_waker make_waker() override {
    return std::make_shared<strange_waker<wake_by>>(decorator::make_waker(), notes_);
  }
  std::unique_ptr<subject> move_out() override {
    notes_->dead = true;
    return decorator::move_out();
  }

 private:
  std::shared_ptr<waker_notes> notes_ = std::make_shared<waker_notes>();
};

void never_wake(const wake_handle&, waker_notes&) {}
void wake_only_who_waits(const wake_handle& w, waker_notes& notes) {
  if (notes.waiting) w.wake();
}
void wake_and_clobber_errno(const wake_handle& w, waker_notes&) {
  w.wake();
  errno = EAGAIN;
}
void forget_every_hundredth(const wake_handle& w, waker_notes& notes) {
  if (++notes.wakes % 100 != 0) w.wake();
}
void die_with_a_move(const wake_handle& w, waker_notes& notes) {
  if (!notes.dead) w.wake();
}

// Each wake is an end of a wait of its own.
void wake_and_count(const wake_handle& w, waker_notes& notes) {
  ++notes.wakes;
  w.wake();
}
class counts_wakes final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    if (pending_ > 0) return --pending_, outcome{{}, true, false};
    outcome result = decorator::wait(t);
    if (result.woken) pending_ = notes_->wakes.exchange(0) - 1;
    return result;
  }
  shared_waker make_waker() override {
    return std::make_shared<strange_waker<wake_and_count>>(decorator::make_waker(), notes_);
  }

 private:
  std::shared_ptr<waker_notes> notes_ = std::make_shared<waker_notes>();
  int pending_ = 0;
};

class wakes_twice final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    if (std::exchange(again_, false)) return {{}, true, false};
    outcome result = decorator::wait(t);
    again_ = result.woken;
    return result;
  }

 private:
  bool again_ = false;
};

class looks_without_consuming final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    outcome result = decorator::wait(t);
    if (result.woken && t.is_zero()) waker_->wake();
    return result;
  }
  shared_waker make_waker() override { return waker_ = decorator::make_waker(); }

 private:
  shared_waker waker_;
};

void nothing_but_the_wake(outcome& o) {
  if (o.woken) o.events.clear();
}

class waker_takes_a_place final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(t); }
  outcome wait(timeout t, const wait_options& options) override {
    outcome result = decorator::wait(t, options);
    if (result.woken && result.events.size() == options.limit) result.events.pop_back();
    return result;
  }
};

class waker_is_counted final : public decorator {
 public:
  using decorator::decorator;
  std::size_t size() override { return decorator::size() + static_cast<std::size_t>(has_waker_); }
  shared_waker make_waker() override {
    has_waker_ = true;
    return decorator::make_waker();
  }

 private:
  bool has_waker_ = false;
};

// Keeps a number instead of the file.
class number_waker final : public wake_handle {
 public:
  explicit number_waker(shared_waker honest, int number) : honest_(std::move(honest)), number_(number) {}
  void wake() const noexcept override {
    honest_->wake();
    constexpr std::uint64_t one = 1;
    (void)!::write(number_, &one, sizeof one);
  }

 private:
  shared_waker honest_;
  int number_;
};

class wakes_whoever_has_the_number final : public decorator {
 public:
  using decorator::decorator;
  ~wakes_whoever_has_the_number() override { leave(); }
  void close() override {
    decorator::close();
    leave();
  }
  shared_waker make_waker() override {
    shared_waker honest = decorator::make_waker();
    number_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return std::make_shared<number_waker>(std::move(honest), number_);
  }

 private:
  void leave() noexcept {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number_ = -1;
};

}  // namespace

std::span<const liar> wakers_liars() {
  static const std::vector<liar> rows{
      {"NeverWakes", "WAK-01", &disguised<with_strange_wakers<never_wake>>},
      {"WakesOnlyWhoWaits", "WAK-02", &disguised<with_strange_wakers<wake_only_who_waits>>},
      {"WakesTwice", "WAK-02", &disguised<wakes_twice>},
      {"CountsWakes", "WAK-03", &disguised<counts_wakes>},
      {"LooksWithoutConsuming", "WAK-04", &disguised<looks_without_consuming>},
      {"NothingButTheWake", "WAK-05", &disguised<altering<nothing_but_the_wake>>},
      {"WakerTakesAPlace", "WAK-05", &disguised<waker_takes_a_place>},
      {"WakerIsCounted", "WAK-05", &disguised<waker_is_counted>},
      {"ClobbersErrno", "WAK-06", &disguised<with_strange_wakers<wake_and_clobber_errno>>},
      {"ForgetsEveryHundredth", "WAK-08", &disguised<with_strange_wakers<forget_every_hundredth>>},
      {"WakesWhoeverHasTheNumber", "WAK-20", &disguised<wakes_whoever_has_the_number>},
      {"DiesWithAMove", "WAK-20", &disguised<with_strange_wakers<die_with_a_move>>},
  };
  return rows;
}

}  // namespace selectors::conformance
