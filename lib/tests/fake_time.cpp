#include "fake_time.hpp"

#include <ostream>

namespace selectors::tests {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t of_milliseconds(int t) {
  return t < 0 ? -1 : std::int64_t{t} * 1'000'000;
}
std::int64_t of(const timespec* t) {
  return t == nullptr ? -1 : std::int64_t{t->tv_sec} * second + t->tv_nsec;
}
std::int64_t of(const timeval* t) {
  return t == nullptr ? -1 : std::int64_t{t->tv_sec} * second + std::int64_t{t->tv_usec} * 1000;
}
std::int64_t of(const wide_timespec* t) {
  return t == nullptr ? -1 : t->seconds * second + t->nanoseconds;
}

}  // namespace

fake_time::fake_time()
    : clock_([this] { return now; }),
      epoll_wait_([this](auto, auto, auto, int ms) { return wait("epoll_wait", of_milliseconds(ms)); }),
      epoll_pwait_(
          [this](auto, auto, auto, int ms, auto) { return wait("epoll_pwait", of_milliseconds(ms)); }),
      epoll_pwait2_([this](auto, auto, auto, auto t, auto) { return wait("epoll_pwait2", of(t)); }),
      poll_([this](auto, auto, int ms) { return wait("poll", of_milliseconds(ms)); }),
      ppoll_([this](auto, auto, auto t, auto) { return wait("ppoll", of(t)); }),
      select_([this](auto, auto, auto, auto, auto t) { return wait("select", of(t)); }),
      pselect_([this](auto, auto, auto, auto, auto t, auto) { return wait("pselect", of(t)); }) {}

int fake_time::wait(const char* call, std::int64_t nanoseconds) {
  waits_.push_back({call, nanoseconds});
  fake_wait how{.error = nanoseconds < 0 ? EDEADLK : 0};
  if (!script.empty()) {
    how = script.front();
    script.pop_front();
  }
  if (how.lasts != fake_wait::whole_time) {
    now += how.lasts;
  } else if (nanoseconds > 0) {
    now += nanoseconds;
  }
  errno = how.error;
  return how.error == 0 ? 0 : -1;
}

std::ostream& operator<<(std::ostream& out, const fake_time::asked& a) {
  return out << a.call << '(' << a.nanoseconds << " ns)";
}

}  // namespace selectors::tests
