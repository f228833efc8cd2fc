#include <sys/select.h>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

class refuses_high_numbers final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    if (fd >= FD_SETSIZE) refuse(std::errc::invalid_argument);
    return decorator::register_fd(fd, wanted, data, mode);
  }
};

class limit_is_one_too_low final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    if (fd >= FD_SETSIZE - 1) refuse(std::errc::invalid_argument);
    return decorator::register_fd(fd, wanted, data, mode);
  }
};

void at_most_64(outcome& o) {
  if (o.events.size() > 64) o.events.resize(64);
}

}  // namespace

std::span<const liar> limits_liars() {
  static const std::vector<liar> rows{
      {"SwallowsNumbersBeyondTheLimit", "SIZ-01", &disguised<swallows_refusals>, "select"},
      {"LimitIsOneTooLow", "SIZ-01", &disguised<limit_is_one_too_low>, "select"},
      {"RefusesHighNumbers", "SIZ-04", &disguised<refuses_high_numbers>, "poll"},
      {"ReportsAtMostSixtyFour", "SIZ-20", &disguised<altering<at_most_64>>},
      {"ClaimsToScale", "SIZ-21", &disguised<decorator>, "poll", feature::scales},
  };
  return rows;
}

}  // namespace selectors::conformance
