// Two sets in one wait: what one has found is not lost by what happens to the other.
#include <fcntl.h>

#include <algorithm>
#include <map>
#include <vector>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "regimes.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

class AdaptiveMixed : public ::testing::Test {
 protected:
  std::vector<int> look(wait_options options = {}) {
    std::vector<int> fds;
    for (const event& e : s.select(timeout::zero, options)) fds.push_back(e.fd);
    std::sort(fds.begin(), fds.end());
    return fds;
  }
  std::vector<int> readers(std::size_t first, std::size_t last) const {
    std::vector<int> fds;
    for (std::size_t i = first; i < last; ++i) fds.push_back(p[i].reader);
    return fds;
  }
  void register_all() {
    for (const pipe_ends& each : p) s.register_fd(each.reader, read);
    EXPECT_TRUE(look().empty());
  }
  // The set is to be made anew, and cannot be: it is gone. Whether a look fails for it is not the question.
  void lose_the_set() {
    std::vector<pipe_ends> ghosts = odd_and_even_pipes(12);
    for (const pipe_ends& each : ghosts) s.register_fd(each.reader, read);
    (void)look();
    std::vector<descriptor> kept;
    for (pipe_ends& each : ghosts) {
      kept.push_back(duplicate(each.reader, 200));
      put(each.writer);
      const int number = each.reader;
      each.reader.close();
      s.unregister(number);
    }
    const scoped_fault<&system_calls::epoll_create> no_room(EMFILE);
    (void)s.select(timeout::zero, {}, ec);
    EXPECT_GE(no_room.count(), 2);
  }

  static constexpr std::size_t count = 8;

  // In turn watched and polled.
  std::vector<pipe_ends> p = odd_and_even_pipes(count);
  held_regime regime_{regime::mixed};
  selector s{backend::adaptive};
  std::error_code ec;
};

TEST_F(AdaptiveMixed, TheSetThatWasReadyLastTimeIsAskedFirst) {
  register_all();
  recorded_calls calls;
  put(p[0].writer);
  EXPECT_EQ(look(), readers(0, 1));
  EXPECT_EQ(calls.take(), "poll epoll_wait");
  EXPECT_EQ(look(), readers(0, 1));
  EXPECT_EQ(calls.take(), "epoll_wait poll");
  drain(p[0].reader);
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "epoll_wait poll");
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "poll");
}

TEST_F(AdaptiveMixed, AnInterruptedPollLosesNoEdgeThatEpollHasDelivered) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::edge);
  put(p[2].writer);
  EXPECT_EQ(look(), readers(2, 3));
  drain(p[2].reader);
  put(p[0].writer);
  const scoped_fault<&system_calls::poll> interrupted(EINTR, {.times = 1});
  EXPECT_EQ(look(), readers(0, 1));
  EXPECT_EQ(interrupted.count(), 1);
  EXPECT_TRUE(look().empty());
}

TEST_F(AdaptiveMixed, AFailingEpollLosesNoOneshotThatPollHasDelivered) {
  register_all();
  s.modify(p[1].reader, read, {}, trigger::oneshot);
  put(p[0].writer);
  put(p[1].writer);
  {
    const scoped_fault<&system_calls::epoll_wait> fails(ENOMEM);
    const std::vector<int> found = look();
    EXPECT_EQ(std::count(found.begin(), found.end(), p[1].reader), 1);
    EXPECT_EQ(fails.count(), 1);
    EXPECT_EQ(look(), readers(0, 1)) << "epoll is not needed for it any more";
  }
  EXPECT_EQ(look(), readers(0, 1));
}

TEST_F(AdaptiveMixed, NorWhereEpollCannotBeDoneWithout) {
  register_all();
  for (const trigger mode : {trigger::edge, trigger::exclusive}) {
    s.modify(p[1].reader, read, {}, trigger::oneshot);
    s.modify(p[2].reader, read, {}, mode);
    // An exclusive one has all the others watched.
    const std::vector<int> at_once = mode == trigger::edge ? readers(1, 2) : std::vector<int>{};
    EXPECT_TRUE(look().empty());
    put(p[0].writer);
    put(p[1].writer);
    {
      const scoped_fault<&system_calls::epoll_wait> fails(ENOMEM);
      std::vector<int> found;
      for (const event& e : s.select(timeout::zero, {}, ec)) found.push_back(e.fd);
      EXPECT_EQ(found, at_once);
      EXPECT_EQ(fails.count(), 1);
    }
    put(p[2].writer);
    const std::vector<int> found = look();
    EXPECT_EQ(found.size(), 3 - at_once.size());
    EXPECT_TRUE(std::count(found.begin(), found.end(), p[2].reader));
    recorded_calls calls;
    EXPECT_EQ(look().size(), mode == trigger::edge ? 1u : 2u) << "an edge once, the oneshot no more";
    EXPECT_NE(calls.take().find("epoll_wait"), std::string::npos);
    for (const std::size_t i : {0u, 1u, 2u}) drain(p[i].reader);
    EXPECT_TRUE(look().empty());
  }
}

TEST_F(AdaptiveMixed, TheHandleShowsWhatWasInASetThatIsLost) {
  register_all();
  selector outer(backend::poll);
  outer.register_fd(s.native_handle(), read);
  EXPECT_TRUE(look().empty());
  lose_the_set();
  const pipe_ends late = make_pipe();
  s.register_fd(late.reader, read, {}, trigger::edge);
  put(p[0].writer);
  EXPECT_EQ(outer.select(timeout::zero).size(), 1u);
  EXPECT_EQ(look(), readers(0, 1));
}

TEST_F(AdaptiveMixed, NorDoesOneThatCannotBeMasked) {
  regime_.hold(regime::watching);
  register_all();
  regime_.hold(regime::polling);
  EXPECT_TRUE(look().empty());
  regime_.hold(regime::mixed);
  {
    const epoll_ctl_fault refused(EPOLL_CTL_MOD, ENOMEM);
    EXPECT_TRUE(look().empty());
    EXPECT_GT(refused.count(), 0);
  }
  put(p[1].writer);
  EXPECT_EQ(look(), readers(1, 2));
  recorded_calls calls;
  EXPECT_EQ(look(), readers(1, 2));
  EXPECT_EQ(calls.take(), "poll");
}

TEST(AdaptiveUnwanted, ASetThatIsMadeForItHasTheWaker) {
  const hung_up_writer hung;
  selector s(backend::adaptive);
  const waker w = s.make_waker();
  s.register_fd(hung.end, write);
  EXPECT_TRUE(s.select(timeout::zero).empty());
  w.wake();
  EXPECT_TRUE(s.select(2s).woken());
}

TEST_F(AdaptiveMixed, WhatIsPausedStaysSoWhenTheSetIsLost) {
  register_all();
  for (const pipe_ends& each : p) put(each.writer);
  s.pause(p[0].reader);
  s.pause(p[1].reader);
  {
    const scoped_fault<&system_calls::epoll_wait> fails(ENOMEM);
    (void)look();
    EXPECT_EQ(fails.count(), 1);
  }
  regime_.hold(regime::polling);
  EXPECT_EQ(look(), readers(2, count));
  s.resume(p[0].reader);
  s.resume(p[1].reader);
  EXPECT_EQ(look(), readers(0, count));
}

TEST_F(AdaptiveMixed, WhereAllTheWatchedHaveGoneRegisteringCostsNothing) {
  regime_.hold(regime::watching);
  register_all();
  regime_.hold(regime::mixed);
  EXPECT_TRUE(look().empty());
  for (std::size_t i = 0; i < count; i += 2) s.unregister(p[i].reader);
  recorded_calls calls;
  s.register_fd(p[0].reader, read);
  EXPECT_EQ(calls.take(), "") << "what is left has masked entries only";
}

TEST_F(AdaptiveMixed, WhatIsLeftIsWatchedWhenMaskedOnesGo) {
  regime_.hold(regime::watching);
  register_all();
  regime_.hold(regime::mixed);
  EXPECT_TRUE(look().empty());
  for (const std::size_t i : {1u, 2u, 4u, 6u}) s.unregister(p[i].reader);
  put(p[0].writer);
  EXPECT_EQ(look(), readers(0, 1));
}

TEST_F(AdaptiveMixed, AnEntryThatStayedArmedWakesNobody) {
  regime_.hold(regime::watching);
  register_all();
  regime_.hold(regime::polling);
  EXPECT_TRUE(look().empty());
  regime_.hold(regime::mixed);
  EXPECT_TRUE(look().empty());
  put(p[1].writer);
  recorded_calls calls;
  EXPECT_EQ(look(), readers(1, 2));
  EXPECT_EQ(calls.take(), "poll");
}

TEST_F(AdaptiveMixed, ASetThatCouldNotHaveTheWakerIsNotWaitedFor) {
  regime_.hold(regime::polling);
  register_all();
  const waker w = s.make_waker();
  regime_.hold(regime::watching);
  {
    const epoll_ctl_fault no_room(EPOLL_CTL_ADD, ENOSPC, {.times = 1});
    EXPECT_TRUE(look().empty());
    EXPECT_EQ(no_room.count(), 1);
  }
  EXPECT_TRUE(look().empty());
  w.wake();
  EXPECT_TRUE(s.select(2s).woken());
}

TEST_F(AdaptiveMixed, TheMaskedEntryOfAHangUpShowsItselfOnceAtMost) {
  regime_.hold(regime::watching);
  register_all();
  regime_.hold(regime::mixed);
  EXPECT_TRUE(look().empty());
  p[1].writer.close();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(look(), readers(1, 2));
  recorded_calls calls;
  EXPECT_EQ(look(), readers(1, 2));
  EXPECT_EQ(calls.take(), "poll");
}

TEST_F(AdaptiveMixed, NorAfterPollHasFoundItsNumberClosed) {
  regime_.hold(regime::watching);
  register_all();
  regime_.hold(regime::mixed);
  EXPECT_TRUE(look().empty());
  const descriptor kept = duplicate(p[1].reader);
  p[1].writer.close();
  const std::vector<int> closed = readers(1, 2);
  p[1].reader.close();
  const scoped_fault<&system_calls::epoll_create> no_room(ENOMEM);
  EXPECT_EQ(look(), closed);
  EXPECT_GE(no_room.count(), 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(look().empty());
}

TEST_F(AdaptiveMixed, ALostSetIsMadeAnewBeforeItIsWaitedFor) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::edge);
  EXPECT_TRUE(look().empty());
  lose_the_set();
  put(p[2].writer);
  const selection found = s.select(2s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].fd, p[2].reader);
  EXPECT_EQ(look(), readers(2, 3));
}

TEST_F(AdaptiveMixed, ASetThatWasLostDisturbsNoWait) {
  register_all();
  lose_the_set();
  regime_.hold(regime::polling);
  const pipe_ends takes_its_numbers[] = {make_pipe(), make_pipe()};
  put(takes_its_numbers[0].writer);
  put(takes_its_numbers[1].writer);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.select(1ms).empty());
  recorded_calls calls;
  EXPECT_TRUE(s.select(3ms).empty());
  EXPECT_LE(calls.take().size(), sizeof "poll poll");
  put(p[0].writer);
  put(p[1].writer);
  EXPECT_EQ(look(), readers(0, 2));
}

TEST_F(AdaptiveMixed, EverythingIsPolledWhenTheSetIsLostHoweverMuchItWas) {
  regime_.hold(regime::watching);
  register_all();
  const std::vector<pipe_ends> late = make_pipes(200);
  for (const pipe_ends& each : late) s.register_fd(each.reader, read);
  for (const pipe_ends& each : late) put(each.writer);
  const scoped_fault<&system_calls::epoll_wait> fails(ENOMEM);
  EXPECT_EQ(look().size(), late.size());
  EXPECT_EQ(look().size(), late.size());
}

TEST_F(AdaptiveMixed, AFullResultAsksNobodyElse) {
  const descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  s.register_fd(file, read);
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  (void)s.native_handle();  // from now on what can be watched has to be
  put(p[0].writer);
  (void)look();
  recorded_calls calls;
  std::map<int, int> seen;
  for (int i = 0; i < 8; ++i) {
    for (const int fd : look({.limit = 1})) ++seen[fd];
    const std::string made = calls.take();
    EXPECT_TRUE(made == "poll" || made == "epoll_wait poll") << made;
  }
  EXPECT_EQ(seen, (std::map<int, int>{{file, 4}, {p[0].reader, 4}}));
}

}  // namespace
}  // namespace selectors::tests
