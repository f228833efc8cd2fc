// LIF: closing, moving and destroying selectors.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

// Open, with the flags that `make_pipe` gave it.
testing::AssertionResult untouched(int fd) {
  if (::fcntl(fd, F_GETFD) != FD_CLOEXEC) return testing::AssertionFailure() << fd << " is closed or changed";
  const int flags = ::fcntl(fd, F_GETFL);
  if ((flags & O_NONBLOCK) == 0) return testing::AssertionFailure() << fd << " is blocking now";
  if ((flags & (O_ASYNC | O_APPEND)) != 0) return testing::AssertionFailure() << fd << " has new flags";
  return testing::AssertionSuccess();
}

void use_everything(context& c, subject& s, const pipe_ends& p) {
  s.add(p.reader, read);
  if (c.can(feature::waker)) s.make_waker()->wake();
  if (c.can(feature::native_handle)) s.native_handle();
  s.wait(timeout::zero);
}

void callers_descriptors_stay_open(context& c) {
  const pipe_ends p = make_pipe();
  const pair_ends u = make_socket_pair();
  put(p.writer);
  put(u.b, 3);
  const auto use = [&](subject& s) {
    s.add(p.reader, read);
    s.add(p.writer, write);
    s.add(u.a, read | write);
    s.wait(patience);
    s.unregister(p.writer);
    s.wait(timeout::zero);
  };
  use(c.s());
  c.destroy();
  {
    const std::unique_ptr<subject> second = c.another();
    use(*second);
    if (c.can(feature::close)) second->close();
  }
  for (const int fd : {p.reader.get(), p.writer.get(), u.a.get(), u.b.get()}) EXPECT_TRUE(untouched(fd));
  EXPECT_EQ(drain(p.reader), 1u);
  EXPECT_EQ(drain(u.a), 3u);
}

void close_is_idempotent(context& c) {
  const pipe_ends p = make_pipe();
  use_everything(c, c.s(), p);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(accepted([&] { c.s().close(); }));
  c.destroy();
  EXPECT_TRUE(untouched(p.reader));
}

void destructor_closes(context& c) {
  const pipe_ends p = make_pipe();
  c.destroy();
  const std::size_t before = open_descriptors();
  std::unique_ptr<subject> s = c.another();
  use_everything(c, *s, p);
  s.reset();
  EXPECT_EQ(open_descriptors(), before);
}

// A number that was the selector's belongs to the next file; closing again must not hit that.
void numbers_are_given_back_once(context& c) {
  const pipe_ends p = make_pipe();
  use_everything(c, c.s(), p);
  c.s().close();
  const std::vector<pipe_ends> newcomers = make_pipes(4);
  c.s().close();
  c.destroy();
  for (const pipe_ends& n : newcomers) {
    EXPECT_TRUE(untouched(n.reader));
    EXPECT_TRUE(untouched(n.writer));
  }
}

// Every verb answers bad_file_descriptor.
void expect_closed(context& c, subject& s, int registered, int free) {
  using enum feature;
  const auto expect = [&](const char* verb, const std::function<void()>& call) {
    EXPECT_TRUE(refused(std::errc::bad_file_descriptor, call)) << verb;
  };
  expect("register_fd", [&] { s.add(free, read); });
  expect("register_fd of a bad number", [&] { s.add(-1, read); });
  expect("unregister", [&] { s.unregister(registered); });
  expect("wait", [&] { s.wait(timeout::zero); });
  expect("endless wait", [&] { s.wait(timeout::infinite); });
  if (c.can(limit)) expect("wait with options", [&] { s.wait(timeout::zero, {.limit = 1}); });
  if (c.can(unregister_by_key))
    expect("unregister by key", [&] { s.unregister(key{.fd = registered, .data = {}}); });
  if (c.can(modify)) expect("modify", [&] { s.modify(registered, write); });
  if (c.can(modify)) expect("modify with data", [&] { s.modify(registered, read, {}, trigger::level); });
  if (c.can(pause)) expect("pause", [&] { s.pause(registered); });
  if (c.can(pause)) expect("resume", [&] { s.resume(registered); });
  if (c.can(get_key)) expect("get_key", [&] { s.get_key(registered); });
  if (c.can(get_map)) expect("get_map", [&] { s.get_map(); });
  if (c.can(waker)) expect("make_waker", [&] { s.make_waker(); });
  if (c.can(native_handle)) expect("native_handle", [&] { s.native_handle(); });
  if (c.can(audit)) expect("audit", [&] { s.audit(); });
  if (c.can(counting)) {
    EXPECT_EQ(s.size(), 0u);
    EXPECT_FALSE(s.contains(registered));
  }
}

void every_verb_fails_after_close(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  c.s().close();
  expect_closed(c, c.s(), p.reader, other.reader);
  c.s().close();
  expect_closed(c, c.s(), p.reader, other.reader);
}

void close_before_any_use_is_close(context& c) {
  const pipe_ends p = make_pipe();
  c.s().close();
  expect_closed(c, c.s(), p.reader, p.writer);
}

void what_was_returned_stays_valid(context& c) {
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  for (std::size_t i = 0; i < pipes.size(); ++i) c.s().add(pipes[i].reader, read, user_data{i + 1});
  const key k = c.s().get_key(pipes[0].reader);
  std::vector<key> map = c.s().get_map();
  const outcome result = c.s().wait(patience);
  const std::vector<key> map_then = map;
  const std::vector<event> events_then = result.events;
  ASSERT_EQ(events_then.size(), 3u);
  c.s().unregister(pipes[1].reader);
  const std::unique_ptr<subject> moved = c.s().move_out();
  EXPECT_EQ(moved->get_key(pipes[0].reader), k) << "a key is the same after a move";
  EXPECT_TRUE(accepted([&] { EXPECT_EQ(moved->unregister(k), k); }));
  moved->close();
  c.destroy();
  EXPECT_EQ(map, map_then);
  EXPECT_EQ(result.events, events_then);
}

void selectors_leak_no_descriptor(context& c) {
  const pipe_ends p = make_pipe();
  const descriptor file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  put(p.writer);
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    const std::unique_ptr<subject> s = c.another();
    s->add(p.reader, read);
    if (i % 4 == 0 && c.can(feature::waker)) s->make_waker()->wake();
    if (i % 3 == 0 && c.can(feature::regular_files)) s->add(file, write);
    if (i % 4 == 1 && c.can(feature::native_handle)) s->native_handle();
    if (i % 2 == 0) s->wait(timeout::zero);
    if (i % 5 == 0 && c.can(feature::close)) s->close();
  }
  EXPECT_EQ(open_descriptors(), before);
}

void a_new_selector_knows_nothing_of_the_last(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  put(p.writer);
  put(other.writer);
  c.s().add(p.reader, read, user_data{1});
  if (c.can(feature::waker)) c.s().make_waker()->wake();
  c.s().wait(timeout::zero);
  if (c.can(feature::waker)) c.s().make_waker()->wake();
  c.destroy();
  const std::unique_ptr<subject> fresh = c.another();
  EXPECT_TRUE(silent(*fresh, c.info()));
  EXPECT_TRUE(accepted([&] { fresh->add(p.reader, read, user_data{2}); }));
  const outcome result = fresh->wait(patience);
  EXPECT_TRUE(holds(result, {{p.reader, read}}));
  EXPECT_FALSE(result.woken);
}

// Every state that a registration can be in, and numbers that have other owners by the time.
void destroying_in_the_midst_is_safe(context& c) {
  std::vector<pipe_ends> pipes = make_readable_pipes(6);
  const pair_ends fired = make_socket_pair();
  const pipe_ends later_file = make_pipe();
  const descriptor keeper = duplicate(pipes[1].reader);
  subject& s = c.s();
  for (const pipe_ends& p : pipes) s.add(p.reader, read);
  if (c.can(feature::pause)) s.pause(pipes[0].reader);
  if (c.can(feature::oneshot)) s.add(fired.a, write, trigger::oneshot);
  const int ghost = pipes[1].reader;
  const int stale = pipes[2].reader;
  pipes[1].reader.close();
  s.unregister(ghost);
  // At once: a set that is rebuilt may take any free number.
  const descriptor owns_ghosts = duplicate_onto(later_file.reader, ghost);
  s.wait(patience);
  pipes[2].reader.close();
  const descriptor owns_stale = duplicate_onto(later_file.writer, stale);
  c.destroy();
  for (const int fd : {owns_ghosts.get(), owns_stale.get(), keeper.get(), fired.a.get()}) {
    ASSERT_TRUE(untouched(fd));
  }
  for (const std::size_t i : {0u, 3u, 4u, 5u}) EXPECT_TRUE(untouched(pipes[i].reader)) << i;
  const std::unique_ptr<subject> fresh = c.another();
  put(owns_stale);
  EXPECT_TRUE(accepted([&] { fresh->add(owns_ghosts, read); }));
  EXPECT_TRUE(reports(*fresh, {{owns_ghosts, read}}));
}

void moved_from_is_closed(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  const std::unique_ptr<subject> moved = c.s().move_out();
  expect_closed(c, c.s(), p.reader, other.reader);
  if (c.can(feature::close)) {
    EXPECT_TRUE(accepted([&] { c.s().close(); }));
  }
  EXPECT_TRUE(reports(*moved, {{p.reader, read}}));
  c.destroy();
  EXPECT_TRUE(reports(*moved, {{p.reader, read}})) << "after the old place is gone";
}

void everything_moves(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(3);
  for (std::size_t i = 0; i < pipes.size(); ++i) c.s().add(pipes[i].reader, read, user_data{i + 1});
  if (c.can(feature::pause)) c.s().pause(pipes[2].reader);
  const int handle = c.can(feature::native_handle) ? c.s().native_handle() : -1;
  const std::unique_ptr<subject> moved = c.s().move_out();
  EXPECT_TRUE(silent(*moved, c.info()));
  for (const pipe_ends& p : pipes) put(p.writer);
  std::vector<expected_event> expected{{pipes[0].reader, read, user_data{1}},
                                       {pipes[1].reader, read, user_data{2}}};
  if (!c.can(feature::pause)) expected.push_back({pipes[2].reader, read, user_data{3}});
  EXPECT_TRUE(reports(*moved, expected));
  if (c.can(feature::counting)) {
    EXPECT_EQ(moved->size(), 3u);
  }
  if (c.can(feature::native_handle)) {
    EXPECT_EQ(moved->native_handle(), handle);
  }
  EXPECT_TRUE(accepted([&] { moved->unregister(pipes[0].reader); }));
}

void last_result_moves(context& c) {
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  for (std::size_t i = 0; i < pipes.size(); ++i) c.s().add(pipes[i].reader, read, user_data{i + 1});
  const outcome result = c.s().wait(patience);
  ASSERT_EQ(result.events.size(), 3u);
  const std::unique_ptr<subject> moved = c.s().move_out();
  EXPECT_EQ(c.s().revisit(), result.events) << "the view from before the move";
  moved->unregister(pipes[1].reader);
  const std::vector<event> now = c.s().revisit();
  ASSERT_EQ(now.size(), 3u);
  EXPECT_EQ(std::ranges::count_if(now, [](const event& e) { return any(e.ready); }), 2)
      << "unregister at the new place blanks the entry";
}

}  // namespace

std::span<const test_case> lifetime_cases() {
  using enum feature;
  constexpr feature whole = close | names_errors;
  static const std::vector<test_case> cases{
      {{"LIF-01"}, "CallersDescriptorsStayOpen", callers_descriptors_stay_open},
      {{"LIF-01"}, "CloseIsIdempotent", close_is_idempotent, close},
      {{"LIF-01", "LIF-05"}, "DestructorCloses", destructor_closes},
      {{"LIF-01", "LIF-05"}, "NumbersAreGivenBackOnce", numbers_are_given_back_once, close},
      {{"LIF-02"}, "EveryVerbFailsAfterClose", every_verb_fails_after_close, whole},
      {{"LIF-02"}, "CloseBeforeAnyUseIsClose", close_before_any_use_is_close, whole},
      {{"LIF-03"},
       "WhatWasReturnedStaysValid",
       what_was_returned_stays_valid,
       close | move | get_key | get_map | unregister_by_key | user_data},
      {{"LIF-05"}, "SelectorsLeakNoDescriptor", selectors_leak_no_descriptor},
      {{"LIF-06", "LIF-01"}, "ANewSelectorKnowsNothingOfTheLast", a_new_selector_knows_nothing_of_the_last},
      {{"LIF-06"}, "DestroyingInTheMidstIsSafe", destroying_in_the_midst_is_safe},
      {{"LIF-20", "LIF-02"}, "MovedFromIsClosed", moved_from_is_closed, move | names_errors},
      {{"LIF-20"}, "EverythingMoves", everything_moves, move | user_data},
      {{"LIF-20"}, "LastResultMoves", last_result_moves, move | live_results | user_data},
  };
  return cases;
}

}  // namespace selectors::conformance
