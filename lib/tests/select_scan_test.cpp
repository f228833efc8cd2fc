// The select backend's walk over its sets, and what it does when one descriptor fails the whole call.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/select.h>

#include <map>
#include <vector>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

class SelectScan : public ::testing::Test {
 protected:
  SelectScan() { put(pipe.writer); }

  // A readable descriptor, registered.
  void add(int number) {
    numbers.push_back(duplicate(pipe.reader, number));
    ASSERT_EQ(numbers.back(), number);
    s.register_fd(number, read);
  }
  int next() {
    const selection found = s.select(timeout::zero, {.limit = 1});
    return found.size() == 1 ? found[0].fd : -1;
  }

  const pipe_ends pipe = make_pipe();
  std::vector<descriptor> numbers;
  selector s{backend::select};
};

TEST_F(SelectScan, TakesTurnsOverSeveralWords) {
  for (const int number : {60, 61, 70, 126, 127, 128, 140, 200, 255, 256}) add(number);
  for (const int limit : {1, 3, 7, 9}) {
    std::map<int, int> seen;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (const event& e : s.select(timeout::zero, {.limit = static_cast<std::size_t>(limit)})) ++seen[e.fd];
    }
    for (const descriptor& number : numbers) EXPECT_EQ(seen[number], limit) << number;
  }
}

TEST_F(SelectScan, ForgetsWhatWasReadyAboveTheHighestNumberThatIsLeft) {
  for (const int number : {60, 61, 100, 105}) add(number);
  while (next() != 100) continue;
  s.unregister(105);
  s.unregister(100);
  std::map<int, int> seen;
  for (int i = 0; i < 4; ++i) ++seen[next()];
  EXPECT_EQ(seen, (std::map<int, int>{{60, 2}, {61, 2}}));
}

TEST_F(SelectScan, AClosedOneIsReportedAtOnceHoweverLongTheWait) {
  add(60);
  drain(pipe.reader);
  std::vector<bool> blocking;
  const replaced<&system_calls::select> recorded(
      [&, real = system_call.select](int end, fd_set* in, fd_set* out, fd_set* other, timeval* t) {
        blocking.push_back(t == nullptr || t->tv_sec != 0 || t->tv_usec != 0);
        timeval at_once{};
        return real(end, in, out, other, &at_once);
      });
  numbers.clear();
  EXPECT_EQ(s.select().size(), 1u);
  EXPECT_EQ(blocking, (std::vector<bool>{true, false}));
}

TEST_F(SelectScan, AWakerBeyondTheSetsIsRefused) {
  allow_descriptors_below(FD_SETSIZE + 10);
  for (const int number : {FD_SETSIZE, FD_SETSIZE + 1}) {
    const replaced<&system_calls::event_descriptor> high([number]() -> int {
      const descriptor low(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
      return ::fcntl(low, F_DUPFD_CLOEXEC, number);
    });
    std::error_code ec;
    (void)s.make_waker(ec);
    EXPECT_EQ(ec, errc::fd_out_of_range) << number;
  }
  s.make_waker().wake();
  EXPECT_TRUE(s.select().woken());
}

}  // namespace
}  // namespace selectors::tests
