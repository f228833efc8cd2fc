// The one mapping, against what the contract says of each kernel mask that occurs.
#include <gtest/gtest.h>

#include <readiness_bits.hpp>

namespace selectors::tests {
namespace {

using enum interest;

struct row {
  int raw;
  interest ready;
  status flags;
};

constexpr status no_flags = status::none;
constexpr status hangup = status::hangup;
constexpr status error = status::error;

constexpr row rows[] = {
    {0, none, no_flags},
    {POLLIN, read, no_flags},
    {POLLOUT, write, no_flags},
    {POLLPRI, priority, no_flags},
    {POLLRDHUP, peer_closed, no_flags},
    {POLLHUP, read, hangup},
    {POLLERR, read | write, error},
    {POLLNVAL, none, status::invalid},
    {POLLIN | POLLOUT, read | write, no_flags},
    {POLLIN | POLLPRI, read | priority, no_flags},
    {POLLOUT | POLLPRI, write | priority, no_flags},
    {POLLIN | POLLHUP, read, hangup},                            // a pipe, its writer gone with data left
    {POLLOUT | POLLERR, read | write, error},                    // a pipe, its reader gone
    {POLLOUT | POLLHUP, read | write, hangup},                   // a socket never connected
    {POLLIN | POLLRDHUP, read | peer_closed, no_flags},          // the peer has shut down its writing half
    {POLLIN | POLLOUT | POLLHUP, read | write, hangup},          // a pty without its master
    {POLLIN | POLLERR | POLLHUP, read | write, hangup | error},  // a connection that was reset
    {POLLIN | POLLOUT | POLLRDHUP, read | write | peer_closed, no_flags},
    {POLLIN | POLLOUT | POLLRDHUP | POLLHUP, read | write | peer_closed, hangup},
    {POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP, read | write | peer_closed, hangup | error},
    {POLLPRI | POLLERR, read | write | priority, error},
    {POLLIN | POLLPRI | POLLOUT | POLLERR | POLLHUP | POLLRDHUP, read | write | priority | peer_closed,
     hangup | error},
};

TEST(ReadinessBits, MeanWhatTheContractSays) {
  for (const row& r : rows) {
    EXPECT_EQ(ready_bits(static_cast<std::uint32_t>(r.raw)), r.ready) << std::hex << r.raw;
    EXPECT_EQ(status_bits(static_cast<std::uint32_t>(r.raw)), r.flags) << std::hex << r.raw;
  }
}

TEST(ReadinessBits, MeanTheUnionOfTheirParts) {
  constexpr int single[] = {POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL, POLLRDHUP};
  for (unsigned subset = 0; subset < 128; ++subset) {
    std::uint32_t raw = 0;
    interest ready = none;
    status flags = no_flags;
    for (unsigned i = 0; i < 7; ++i) {
      if ((subset >> i & 1) == 0) continue;
      const auto bit = static_cast<std::uint32_t>(single[i]);
      raw |= bit;
      ready |= ready_bits(bit);
      flags |= status_bits(bit);
    }
    EXPECT_EQ(ready_bits(raw), ready) << std::hex << raw;
    EXPECT_EQ(status_bits(raw), flags) << std::hex << raw;
  }
}

TEST(ReadinessBits, KernelBitsThatMeanNothingHereAreIgnored) {
  constexpr std::uint32_t others = EPOLLRDNORM | EPOLLRDBAND | EPOLLWRNORM | EPOLLWRBAND | EPOLLMSG |
                                   EPOLLEXCLUSIVE | EPOLLWAKEUP | EPOLLONESHOT | EPOLLET;
  EXPECT_EQ(ready_bits(others), none);
  EXPECT_EQ(status_bits(others), no_flags);
  EXPECT_EQ(ready_bits(others | POLLRDHUP | POLLOUT), write | peer_closed);
}

TEST(RequestBits, AskForWhatIsWantedOnly) {
  EXPECT_EQ(bits_for(none), 0);
  EXPECT_EQ(bits_for(read), POLLIN);
  EXPECT_EQ(bits_for(write), POLLOUT);
  EXPECT_EQ(bits_for(priority), POLLPRI);
  EXPECT_EQ(bits_for(peer_closed), POLLRDHUP);
  EXPECT_EQ(bits_for(read | write), POLLIN | POLLOUT);
  EXPECT_EQ(bits_for(read | write | priority | peer_closed), POLLIN | POLLOUT | POLLPRI | POLLRDHUP);
  for (unsigned wanted = 0; wanted < 16; ++wanted) {
    const auto i = static_cast<interest>(wanted);
    EXPECT_EQ(ready_bits(bits_for(i)), i) << "what is asked for means the same when it comes back";
  }
}

}  // namespace
}  // namespace selectors::tests
