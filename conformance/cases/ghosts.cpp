// CLO, second part: what a kernel set still holds of files whose number was closed and unregistered.
#include <gtest/gtest.h>
#include <poll.h>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

// A registration whose file lives on through `keeper` after its number was closed.
struct ghost {
  int number;
  descriptor keeper;
  descriptor writer;
};

ghost make_ghost(subject& s) {
  pipe_ends p = make_pipe();
  ghost g{p.reader, duplicate(p.reader, 200), duplicate(p.writer, 200)};
  s.add(g.number, read);
  p.reader.close();
  s.unregister(g.number);
  return g;
}

void ghost_is_never_reported(context& c) {
  const ghost quiet_first = make_ghost(c.s());
  EXPECT_TRUE(silent(c));
  put(quiet_first.writer);
  EXPECT_TRUE(silent(c));
  pipe_ends p = make_pipe();
  put(p.writer);
  const descriptor keeper = duplicate(p.reader);
  c.s().add(p.reader, read);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  const int number = p.reader;
  p.reader.close();
  c.s().unregister(number);
  EXPECT_TRUE(silent(c)) << "it was ready when it was closed";
}

void ghost_is_not_credited_to_the_next_owner(context& c) {
  const ghost g = make_ghost(c.s());
  const pipe_ends next = make_pipe_at(g.number);
  c.s().add(g.number, read, user_data{2});
  put(g.writer);
  EXPECT_TRUE(silent(c));
  put(next.writer);
  EXPECT_TRUE(reports(c.s(), {{g.number, read}}));
  take(next.reader);
  EXPECT_TRUE(silent(c));
}

void ghosts_crowd_out_nobody(context& c) {
  std::vector<ghost> ghosts;
  for (int i = 0; i < 3; ++i) ghosts.push_back(make_ghost(c.s()));
  const pipe_ends live = make_pipe();
  c.s().add(live.reader, read);
  for (const ghost& g : ghosts) put(g.writer);
  put(live.writer);
  EXPECT_TRUE(holds(c.s().wait(patience), {{live.reader, read}}));
}

void ghosts_take_no_place_within_a_limit(context& c) {
  std::vector<ghost> ghosts;
  for (int i = 0; i < 3; ++i) ghosts.push_back(make_ghost(c.s()));
  const pipe_ends live = make_pipe();
  c.s().add(live.reader, read);
  for (const ghost& g : ghosts) put(g.writer);
  put(live.writer);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(holds(c.s().wait(patience, wait_options{.limit = 1}), {{live.reader, read}})) << "wait " << i;
  }
}

void ghost_ends_no_wait_early(context& c) {
  const ghost g = make_ghost(c.s());
  put(g.writer);
  EXPECT_TRUE(silent(c, 100ms));
  EXPECT_TRUE(silent(c, 50ms));
}

void ghost_is_evicted(context& c) {
  const pipe_ends live = make_pipe();
  c.s().add(live.reader, read);
  const ghost g = make_ghost(c.s());
  put(g.writer);
  EXPECT_TRUE(silent(c));
  const call_counts calls = calls_during(c.s(), [&] { EXPECT_TRUE(silent(c)); });
  EXPECT_EQ(calls.waits, 1u);
  EXPECT_EQ(calls.other, 0u);
  put(live.writer);
  EXPECT_TRUE(reports(c.s(), {{live.reader, read}}));
}

// What is out of the kernel's set on purpose has to stay out when the set is made anew.
void eviction_keeps_everything_else(context& c) {
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  c.s().add(pipes[0].reader, read, user_data{1});
  c.s().add(pipes[1].reader, read, trigger::oneshot);
  c.s().add(pipes[2].reader, read, user_data{3});
  EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read}, {pipes[1].reader, read}, {pipes[2].reader, read}}));
  c.s().pause(pipes[2].reader);
  const ghost g = make_ghost(c.s());
  put(g.writer);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read, user_data{1}}}));
  c.s().resume(pipes[2].reader);
  c.s().modify(pipes[1].reader, read);
  EXPECT_TRUE(reports(c.s(), {{pipes[0].reader, read}, {pipes[1].reader, read}, {pipes[2].reader, read}}));
}

void native_handle_survives_an_eviction(context& c) {
  const pipe_ends live = make_pipe();
  c.s().add(live.reader, read);
  const int handle = c.s().native_handle();
  const std::unique_ptr<subject> outer = c.another();
  outer->add(handle, read);
  const ghost g = make_ghost(c.s());
  put(g.writer);
  EXPECT_TRUE(silent(c));
  EXPECT_EQ(c.s().native_handle(), handle);
  EXPECT_TRUE(silent(*outer, c.info()));
  put(live.writer);
  EXPECT_TRUE(reports(*outer, {{handle, read}}));
}

void ghost_kept_by_a_child_is_quiet(context& c) {
  pipe_ends p = make_pipe();
  const int number = p.reader;
  c.s().add(number, read);
  companion child([]() -> verdict {
    ::poll(nullptr, 0, 20'000);
    return {0, {}};
  });
  p.reader.close();
  c.s().unregister(number);
  put(p.writer);
  EXPECT_TRUE(silent(c, 60ms));
  EXPECT_TRUE(silent(c));
}

}  // namespace

std::span<const test_case> ghosts_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"CLO-07"}, "GhostIsNeverReported", ghost_is_never_reported},
      {{"CLO-08"}, "GhostIsNotCreditedToTheNextOwner", ghost_is_not_credited_to_the_next_owner},
      {{"CLO-09"}, "GhostsCrowdOutNobody", ghosts_crowd_out_nobody},
      {{"CLO-09"}, "GhostsTakeNoPlaceWithinALimit", ghosts_take_no_place_within_a_limit, limit},
      {{"CLO-10"}, "GhostEndsNoWaitEarly", ghost_ends_no_wait_early},
      {{"CLO-11"}, "GhostIsEvicted", ghost_is_evicted, counts_calls},
      {{"CLO-11", "MOD-14"},
       "EvictionKeepsEverythingElse",
       eviction_keeps_everything_else,
       modify | pause | oneshot | user_data},
      {{"CLO-11", "TYP-12"},
       "NativeHandleSurvivesAnEviction",
       native_handle_survives_an_eviction,
       native_handle},
      {{"CLO-14"}, "GhostKeptByAChildIsQuiet", ghost_kept_by_a_child_is_quiet},
  };
  return cases;
}

}  // namespace selectors::conformance
