// What several liars are made of.
#pragma once

#include <poll.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <selectors/conformance/liar.hpp>

namespace selectors::conformance {

[[noreturn]] inline void refuse(std::errc why) {
  throw std::system_error(std::make_error_code(why), "liar");
}

// Knows what is registered.
class tracking : public decorator {
 public:
  using decorator::decorator;

  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    const key k = decorator::register_fd(fd, wanted, data, mode);
    keys_[fd] = k;
    return k;
  }
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    return keys_[fd] = decorator::modify(fd, wanted, data, mode);
  }
  key modify(int fd, interest wanted) override { return keys_[fd] = decorator::modify(fd, wanted); }
  key unregister(int fd) override {
    const key k = decorator::unregister(fd);
    keys_.erase(fd);
    return k;
  }
  key unregister(const key& k) override {
    const key old = decorator::unregister(k);
    keys_.erase(k.fd);
    return old;
  }

 protected:
  const std::map<int, key>& keys() const noexcept { return keys_; }

 private:
  std::map<int, key> keys_;
};

// What poll(2) says about the descriptor now, whatever anybody asked for.
inline short raw_bits(int fd) noexcept {
  pollfd p{fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP, 0};
  ::poll(&p, 1, 0);
  return p.revents;
}

struct view {
  int fd;
  short raw;
  interest wanted;
  interest honest;  // what the honest subject reported; none when it reported nothing
};

// Returned by a judge that wants an entry without any ready bit.
inline constexpr auto empty_entry = static_cast<interest>(0x80);

// Decides anew, for every registered descriptor, what is reported.
template <interest (*judge)(const view&)>
class remapping final : public tracking {
 public:
  using tracking::tracking;

 protected:
  outcome lie(outcome result) override {
    outcome changed{{}, result.woken, result.interrupted};
    for (const auto& [fd, k] : keys()) {
      const auto found = std::ranges::find(result.events, fd, &event::fd);
      const bool present = found != result.events.end();
      const interest ready = judge({fd, raw_bits(fd), k.wanted, present ? found->ready : interest::none});
      if (ready == interest::none) continue;
      event e = present ? *found : event{fd, ready, status::none, k.generation, k.data};
      e.ready = ready == empty_entry ? interest::none : ready;
      changed.events.push_back(e);
    }
    return changed;
  }
};

// Changes each result.
template <void (*change)(outcome&)>
class altering final : public decorator {
 public:
  using decorator::decorator;

 protected:
  outcome lie(outcome result) override {
    change(result);
    return result;
  }
};

// Reports a condition when it is new, as an edge-triggered selector does.
class edge_instead_of_level final : public decorator {
 public:
  using decorator::decorator;

 protected:
  outcome lie(outcome result) override {
    const std::vector<event> all = result.events;
    std::erase_if(result.events, [&](const event& e) { return std::ranges::find(last_, e) != last_.end(); });
    last_ = all;
    return result;
  }

 private:
  std::vector<event> last_;
};

// Cannot tell two registrations of one number apart.
class one_generation_for_all final : public decorator {
 public:
  using decorator::decorator;

  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    key k = decorator::register_fd(fd, wanted, data, mode);
    k.generation = 1;
    return k;
  }

 protected:
  outcome lie(outcome result) override {
    for (event& e : result.events) e.generation = 1;
    return result;
  }
};

// Pausing is accepted and has no effect.
class pause_is_ignored final : public decorator {
 public:
  using decorator::decorator;
  key pause(int fd) override { return honest().get_key(fd); }
};

// A number that is not open is accepted and never heard of again.
class swallows_refusals final : public decorator {
 public:
  using decorator::decorator;

  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    try {
      return decorator::register_fd(fd, wanted, data, mode);
    } catch (const std::system_error&) {
      return {.fd = fd, .wanted = wanted, .mode = mode, .generation = 1, .data = data};
    }
  }
};

}  // namespace selectors::conformance
