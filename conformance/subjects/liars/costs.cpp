#include <fcntl.h>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

class leaks_a_descriptor final : public decorator {
 public:
  explicit leaks_a_descriptor(std::unique_ptr<subject> honest) : decorator(std::move(honest)) {
    ::fcntl(0, F_DUPFD_CLOEXEC, 0);
  }
};

class looks_before_it_waits final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    honest().wait(timeout::zero);
    return decorator::wait(t);
  }
};

class registers_in_three_steps final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    decorator::register_fd(fd, wanted, data, mode);
    honest().pause(fd);
    return honest().resume(fd);
  }
};

}  // namespace

std::span<const liar> costs_liars() {
  static const std::vector<liar> rows{
      {"LeaksADescriptor", "RES-01", &disguised<leaks_a_descriptor>},
      {"PausedListenerIsReported", "RES-03", &disguised<pause_is_ignored>},
      {"LooksBeforeItWaits", "RES-07", &disguised<looks_before_it_waits>},
      {"RegistersInThreeSteps", "RES-07", &disguised<registers_in_three_steps>, "epoll"},
  };
  return rows;
}

}  // namespace selectors::conformance
