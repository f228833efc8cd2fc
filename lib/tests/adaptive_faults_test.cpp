// What the kernel refuses to epoll is polled: no registration fails for it, nothing is lost, and it is tried again
// later. Also counted here: what purchases cost, and that the way back costs nothing.
#include <algorithm>
#include <chrono>
#include <optional>
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

// A call that is refused: an operation of epoll_ctl(2), or 0 for epoll_create.
struct refusal {
  int operation;
  int error;
};

std::vector<refusal> every_refusal() {
  std::vector<refusal> all;
  for (const int error : {EMFILE, ENFILE, ENOMEM, ENOSPC, EPERM}) {
    for (const int operation : {0, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL})
      all.push_back({operation, error});
  }
  return all;
}

std::string refusal_name(const refusal& r) {
  const std::array names = {"create", "add", "del", "mod"};
  return std::string(names.at(static_cast<std::size_t>(r.operation))) + "_" + ::strerrorname_np(r.error);
}

class refused_calls {
 public:
  explicit refused_calls(const refusal& r, occurrences which = {}) {
    if (r.operation == 0) {
      create_.emplace(r.error, which);
    } else {
      control_.emplace(r.operation, r.error, which);
    }
  }
  int count() const noexcept { return create_ ? create_->count() : control_->count(); }

 private:
  std::optional<scoped_fault<&system_calls::epoll_create>> create_;
  std::optional<epoll_ctl_fault> control_;
};

class AdaptiveFaults : public ::testing::Test {
 protected:
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
  // A readable file that the kernel's set still has, and nobody can name any more.
  void make_ghost() {
    pipe_ends ghost = make_pipe();
    s.register_fd(ghost.reader, read);
    (void)look();
    kept.push_back(duplicate(ghost.reader, 100));
    put(ghost.writer);
    const int number = ghost.reader;
    ghost.reader.close();
    s.unregister(number);
    kept.push_back(std::move(ghost.writer));
  }
  // That everything is in the epoll set: what was refused once was tried again.
  void expect_all_watched() {
    const held_regime watching(regime::watching);
    (void)look();
    recorded_calls calls;
    (void)look();
    EXPECT_EQ(calls.take(), "epoll_wait");
  }

  static constexpr std::size_t count = 8;

  std::vector<descriptor> kept;
  std::vector<pipe_ends> p = odd_and_even_pipes(count);
  selector s{backend::adaptive};
  std::error_code ec;
};

// ------------------------------------------------------------------- every verb, in every regime, before and after

struct refused_in {
  refusal what;
  regime before;
  regime during;
};

std::vector<refused_in> every_refusal_in_every_regime() {
  std::vector<refused_in> all;
  for (const refusal& r : every_refusal()) {
    for (const regime before : all_regimes) {
      for (const regime during : all_regimes) all.push_back({r, before, during});
    }
  }
  return all;
}

class Refused : public AdaptiveFaults, public ::testing::WithParamInterface<refused_in> {
 protected:
  held_regime regime_{GetParam().before};
};

TEST_P(Refused, NoVerbFailsAndNothingIsLost) {
  register_all();
  s.modify(p[4].reader, read, {}, trigger::oneshot);
  s.modify(p[5].reader, read, {}, trigger::oneshot);
  const pipe_ends late[] = {make_pipe(), make_pipe()};
  for (const pipe_ends& each : p) put(each.writer);
  for (const pipe_ends& each : late) put(each.writer);
  EXPECT_EQ(look(), readers());
  {
    const refused_calls refused(GetParam().what);
    regime_.hold(GetParam().during);
    for (const pipe_ends& each : late) s.register_fd(each.reader, read);
    s.unregister(p[0].reader);
    s.unregister(p[1].reader);
    s.pause(p[2].reader);
    s.pause(p[3].reader);
    s.modify(p[4].reader, read);  // oneshot: armed again
    s.modify(p[5].reader, read, {}, trigger::level);
    s.modify(p[6].reader, read | peer_closed);
    s.modify(p[7].reader, write);
    std::vector<int> expected = readers(4, 7);
    for (const pipe_ends& each : late) expected.push_back(each.reader);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(look(), expected);
    std::erase(expected, p[4].reader);
    EXPECT_EQ(look(), expected) << "the oneshot has fired";
    s.resume(p[2].reader);
    s.resume(p[3].reader);
    s.resume(p[4].reader);
    s.modify(p[7].reader, read);
    expected.insert(expected.end(), {p[2].reader, p[3].reader, p[4].reader, p[7].reader});
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(look(), expected);
    for (const regime r : all_regimes) {
      regime_.hold(r);
      std::erase(expected, p[4].reader);
      EXPECT_EQ(look(), expected) << "on to " << name_of(r);
    }
    s.register_fd(p[0].reader, read);
    s.register_fd(p[1].reader, read);
  }
  s.resume(p[4].reader);
  std::vector<int> all = readers();
  for (const pipe_ends& each : late) all.push_back(each.reader);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(look(), all);
  for (const regime r : all_regimes) {
    regime_.hold(r);
    std::erase(all, p[4].reader);
    EXPECT_EQ(look(), all) << "afterwards, " << name_of(r);
  }
  // Also what seemed to be refused for good is tried again when it is modified.
  for (const int fd : all) s.modify(fd, read | priority);
  expect_all_watched();
}

TEST_P(Refused, EdgeAndExclusiveFailCleanlyOrWork) {
  register_all();
  EXPECT_TRUE(look().empty());
  pipe_ends q[] = {make_pipe(), make_pipe()};
  for (const trigger mode : {trigger::edge, trigger::exclusive}) {
    // Where the set has to be made anew, as for a failed change to exclusive, EPERM says that a number is another file's.
    if (mode == trigger::exclusive && GetParam().what.error == EPERM) break;
    for (const pipe_ends& each : q) {
      put(each.writer);
      {
        const refused_calls refused(GetParam().what);
        regime_.hold(GetParam().during);
        s.register_fd(each.reader, read, {}, mode, ec);
        EXPECT_EQ(s.contains(each.reader), !ec);
        EXPECT_TRUE(!ec || ec.value() == GetParam().what.error) << ec.message();
        s.modify(p[0].reader, read, {}, mode, ec);
        EXPECT_TRUE(!ec || ec.value() == GetParam().what.error) << ec.message();
        EXPECT_EQ(s.get_key(p[0].reader).mode, ec ? trigger::level : mode)
            << "a failed modify changes nothing";
        if (!s.contains(each.reader)) {
          EXPECT_TRUE(look().empty());
        }
      }
      if (!s.contains(each.reader)) s.register_fd(each.reader, read, {}, mode);
      put(p[0].writer);
      const std::vector<int> expected{each.reader, p[0].reader};
      EXPECT_EQ(look(), expected);
      drain(p[0].reader);
      s.modify(p[0].reader, read, {}, trigger::level);
      s.unregister(each.reader);
      EXPECT_TRUE(look().empty());
    }
  }
  for (const pipe_ends& each : p) s.modify(each.reader, read | peer_closed);
  expect_all_watched();
}

INSTANTIATE_TEST_SUITE_P(, Refused, ::testing::ValuesIn(every_refusal_in_every_regime()),
                         [](const auto& tested) {
                           return refusal_name(tested.param.what) + "_" + name_of(tested.param.before) + "_" +
                                  name_of(tested.param.during);
                         });

// ---------------------------------------------------------------------------- a set that has to be made anew in a wait

class RefusedRebuild : public AdaptiveFaults,
                       public ::testing::WithParamInterface<std::tuple<refusal, regime>> {
 protected:
  refusal what() const { return std::get<0>(GetParam()); }

  held_regime regime_{std::get<1>(GetParam())};
};

TEST_P(RefusedRebuild, NothingIsLost) {
  register_all();
  EXPECT_TRUE(look().empty());
  make_ghost();
  make_ghost();
  for (std::size_t i = 0; i < 4; ++i) put(p[i].writer);
  const std::size_t open = open_descriptors();
  {
    const refused_calls refused(what());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(look(), readers(0, 4));
    for (std::size_t i = 0; i < 4; ++i) drain(p[i].reader);
    EXPECT_TRUE(look().empty());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.select(1ms).empty());
    put(p[4].writer);
    put(p[5].writer);
    EXPECT_EQ(s.select().size(), 2u) << "a wait without end does end";
    EXPECT_EQ(look({.limit = 1}).size(), 1u);
  }
  EXPECT_EQ(look(), readers(4, 6));
  EXPECT_LE(open_descriptors(), open);
  expect_all_watched();
  EXPECT_EQ(look(), readers(4, 6));
}

TEST_P(RefusedRebuild, WhatOnlyEpollCanDoComesBack) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::edge);
  s.modify(p[1].reader, read, {}, trigger::edge);
  EXPECT_TRUE(look().empty());
  make_ghost();
  make_ghost();
  {
    const refused_calls refused(what());
    for (int i = 0; i < 3; ++i) {
      const selection found = s.select(timeout::zero, {}, ec);
      EXPECT_TRUE(!ec || ec.value() == what().error) << ec.message();
      EXPECT_TRUE(found.empty());
    }
  }
  put(p[0].writer);
  put(p[1].writer);
  put(p[2].writer);
  EXPECT_EQ(look(), readers(0, 3));
  EXPECT_EQ(look(), readers(2, 3));
}

TEST_P(RefusedRebuild, ANativeHandleStaysTheSame) {
  register_all();
  EXPECT_TRUE(look().empty());
  const int handle = s.native_handle();
  selector outer(backend::poll);
  outer.register_fd(handle, read);
  make_ghost();
  make_ghost();
  {
    const refused_calls refused(what());
    for (int i = 0; i < 3; ++i) (void)s.select(timeout::zero, {}, ec);
    EXPECT_EQ(s.native_handle(ec), handle);
  }
  EXPECT_TRUE(look().empty());
  EXPECT_TRUE(outer.select(timeout::zero).empty());
  put(p[0].writer);
  put(p[1].writer);
  EXPECT_EQ(outer.select(timeout::zero).size(), 1u);
  EXPECT_EQ(look(), readers(0, 2));
}

INSTANTIATE_TEST_SUITE_P(
    , RefusedRebuild,
    ::testing::Combine(::testing::Values(refusal{0, EMFILE}, refusal{0, ENFILE}, refusal{0, ENOMEM},
                                         refusal{EPOLL_CTL_ADD, ENOMEM}, refusal{EPOLL_CTL_ADD, ENOSPC}),
                       ::testing::ValuesIn(all_regimes)),
    [](const auto& tested) {
      return refusal_name(std::get<0>(tested.param)) + "_" + name_of(std::get<1>(tested.param));
    });

// ------------------------------------------------------------------------------ a condition that nobody asked for

class RefusedUnwanted : public AdaptiveFaults, public ::testing::WithParamInterface<refusal> {};

TEST_P(RefusedUnwanted, IsSilentAndHeardOfLater) {
  const hung_up_writer w;
  register_all();
  s.register_fd(w.end, write);
  {
    const refused_calls refused(GetParam());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.select(1ms).empty());
    EXPECT_GT(refused.count(), 0);
    put(p[0].writer);
    EXPECT_EQ(look(), readers(0, 1));
  }
  w.make_room();
  int heard = 0;
  for (int i = 0; i < 10; ++i) heard += static_cast<int>(s.select(timeout::zero).size() == 2);
  EXPECT_GE(heard, 2);
}

INSTANTIATE_TEST_SUITE_P(, RefusedUnwanted,
                         ::testing::Values(refusal{0, EMFILE}, refusal{0, ENOMEM},
                                           refusal{EPOLL_CTL_ADD, ENOSPC}),
                         [](const auto& tested) { return refusal_name(tested.param); });

// --------------------------------------------------------------------------------------------------- forked children

TEST_F(AdaptiveFaults, AReinitThatFailsMayBeRepeated) {
  const held_regime watching(regime::watching);
  register_all();
  EXPECT_TRUE(look().empty());
  for (const pipe_ends& each : p) put(each.writer);
  const std::string wrong = in_child([&]() -> std::string {
    for (const refusal& r : {refusal{0, EMFILE}, refusal{0, ENOMEM}, refusal{EPOLL_CTL_ADD, ENOSPC}}) {
      const refused_calls refused(r);
      for (int i = 0; i < 2; ++i) {
        s.reinit_after_fork(ec);
        if (ec.value() != r.error) return refusal_name(r) + ": " + ec.message();
        (void)s.select(timeout::zero, {}, ec);
        if (ec != errc::forked) return refusal_name(r) + ", afterwards: " + ec.message();
      }
    }
    s.reinit_after_fork();
    return wrong_unless(look() == readers(), "not everything is there");
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(look(), readers());
}

// ------------------------------------------------------------------------------------------- purchases, as they come

class Purchase : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 64;

  Purchase() {
    for (const pipe_ends& each : p) s.register_fd(each.reader, read);
    calls.take();
  }

  // The calls of the waits until one is made of `call` alone, which has to come.
  std::string wait_until(const std::string& call, std::size_t ready) {
    std::string made;
    for (int i = 0; i < 2000; ++i) {
      EXPECT_EQ(s.select(timeout::zero).size(), ready);
      const std::string last = calls.take();
      if (last == call) return made;
      (made += made.empty() ? "" : " ") += last;
    }
    ADD_FAILURE() << "never " << call;
    return made;
  }
  static std::ptrdiff_t times(const std::string& made, const std::string& call) {
    std::ptrdiff_t n = 0;
    for (std::size_t i = made.find(call); i != std::string::npos; i = made.find(call, i + 1)) ++n;
    return n;
  }

  std::vector<pipe_ends> p = make_pipes(count);
  recorded_calls calls;
  selector s{backend::adaptive};
};

TEST_F(Purchase, CostsAnEntryEachAndTheWayBackNothing) {
  const std::string bought = wait_until("epoll_wait", 0);
  EXPECT_EQ(times(bought, "epoll_create"), 1);
  EXPECT_EQ(times(bought, "epoll_ctl"), static_cast<std::ptrdiff_t>(count));
  EXPECT_GE(times(bought, "poll"), 10) << "not at the first doubt";
  for (const pipe_ends& each : p) put(each.writer);
  const std::string back = wait_until("poll", count);
  EXPECT_EQ(times(back, "epoll_ctl"), 0) << back;
  for (const pipe_ends& each : p) drain(each.reader);
  const std::string again = wait_until("epoll_wait", 0);
  EXPECT_EQ(times(again, "epoll_ctl"), 0) << "the entries have stayed: " << again;
  EXPECT_EQ(times(again, "epoll_create"), 0);
}

TEST_F(Purchase, IsNotMadeForOneWait) {
  for (int i = 0; i < 2; ++i) {
    selector brief(backend::adaptive);
    for (const pipe_ends& each : p) brief.register_fd(each.reader, read);
    calls.take();
    EXPECT_TRUE(brief.select(timeout::zero).empty());
    EXPECT_EQ(calls.take(), "poll");
    brief.close();
    EXPECT_EQ(calls.take(), "") << "no kernel object was made";
  }
}

TEST_F(Purchase, ThatIsRefusedInTheMiddleIsCompletedLater) {
  {
    const epoll_ctl_fault refused(EPOLL_CTL_ADD, ENOSPC, {.skip = 10});
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(s.select(timeout::zero).empty());
    EXPECT_GT(refused.count(), 0);
    for (const pipe_ends& each : p) put(each.writer);
    EXPECT_EQ(s.select(timeout::zero).size(), count);
    for (const pipe_ends& each : p) drain(each.reader);
  }
  calls.take();
  (void)wait_until("epoll_wait", 0);
}

TEST_F(Purchase, ThatIsRefusedIsTriedAgainNotAtOnceAndNotForEver) {
  {
    const scoped_fault<&system_calls::epoll_create> refused(EMFILE);
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(s.select(timeout::zero).empty());
    EXPECT_GT(refused.count(), 1);
    EXPECT_LT(refused.count(), 60) << "each try has to be earned anew";
    calls.take();
  }
  (void)wait_until("epoll_wait", 0);
}

}  // namespace
}  // namespace selectors::tests
