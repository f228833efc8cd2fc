// The adaptive backend is led through three regimes, whichever way there is; meanwhile registrations of every kind are
// in every state. Nothing may be lost, doubled or reported stale by it.
#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include <selectors/selector.hpp>

#include "children.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"
#include "regimes.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

using path = std::array<regime, 3>;

std::vector<path> every_path() {
  std::vector<path> paths;
  for (const regime a : all_regimes) {
    for (const regime b : all_regimes) {
      for (const regime c : all_regimes) {
        if (a != b && b != c) paths.push_back({a, b, c});
      }
    }
  }
  return paths;
}

std::string path_name(const ::testing::TestParamInfo<path>& info) {
  return name_of(info.param[0]) + "_" + name_of(info.param[1]) + "_" + name_of(info.param[2]);
}

class Transitions : public ::testing::TestWithParam<path> {
 protected:
  // From the next wait on in the next regime of the path.
  void step_on() { regime_.hold(GetParam().at(step_++)); }
  std::vector<int> look_on(wait_options options = {}) {
    step_on();
    return look(options);
  }
  std::vector<int> look(wait_options options = {}) {
    std::vector<int> fds;
    for (const event& e : s.select(timeout::zero, options)) fds.push_back(e.fd);
    std::sort(fds.begin(), fds.end());
    return fds;
  }

  std::vector<int> readers(std::size_t first = 0, std::size_t last = count) const {
    std::vector<int> fds;
    for (std::size_t i = first; i < last; ++i) fds.push_back(p[i].reader);
    return fds;
  }

  void register_all(trigger mode = trigger::level) {
    for (const pipe_ends& each : p) s.register_fd(each.reader, read, {}, mode);
  }

  // A whole wait, in few calls, without entry.
  void expect_silence(const char* what) {
    recorded_calls calls;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(s.select(3ms).empty()) << what;
    EXPECT_GE(std::chrono::steady_clock::now() - start, 3ms) << what;
    const std::string made = calls.take();
    EXPECT_LE(std::count(made.begin(), made.end(), ' '), 8) << what << ": " << made;
  }

  static constexpr std::size_t count = 8;

  std::vector<pipe_ends> p = odd_and_even_pipes(count);
  selector s{backend::adaptive};

 private:
  held_regime regime_{GetParam()[0]};
  std::size_t step_ = 0;
};

TEST_P(Transitions, GoThroughTheSystemCallsThatTheRegimesMake) {
  register_all();
  for (const regime r : GetParam()) {
    (void)look_on();
    recorded_calls calls;
    EXPECT_TRUE(look().empty());
    const std::string made = calls.take();
    EXPECT_EQ(made, r == regime::watching ? "epoll_wait" : "poll") << name_of(r);
    put(p[0].writer);
    put(p[1].writer);
    EXPECT_EQ(look().size(), 2u);
    EXPECT_EQ(calls.take(), r == regime::mixed ? "poll epoll_wait" : made) << name_of(r);
    drain(p[0].reader);
    drain(p[1].reader);
    (void)look();
  }
}

TEST_P(Transitions, LevelIsReportedWhileItHolds) {
  register_all();
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers());
  EXPECT_EQ(look(), readers());
  for (std::size_t i = 2; i < count; ++i) drain(p[i].reader);
  EXPECT_EQ(look_on(), readers(0, 2));
  drain(p[0].reader);
  put(p[2].writer);
  EXPECT_EQ(look(), readers(1, 3));
  put(p[0].writer);
  EXPECT_EQ(look_on(), readers(0, 3));
  for (std::size_t i = 0; i < 3; ++i) drain(p[i].reader);
  EXPECT_TRUE(look().empty());
  expect_silence("all drained");
}

TEST_P(Transitions, ChangesBetweenThemAreSeen) {
  register_all();
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers());
  s.unregister(p[0].reader);
  s.unregister(p[1].reader);
  EXPECT_EQ(look_on(), readers(2));
  s.modify(p[2].reader, write);
  s.modify(p[3].reader, write);
  s.register_fd(p[0].reader, read);
  s.register_fd(p[1].reader, read);
  std::vector<int> expected = readers();
  expected.erase(expected.begin() + 2, expected.begin() + 4);
  EXPECT_EQ(look_on(), expected);
  s.modify(p[2].reader, read);
  s.modify(p[3].reader, read);
  EXPECT_EQ(look(), readers());
}

TEST_P(Transitions, OneshotIsReportedOnce) {
  register_all(trigger::oneshot);
  put(p[0].writer);
  put(p[1].writer);
  EXPECT_EQ(look_on(), readers(0, 2));
  EXPECT_TRUE(look().empty());
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers(2));
  EXPECT_TRUE(look().empty());
  for (pipe_ends& each : p) each.writer.close();
  EXPECT_TRUE(look_on().empty()) << "silent for hang-ups too";
  expect_silence("all have fired");
  for (const pipe_ends& each : p) s.resume(each.reader);
  EXPECT_EQ(look(), readers());
  EXPECT_TRUE(look().empty());
}

TEST_P(Transitions, OneshotIsReportedOnceWhenItHangsUp) {
  register_all(trigger::oneshot);
  EXPECT_TRUE(look_on().empty());
  EXPECT_TRUE(look_on().empty());
  for (pipe_ends& each : p) each.writer.close();
  EXPECT_EQ(look_on(), readers());
  EXPECT_TRUE(look().empty());
  expect_silence("all have fired");
}

TEST_P(Transitions, OneshotThatHasFiredIsArmedInAnotherRegime) {
  register_all(trigger::oneshot);
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers());
  for (const pipe_ends& each : p) s.modify(each.reader, read);
  EXPECT_EQ(look_on(), readers());
  s.modify(p[0].reader, read, {}, trigger::level);
  s.modify(p[1].reader, read, {}, trigger::level);
  EXPECT_EQ(look_on(), readers(0, 2));
  EXPECT_EQ(look(), readers(0, 2));
}

TEST_P(Transitions, AnEdgeIsReportedOnce) {
  register_all(trigger::edge);
  put(p[0].writer);
  put(p[1].writer);
  EXPECT_EQ(look_on(), readers(0, 2));
  EXPECT_TRUE(look().empty());
  EXPECT_TRUE(look_on().empty());
  put(p[1].writer);
  put(p[2].writer);
  EXPECT_EQ(look(), readers(1, 3));
  EXPECT_TRUE(look_on().empty());
  expect_silence("no new edge");
}

TEST_P(Transitions, EdgeAmongOthersIsReportedOnce) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::edge);
  s.modify(p[1].reader, read, {}, trigger::edge);
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers());
  EXPECT_EQ(look(), readers(2));
  EXPECT_EQ(look_on(), readers(2));
  EXPECT_EQ(look_on(), readers(2));
}

TEST_P(Transitions, LevelThatBecomesEdgeIsReportedOnceMore) {
  register_all();
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers());
  EXPECT_EQ(look_on(), readers());
  for (std::size_t i = 0; i < 4; ++i) s.modify(p[i].reader, read, {}, trigger::edge);
  EXPECT_EQ(look_on(), readers());
  EXPECT_EQ(look(), readers(4));
  for (std::size_t i = 0; i < 4; ++i) s.modify(p[i].reader, read, {}, trigger::level);
  EXPECT_EQ(look(), readers());
  EXPECT_EQ(look(), readers());
}

TEST_P(Transitions, LevelThatBecomesExclusiveIsReported) {
  register_all();
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on(), readers());
  EXPECT_EQ(look_on(), readers());
  for (std::size_t i = 0; i < 4; ++i) s.modify(p[i].reader, read, {}, trigger::exclusive);
  EXPECT_EQ(look_on(), readers());
  recorded_calls calls;
  EXPECT_EQ(look(), readers());
  EXPECT_EQ(calls.take(), "epoll_wait") << "nothing may stand between it and its epoll set";
  for (std::size_t i = 0; i < 4; ++i) s.modify(p[i].reader, read, {}, trigger::level);
  EXPECT_EQ(look(), readers());
  drain(p[0].reader);
  EXPECT_EQ(look(), readers(1));
}

TEST_P(Transitions, PausedIsSilent) {
  register_all();
  for (const pipe_ends& each : p) put(each.writer);
  s.pause(p[0].reader);
  s.pause(p[1].reader);
  EXPECT_EQ(look_on(), readers(2));
  s.pause(p[2].reader);
  s.pause(p[3].reader);
  EXPECT_EQ(look_on(), readers(4));
  p[0].writer.close();
  p[2].writer.close();
  EXPECT_EQ(look_on(), readers(4));
  for (std::size_t i = 0; i < 4; ++i) s.resume(p[i].reader);
  EXPECT_EQ(look(), readers());
}

TEST_P(Transitions, AConditionThatNobodyAskedForIsSilentUntilAWantedOneComes) {
  const hung_up_writer a, b;
  register_all();
  s.register_fd(a.end, write);
  s.register_fd(b.end, write);
  EXPECT_TRUE(look_on().empty());
  expect_silence("in the first");
  EXPECT_TRUE(look_on().empty());
  expect_silence("in the second");
  put(p[0].writer);
  EXPECT_EQ(look_on(), readers(0, 1));
  drain(p[0].reader);
  expect_silence("in the third");
  a.make_room();
  b.make_room();
  EXPECT_EQ(look(), (std::vector<int>{a.end, b.end}));
  EXPECT_EQ(look(), (std::vector<int>{a.end, b.end}));
}

TEST_P(Transitions, AHangUpOfAPolledWriterDoesNotSpin) {
  const hung_up_writer a, b;
  register_all();
  EXPECT_TRUE(look_on().empty());
  s.register_fd(a.end, write);
  EXPECT_TRUE(look_on().empty());
  s.register_fd(b.end, write);
  EXPECT_TRUE(look_on().empty());
  expect_silence("none of them may write");
  a.make_room();
  EXPECT_EQ(look(), std::vector<int>{a.end});
  b.make_room();
  EXPECT_EQ(look(), (std::vector<int>{a.end, b.end}));
}

TEST_P(Transitions, AStaleKeyIsInvalidAtMostOnceAndUnregisteredByIdentity) {
  register_all();
  EXPECT_TRUE(look_on().empty());
  const std::vector<key> keys = {s.get_key(p[0].reader), s.get_key(p[1].reader)};
  const std::vector<int> stale = readers(0, 2);
  std::vector<int> invalid;
  const auto look_around = [&](std::vector<int> found) {
    for (const int fd : stale) {
      const auto entry = std::find(found.begin(), found.end(), fd);
      if (entry == found.end()) continue;
      EXPECT_EQ(std::count(invalid.begin(), invalid.end(), fd), 0) << "only once";
      invalid.push_back(fd);
      found.erase(entry);
    }
    return found;
  };
  EXPECT_TRUE(look_on().empty());
  put(p[2].writer);
  put(p[3].writer);
  p[0].reader.close();
  p[1].reader.close();
  EXPECT_EQ(look_around(look()), readers(2, 4));
  EXPECT_EQ(look_around(look_on()), readers(2, 4));
  EXPECT_EQ(look_around(look()), readers(2, 4));
  for (const key& k : keys) EXPECT_EQ(s.unregister(k).fd, k.fd);
  EXPECT_EQ(look(), readers(2, 4));
  EXPECT_TRUE(s.audit().empty());
}

TEST_P(Transitions, AStaleKeyWhoseFileLivesOnIsUnregisteredByIdentity) {
  register_all(trigger::oneshot);
  EXPECT_TRUE(look_on().empty());
  const std::vector<key> keys = {s.get_key(p[0].reader), s.get_key(p[1].reader)};
  const descriptor kept[] = {duplicate(p[0].reader, 100), duplicate(p[1].reader, 100)};
  EXPECT_TRUE(look_on().empty());
  p[0].reader.close();
  p[1].reader.close();
  put(p[2].writer);
  (void)look();
  (void)look_on();
  (void)look();
  for (const key& k : keys) EXPECT_EQ(s.unregister(k).fd, k.fd);
  put(p[0].writer);
  put(p[1].writer);
  put(p[3].writer);
  EXPECT_EQ(look(), readers(3, 4));
}

TEST_P(Transitions, GhostsAreNeitherReportedNorCreditedToTheNumbersNextOwner) {
  register_all();
  put(p[0].writer);
  put(p[1].writer);
  EXPECT_EQ(look_on(), readers(0, 2));
  EXPECT_EQ(look_on(), readers(0, 2));
  const descriptor kept[] = {duplicate(p[0].reader, 100), duplicate(p[1].reader, 100)};
  const std::vector<int> numbers = readers(0, 2);
  for (std::size_t i = 0; i < 2; ++i) p[i].reader.close();
  for (const int number : numbers) s.unregister(number);
  EXPECT_TRUE(look().empty());
  const pipe_ends fresh[] = {make_pipe(), make_pipe()};
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(::dup3(fresh[i].reader, numbers[i], O_CLOEXEC), numbers[i]);
    p[i].reader = descriptor(numbers[i]);
    s.register_fd(numbers[i], read);
  }
  EXPECT_TRUE(look_on().empty());
  expect_silence("ghosts end no wait");
  put(fresh[1].writer);
  EXPECT_EQ(look(), readers(1, 2));
}

TEST_P(Transitions, WhatEpollRefusesIsAlwaysReady) {
  const descriptor a(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const descriptor b = duplicate(a);
  register_all();
  s.register_fd(a, read);
  std::vector<int> expected{a};
  EXPECT_EQ(look_on(), expected);
  s.register_fd(b, read | write);
  expected.push_back(b);
  put(p[0].writer);
  put(p[1].writer);
  expected.insert(expected.end(), {p[0].reader, p[1].reader});
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(look_on(), expected);
  EXPECT_EQ(look_on(), expected);
  s.unregister(a);
  std::erase(expected, a);
  EXPECT_EQ(look(), expected);
}

TEST_P(Transitions, AWakeIsSeenOnce) {
  register_all();
  EXPECT_TRUE(look_on().empty());
  const waker w = s.make_waker();
  w.wake();
  step_on();
  const selection one = s.select();
  EXPECT_TRUE(one.woken());
  EXPECT_TRUE(one.empty());
  EXPECT_FALSE(s.select(timeout::zero).woken());
  w.wake();
  put(p[0].writer);
  put(p[1].writer);
  step_on();
  const selection another = s.select();
  EXPECT_TRUE(another.woken());
  EXPECT_EQ(another.size(), 2u);
  EXPECT_FALSE(s.select(timeout::zero).woken());
}

TEST_P(Transitions, ALimitHidesNobodyForLong) {
  const descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  register_all();
  s.register_fd(file, read);
  s.modify(p[0].reader, read, {}, trigger::exclusive);
  for (const pipe_ends& each : p) put(each.writer);
  for (std::size_t step = 0; step < 3; ++step) {
    std::map<int, int> seen;
    for (std::size_t i = 0; i < 3 * count; ++i) {
      const std::vector<int> found = i == 0 ? look_on({.limit = 2}) : look({.limit = 2});
      EXPECT_EQ(found.size(), 2u);
      for (const int fd : found) ++seen[fd];
    }
    EXPECT_EQ(seen.size(), count + 1) << "in step " << step;
  }
}

TEST_P(Transitions, AChildThatReinitialisesHasEverything) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::oneshot);
  s.modify(p[1].reader, read, {}, trigger::edge);
  for (const pipe_ends& each : p) put(each.writer);
  EXPECT_EQ(look_on().size(), count);
  s.resume(p[0].reader);
  s.pause(p[2].reader);
  (void)look_on();
  s.resume(p[0].reader);
  const std::string wrong = in_child([&]() -> std::string {
    s.reinit_after_fork();
    std::vector<int> expected = readers();
    std::erase(expected, p[2].reader);
    if (look_on() != expected) return "not everything is there";
    s.unregister(p[3].reader);
    std::erase(expected, p[3].reader);
    std::erase(expected, p[1].reader);  // its edge is over
    std::erase(expected, p[0].reader);  // has fired
    if (look() != expected) return "the second look differs";
    s.resume(p[2].reader);
    return wrong_unless(look().size() == expected.size() + 1, "resume");
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(look_on().size(), count - 2) << "all but the paused one and the old edge";
}

INSTANTIATE_TEST_SUITE_P(, Transitions, ::testing::ValuesIn(every_path()), path_name);

}  // namespace
}  // namespace selectors::tests
