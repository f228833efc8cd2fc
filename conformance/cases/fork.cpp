// FRK: selectors in forked children.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

verdict as_verdict(const testing::AssertionResult& r, const char* what = "") {
  return says(static_cast<bool>(r), std::string(what) + ": " + r.message());
}

std::set<int> open_numbers() {
  std::set<int> numbers;
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) numbers.insert(fd);
  }
  return numbers;
}

void own_descriptors_are_close_on_exec(context& c) {
  const pipe_ends p = make_pipe();
  const std::set<int> before = open_numbers();
  const std::unique_ptr<subject> s = c.another();
  s->add(p.reader, read);
  if (c.can(feature::waker)) s->make_waker();
  if (c.can(feature::native_handle)) s->native_handle();
  s->wait(timeout::zero);
  for (const int fd : open_numbers()) {
    if (before.contains(fd)) continue;
    EXPECT_TRUE((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) << "descriptor " << fd;
  }
}

// A child may do what it likes with the selector it has inherited; each verb is tried, and the answers are
// collected.
class verbs_in_a_child {
 public:
  verbs_in_a_child(context& c, int registered, int free) : c_(c), registered_(registered), free_(free) {}

  // The first verb that was not refused, or the empty string.
  std::string try_all() {
    using enum feature;
    subject& s = c_.s();
    expect("register_fd", [&] { s.add(free_, read); });
    expect("wait", [&] { s.wait(timeout::zero); });
    if (c_.can(limit)) expect("wait with options", [&] { s.wait(timeout::zero, {.limit = 1}); });
    if (c_.can(modify)) expect("modify", [&] { s.modify(registered_, write); });
    if (c_.can(pause)) expect("pause", [&] { s.pause(registered_); });
    if (c_.can(pause)) expect("resume", [&] { s.resume(registered_); });
    if (c_.can(get_key)) expect("get_key", [&] { s.get_key(registered_); });
    if (c_.can(get_map)) expect("get_map", [&] { s.get_map(); });
    if (c_.can(waker)) expect("make_waker", [&] { s.make_waker(); });
    if (c_.can(native_handle)) expect("native_handle", [&] { s.native_handle(); });
    if (c_.can(audit)) expect("audit", [&] { s.audit(); });
    expect("unregister", [&] { s.unregister(registered_); });
    return complaint_;
  }

 private:
  void expect(const char* verb, const std::function<void()>& call) {
    const auto r = refused(std::errc::operation_not_permitted, call);
    if (!r && complaint_.empty()) complaint_ = std::string(verb) + ": " + r.message();
  }

  context& c_;
  int registered_;
  int free_;
  std::string complaint_;
};

void every_verb_fails_in_a_child(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  c.s().add(p.reader, read);
  const child_result r = in_child([&]() -> verdict {
    verbs_in_a_child verbs(c, p.reader, other.reader);
    std::string complaint = verbs.try_all();
    if (complaint.empty()) complaint = verbs.try_all();
    return says(complaint.empty(), complaint);
  });
  EXPECT_TRUE(r.good()) << r;
}

void child_disturbs_nothing(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(3);
  const pipe_ends childs = make_pipe();
  put(childs.writer);
  put(pipes[0].writer);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  const child_result r = in_child([&]() -> verdict {
    for (const pipe_ends& p : pipes) verbs_in_a_child(c, p.reader, childs.reader).try_all();
    if (c.can(feature::close)) c.s().close();
    return {0, {}};
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read}}));
  for (std::size_t i : {1u, 2u}) put(pipes[i].writer);
  EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read}, {pipes[1].reader, read}, {pipes[2].reader, read}}));
  for (const pipe_ends& p : pipes) take(p.reader);
  EXPECT_TRUE(silent(c)) << "nothing of the child's is watched";
}

void child_takes_no_edge_away(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read, trigger::edge);
  put(p.writer);
  const child_result r = in_child([&]() -> verdict {
    verbs_in_a_child(c, p.reader, p.writer).try_all();
    return {0, {}};
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void grandchild_is_refused_too(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const child_result r = in_child([&]() -> verdict {
    const child_result inner = in_child([&]() -> verdict {
      return as_verdict(refused(std::errc::operation_not_permitted, [&] { c.s().wait(timeout::zero); }));
    });
    const std::unique_ptr<subject> own = c.another();
    own->add(p.reader, read);
    if (!inner.good()) return {1, inner.message};
    return as_verdict(silent(*own, c.info()), "a selector of the child's own");
  });
  EXPECT_TRUE(r.good()) << r;
}

struct family {
  pipe_ends level, paused, fired, childs;
};

// What the child does after reinit_after_fork.
verdict live_on_in_the_child(context& c, const family& f) {
  subject& s = c.s();
  s.reinit_after_fork();
  if (const auto r = reports(s, {{f.level.reader, read, user_data{1}}}); !r) return as_verdict(r, "level");
  s.resume(f.paused.reader);
  s.modify(f.fired.reader, read);
  if (const auto r = holds(s.wait(patience), {{f.level.reader, read, user_data{1}},
                                              {f.paused.reader, read, user_data{2}},
                                              {f.fired.reader, read, user_data{3}}});
      !r) {
    return as_verdict(r, "all");
  }
  s.unregister(f.level.reader);
  s.unregister(f.fired.reader);
  s.pause(f.paused.reader);
  put(f.childs.writer);
  s.add(f.childs.reader, read);
  if (const auto r = reports(s, {{f.childs.reader, read}}); !r) return as_verdict(r, "the child's own");
  s.unregister(f.childs.reader);
  return as_verdict(silent(s, c.info()), "at the end");
}

void child_lives_on_after_reinit(context& c) {
  const family f{make_pipe(), make_pipe(), make_pipe(), make_pipe()};
  for (const pipe_ends* const p : {&f.level, &f.paused, &f.fired}) put(p->writer);
  c.s().add(f.level.reader, read, user_data{1});
  c.s().add(f.paused.reader, read, user_data{2});
  c.s().register_fd(f.fired.reader, read, user_data{3}, trigger::oneshot);
  c.s().pause(f.paused.reader);
  EXPECT_TRUE(holds(c.s().wait(patience), {{f.level.reader, read}, {f.fired.reader, read}}));
  const child_result r = in_child([&] { return live_on_in_the_child(c, f); });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(reports(c.s(), {{f.level.reader, read, user_data{1}}})) << "in the parent";
  take(f.level.reader);
  EXPECT_TRUE(silent(c)) << "in the parent";
  c.s().resume(f.paused.reader);
  EXPECT_TRUE(reports(c.s(), {{f.paused.reader, read, user_data{2}}})) << "in the parent";
}

void parent_does_not_reach_a_child_after_reinit(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends reinitialised = make_pipe();
  const pipe_ends unregistered = make_pipe();
  c.s().add(p.reader, read);
  companion child([&]() -> verdict {
    c.s().reinit_after_fork();
    put(reinitialised.writer);
    if (!becomes_true([&] { return take(unregistered.reader) == 1; })) return {1, "the parent is silent"};
    return as_verdict(reports(c.s(), {{p.reader, read}}));
  });
  ASSERT_TRUE(becomes_true([&] { return take(reinitialised.reader) == 1; }));
  c.s().unregister(p.reader);
  put(p.writer);
  put(unregistered.writer);
  const child_result r = child.finish();
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(silent(c)) << "in the parent";
}

bool is_readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, 0) == 1;
}

void handle_stays_the_parents_after_reinit(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  const int handle = c.s().native_handle();
  const child_result r = in_child([&]() -> verdict {
    c.s().reinit_after_fork();
    if (const auto seen = reports(c.s(), {{p.reader, read}}); !seen) return as_verdict(seen, "in the child");
    const int own = c.s().native_handle();
    if (!is_readable(own)) return {1, "the child's handle shows nothing"};
    c.s().unregister(p.reader);
    return says(!is_readable(own), "the child's handle shows what is the parent's");
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(is_readable(handle)) << "in the parent";
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  take(p.reader);
  EXPECT_TRUE(silent(c));
  EXPECT_FALSE(is_readable(handle)) << "in the parent";
}

void reinit_in_the_parent_does_nothing(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends fired = make_pipe();
  put(fired.writer);
  const key k = c.s().add(p.reader, read, user_data{4});
  c.s().add(fired.reader, read, trigger::oneshot);
  EXPECT_TRUE(reports(c.s(), {{fired.reader, read}}));
  const int handle = c.can(feature::native_handle) ? c.s().native_handle() : -1;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(accepted([&] { c.s().reinit_after_fork(); }));
  EXPECT_TRUE(silent(c));
  if (c.can(feature::get_key)) {
    EXPECT_EQ(c.s().get_key(p.reader), k);
  }
  if (c.can(feature::native_handle)) {
    EXPECT_EQ(c.s().native_handle(), handle);
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void destructor_in_a_child_disturbs_nothing(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(3);
  put(pipes[0].writer);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  const child_result r = in_child([&]() -> verdict {
    c.destroy();
    return {0, {}};
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read}}));
  put(pipes[1].writer);
  EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read}, {pipes[1].reader, read}}));
}

void destructor_after_reinit_disturbs_nothing(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  const child_result r = in_child([&]() -> verdict {
    c.s().reinit_after_fork();
    c.destroy();
    return {0, {}};
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void waker_in_a_child_wakes_nobody(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  const std::shared_ptr<const wake_handle> w = c.s().make_waker();
  const child_result r = in_child([&]() -> verdict {
    for (int i = 0; i < 3; ++i) w->wake();
    return {0, {}};
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(silent(c));
  w->wake();
  EXPECT_TRUE(c.s().wait(patience).woken) << "the parent's still works";
}

void waker_after_reinit_wakes_the_child_only(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  const std::shared_ptr<const wake_handle> old = c.s().make_waker();
  const child_result r = in_child([&]() -> verdict {
    c.s().reinit_after_fork();
    old->wake();
    if (const auto quiet_now = silent(c); !quiet_now) return as_verdict(quiet_now, "the parent's waker");
    c.s().make_waker()->wake();
    const bool woken = c.s().wait(patience).woken;
    old->wake();
    return says(woken, "the child's waker does not wake it");
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(silent(c)) << "in the parent";
}

// A wake of the parent's that the child finds pending stays the parent's.
void pending_wake_stays_the_parents(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const std::shared_ptr<const wake_handle> w = c.s().make_waker();
  w->wake();
  const child_result r = in_child([&]() -> verdict {
    c.s().reinit_after_fork();
    if (const auto without_one = silent(c); !without_one) return as_verdict(without_one, "without a waker");
    c.s().make_waker();
    return as_verdict(silent(c), "with a waker of its own");
  });
  EXPECT_TRUE(r.good()) << r;
  EXPECT_TRUE(c.s().wait(patience).woken);
}

}  // namespace

std::span<const test_case> fork_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"FRK-01"}, "OwnDescriptorsAreCloseOnExec", own_descriptors_are_close_on_exec},
      {{"FRK-02"}, "EveryVerbFailsInAChild", every_verb_fails_in_a_child, fork_guard | names_errors},
      {{"FRK-02"}, "ChildDisturbsNothing", child_disturbs_nothing, fork_guard},
      {{"FRK-02"}, "ChildTakesNoEdgeAway", child_takes_no_edge_away, fork_guard | edge},
      {{"FRK-02"}, "GrandchildIsRefusedToo", grandchild_is_refused_too, fork_guard | names_errors},
      {{"FRK-03"},
       "ChildLivesOnAfterReinit",
       child_lives_on_after_reinit,
       reinit_after_fork | pause | oneshot | modify | user_data},
      {{"FRK-03"},
       "ParentDoesNotReachAChildAfterReinit",
       parent_does_not_reach_a_child_after_reinit,
       reinit_after_fork},
      {{"FRK-03", "TYP-12"},
       "HandleStaysTheParentsAfterReinit",
       handle_stays_the_parents_after_reinit,
       reinit_after_fork | native_handle},
      {{"FRK-03"},
       "ReinitInTheParentDoesNothing",
       reinit_in_the_parent_does_nothing,
       reinit_after_fork | oneshot},
      {{"FRK-05"}, "DestructorInAChildDisturbsNothing", destructor_in_a_child_disturbs_nothing},
      {{"FRK-05", "FRK-03"},
       "DestructorAfterReinitDisturbsNothing",
       destructor_after_reinit_disturbs_nothing,
       reinit_after_fork},
      {{"FRK-20"}, "WakerInAChildWakesNobody", waker_in_a_child_wakes_nobody, waker | fork_guard},
      {{"FRK-20", "FRK-03"},
       "WakerAfterReinitWakesTheChildOnly",
       waker_after_reinit_wakes_the_child_only,
       waker | reinit_after_fork},
      {{"FRK-20", "FRK-03"},
       "PendingWakeStaysTheParents",
       pending_wake_stays_the_parents,
       waker | reinit_after_fork},
  };
  return cases;
}

}  // namespace selectors::conformance
