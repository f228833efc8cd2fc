// CLO: descriptors that were closed behind the selector's back, numbers that came back as other files, and ghosts.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void stale_key_is_invalid_at_most_once(context& c) {
  pipe_ends p = make_pipe();
  const int number = p.reader;
  c.s().add(number, read);
  put(p.writer);
  p.reader.close();
  int invalid = 0;
  for (int i = 0; i < 10; ++i) {
    for (const event& e : c.s().wait(1ms).events) {
      EXPECT_EQ(e.fd, number);
      EXPECT_FALSE(any(e.ready)) << to_string(e);
      EXPECT_TRUE(any(e.flags & status::invalid)) << to_string(e);
      ++invalid;
    }
  }
  EXPECT_LE(invalid, 1);
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
  EXPECT_TRUE(silent(c));
}

void stale_keys_of_every_interest_are_silent(context& c) {
  std::vector<pair_ends> pairs;
  for (const interest wanted : {read, write, read | write, priority}) {
    if (wanted == priority && !c.can(feature::priority)) continue;
    pairs.push_back(make_socket_pair());
    c.s().add(pairs.back().a, wanted);
  }
  for (pair_ends& p : pairs) p.a.close();
  // Each key may be reported once, in one wait or in several.
  for (std::size_t i = 0; i < pairs.size(); ++i) c.s().wait(1ms);
  EXPECT_TRUE(silent(c));
}

void stale_key_is_found_by_audit(context& c) {
  pipe_ends p = make_pipe();
  const pipe_ends good = make_pipe();
  const key stale = c.s().add(p.reader, read, user_data{1});
  c.s().add(good.reader, read, user_data{2});
  EXPECT_TRUE(c.s().audit().empty());
  p.reader.close();
  EXPECT_EQ(c.s().audit(), std::vector{stale});
  c.s().wait(1ms);
  EXPECT_EQ(c.s().audit(), std::vector{stale}) << "also after a wait";
  c.s().unregister(stale.fd);
  EXPECT_TRUE(c.s().audit().empty());
}

void stale_keys_hide_no_other_key(context& c) {
  std::vector<pipe_ends> dead = make_pipes(3);
  const pipe_ends good = make_pipe();
  c.s().add(dead[0].reader, read);
  c.s().add(good.reader, read);
  c.s().add(dead[1].reader, read);
  c.s().add(dead[2].writer, write);
  put(good.writer);
  dead[0].reader.close();
  dead[1].reader.close();
  dead[2].writer.close();
  for (int i = 0; i < 5; ++i) {
    const outcome o = c.s().wait(patience);
    const std::optional<event> e = entry_of(o, good.reader);
    EXPECT_TRUE(e && e->ready == read) << "wait " << i << ": " << to_string(o);
    for (const event& other : o.events)
      EXPECT_TRUE(other.fd == good.reader || !any(other.ready)) << to_string(other);
  }
  take(good.reader);
  EXPECT_TRUE(silent(c));
}

void unregister_after_close_succeeds(context& c) {
  pipe_ends p = make_pipe();
  const int number = p.reader;
  const key k = c.s().add(number, read, user_data{6});
  p.reader.close();
  EXPECT_EQ(c.s().unregister(number).fd, k.fd);
  EXPECT_TRUE(refused(std::errc::no_such_file_or_directory, [&] { c.s().unregister(number); }));
  const pipe_ends next = make_pipe_at(number);
  EXPECT_TRUE(accepted([&] { c.s().add(number, read); }));
  EXPECT_TRUE(silent(c));
  put(next.writer);
  EXPECT_TRUE(reports(c.s(), {{number, read}}));
}

void unregister_after_reuse_succeeds(context& c) {
  pipe_ends p = make_pipe();
  const int number = p.reader;
  c.s().add(number, read, user_data{1});
  p.reader.close();
  const pipe_ends next = make_pipe_at(number);
  const std::unique_ptr<subject> other = c.another();
  other->add(number, read);
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
  put(next.writer);
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(reports(*other, {{number, read}})) << "the newcomer's registration elsewhere";
  EXPECT_TRUE(accepted([&] { c.s().add(number, read); }));
  EXPECT_TRUE(reports(c.s(), {{number, read}}));
}

void unregister_after_reuse_leaves_a_duplicate_alone(context& c) {
  pipe_ends p = make_pipe();
  const int number = p.reader;
  const pipe_ends living = make_pipe();
  c.s().add(number, read);
  c.s().add(living.reader, read);
  p.reader.close();
  const descriptor reused = duplicate_onto(living.reader, number);
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
  put(living.writer);
  EXPECT_TRUE(reports(c.s(), {{living.reader, read}}));
}

// What closes beside it does not bring it up.
void paused_stale_key_is_silent_beside_another(context& c) {
  std::vector<pipe_ends> p = make_pipes(2);
  for (const pipe_ends& each : p) c.s().add(each.reader, read);
  const int paused = p[0].reader;
  const int other = p[1].reader;
  c.s().pause(paused);
  for (pipe_ends& each : p) each.reader.close();
  for (int i = 0; i < 3; ++i) {
    for (const event& e : c.s().wait(1ms).events) EXPECT_EQ(e.fd, other);
  }
  for (const int number : {paused, other}) EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
}

void stale_keys_keep_the_limit(context& c) {
  std::vector<pipe_ends> p = make_pipes(4);
  for (const pipe_ends& each : p) c.s().add(each.reader, read);
  put(p[3].writer);
  for (std::size_t i = 0; i < 3; ++i) p[i].reader.close();
  for (int i = 0; i < 4; ++i) EXPECT_LE(c.s().wait(patience, {.limit = 1}).events.size(), 1u);
  EXPECT_TRUE(entry_of(c.s().wait(patience), p[3].reader));
}

void expect_adoption(context& c, bool after_a_wait) {
  pair_ends old = make_socket_pair();
  const int number = old.a;
  c.s().add(number, read, user_data{1});
  old.a.close();
  if (after_a_wait) c.s().wait(1ms);
  const pipe_ends next = make_pipe_at(number);
  EXPECT_TRUE(accepted([&] { c.s().modify(number, read | write, user_data{2}, trigger::level); }));
  EXPECT_TRUE(silent(c));
  put(next.writer);
  const std::optional<event> e = entry_of(c.s().wait(patience), number);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->ready, read);
  if (c.can(feature::user_data)) {
    EXPECT_EQ(e->data, user_data{2});
  }
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
  EXPECT_TRUE(silent(c));
}

void modify_adopts_the_new_file(context& c) {
  expect_adoption(c, false);
}

void modify_adopts_after_the_old_one_was_found_stale(context& c) {
  expect_adoption(c, true);
}

void reused_number_hides_no_other_key(context& c) {
  pipe_ends old = make_pipe();
  const pipe_ends good = make_pipe();
  const int number = old.reader;
  c.s().add(number, read);
  c.s().add(good.reader, read);
  old.reader.close();
  const pipe_ends next = make_pipe_at(number);
  put(next.writer);
  put(good.writer);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(eventually(c.s(), good.reader, read));
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
  EXPECT_TRUE(reports(c.s(), {{good.reader, read}}));
}

void duplicates_are_independent_keys(context& c) {
  const pipe_ends p = make_pipe();
  const descriptor twin = duplicate(p.reader);
  c.s().add(p.reader, read, user_data{1});
  c.s().add(twin, read, user_data{2});
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}, {twin, read}}));
  c.s().unregister(p.reader);
  EXPECT_TRUE(reports(c.s(), {{twin, read}}));
}

void old_entry_of_a_reused_number_is_recognisable(context& c) {
  std::vector<pipe_ends> pipes = make_readable_pipes(2);
  const key first = c.s().add(pipes[0].reader, read, user_data{1});
  const key second = c.s().add(pipes[1].reader, read, user_data{2});
  const outcome batch = c.s().wait(patience);
  ASSERT_TRUE(holds(batch, {{first.fd, read}, {second.fd, read}}));
  // The handling of the first entry closes the second one's descriptor and opens another file with its number.
  const event later = batch.events[1];
  pipe_ends& victim = pipes[later.fd == second.fd ? 1 : 0];
  c.s().unregister(later.fd);
  victim.reader.close();
  const pipe_ends next = make_pipe_at(later.fd);
  const key newcomer = c.s().add(later.fd, read, user_data{3});
  EXPECT_NE(later.generation, newcomer.generation);
  EXPECT_TRUE(holds(c.s().wait(timeout::zero), {{batch.events[0].fd, read}}));
  if (c.can(feature::unregister_by_key)) {
    key old = newcomer;
    old.generation = later.generation;
    EXPECT_TRUE(refused(std::errc::no_such_file_or_directory, [&] { c.s().unregister(old); }));
  }
}

void close_in_another_thread_is_survived(context& c) {
  pipe_ends p = make_pipe();
  const pipe_ends good = make_pipe();
  const int number = p.reader;
  c.s().add(number, read);
  c.s().add(good.reader, read);
  std::thread closer([&] {
    std::this_thread::sleep_for(20ms);
    p.reader.close();
  });
  const stopwatch watch;
  EXPECT_TRUE(accepted([&] { c.s().wait(100ms); }));
  EXPECT_LT(watch.elapsed(), 2s);
  closer.join();
  put(good.writer);
  EXPECT_TRUE(eventually(c.s(), good.reader, read));
  take(good.reader);
  c.s().wait(1ms);
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
}

void audit_lists_no_healthy_key_and_changes_nothing(context& c) {
  std::vector<pipe_ends> pipes = make_pipes(6);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  if (c.can(feature::pause)) c.s().pause(pipes[1].reader);
  if (c.can(feature::oneshot | feature::modify)) {
    c.s().modify(pipes[3].reader, read, {}, trigger::oneshot);
    put(pipes[3].writer);
    EXPECT_TRUE(reports(c.s(), {{pipes[3].reader, read}})) << "and is healthy, though it has fired";
  }
  const key dead_one = c.s().get_key(pipes[2].reader);
  const key dead_two = c.s().get_key(pipes[4].reader);
  pipes[2].reader.close();
  pipes[4].reader.close();
  for (int i = 0; i < 2; ++i) {
    std::vector<key> stale = c.s().audit();
    std::ranges::sort(stale, {}, &key::fd);
    EXPECT_EQ(stale, (std::vector{dead_one, dead_two}));
  }
  c.s().unregister(dead_one);
  c.s().unregister(dead_two);
  put(pipes[0].writer);
  put(pipes[1].writer);
  std::vector<expected_event> expected{{pipes[0].reader, read}};
  if (!c.can(feature::pause)) expected.push_back({pipes[1].reader, read});
  EXPECT_TRUE(reports(c.s(), expected));
}

// A reused number may be listed, where the kernel can tell, or not; nothing else may.
void audit_of_a_reused_number_registers_nothing(context& c) {
  pipe_ends old = make_pipe();
  const pipe_ends good = make_pipe();
  const int number = old.reader;
  c.s().add(number, read);
  c.s().add(good.reader, read);
  old.reader.close();
  const pipe_ends next = make_pipe_at(number);
  for (const key& k : c.s().audit()) EXPECT_EQ(k.fd, number);
  c.s().unregister(number);
  put(next.writer);
  EXPECT_TRUE(silent(c)) << "the audit left something behind";
}

void churn_leaves_an_empty_selector(context& c) {
  const pipe_ends good = make_pipe();
  c.s().add(good.reader, read);
  std::vector<descriptor> keepers;
  for (int i = 0; i < 400; ++i) {
    pipe_ends p = make_pipe();
    put(p.writer);
    const int number = p.reader;
    c.s().add(number, read);
    if (i % 3 == 0) c.s().wait(timeout::zero);
    if (i % 5 == 0) keepers.push_back(duplicate(number, 300));
    if (i % 2 == 0) {
      c.s().unregister(number);
      p.reader.close();
    } else {
      p.reader.close();
      c.s().unregister(number);
    }
  }
  if (c.can(feature::counting)) {
    EXPECT_EQ(c.s().size(), 1u);
  }
  EXPECT_TRUE(silent(c));
  put(good.writer);
  EXPECT_TRUE(reports(c.s(), {{good.reader, read}}));
}

void unregister_blanks_the_entry_at_hand(context& c) {
  std::vector<pipe_ends> pipes = make_readable_pipes(3);
  for (std::size_t i = 0; i < pipes.size(); ++i) c.s().add(pipes[i].reader, read, user_data{i + 1});
  for (pipe_ends& p : pipes) p.writer.close();  // so that there is a status, too
  ASSERT_EQ(c.s().wait(patience).events.size(), 3u);
  c.s().unregister(pipes[1].reader);
  const std::vector<event> now = c.s().revisit();
  ASSERT_EQ(now.size(), 3u);
  for (const event& e : now) {
    const bool blanked = e.fd != pipes[0].reader && e.fd != pipes[2].reader;
    EXPECT_EQ(any(e.ready), !blanked) << to_string(e);
    EXPECT_EQ(e.data == user_data{}, blanked) << to_string(e);
    EXPECT_EQ(any(e.flags), !blanked && c.can(feature::status)) << to_string(e);
  }
}

}  // namespace

std::span<const test_case> closed_descriptors_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"CLO-01"}, "StaleKeyIsInvalidAtMostOnce", stale_key_is_invalid_at_most_once},
      {{"CLO-01"}, "StaleKeysOfEveryInterestAreSilent", stale_keys_of_every_interest_are_silent},
      {{"CLO-01", "CLO-18"}, "StaleKeyIsFoundByAudit", stale_key_is_found_by_audit, audit | user_data},
      {{"CLO-02"}, "StaleKeysHideNoOtherKey", stale_keys_hide_no_other_key},
      {{"CLO-01", "MOD-14"},
       "PausedStaleKeyIsSilentBesideAnother",
       paused_stale_key_is_silent_beside_another,
       pause},
      {{"CLO-02", "FAI-01"}, "StaleKeysKeepTheLimit", stale_keys_keep_the_limit, limit},
      {{"CLO-04"}, "UnregisterAfterCloseSucceeds", unregister_after_close_succeeds, names_errors},
      {{"CLO-05"}, "UnregisterAfterReuseSucceeds", unregister_after_reuse_succeeds},
      {{"CLO-05"},
       "UnregisterAfterReuseLeavesADuplicateAlone",
       unregister_after_reuse_leaves_a_duplicate_alone},
      {{"CLO-06"}, "ModifyAdoptsTheNewFile", modify_adopts_the_new_file, modify},
      {{"CLO-06"},
       "ModifyAdoptsAfterTheOldOneWasFoundStale",
       modify_adopts_after_the_old_one_was_found_stale,
       modify},
      {{"CLO-06"}, "ReusedNumberHidesNoOtherKey", reused_number_hides_no_other_key},
      {{"CLO-13"}, "DuplicatesAreIndependentKeys", duplicates_are_independent_keys},
      {{"CLO-15"},
       "OldEntryOfAReusedNumberIsRecognisable",
       old_entry_of_a_reused_number_is_recognisable,
       generations | names_errors},
      {{"CLO-16"}, "CloseInAnotherThreadIsSurvived", close_in_another_thread_is_survived},
      {{"CLO-18"},
       "AuditListsNoHealthyKeyAndChangesNothing",
       audit_lists_no_healthy_key_and_changes_nothing,
       audit | get_key | unregister_by_key},
      {{"CLO-18"}, "AuditOfAReusedNumberRegistersNothing", audit_of_a_reused_number_registers_nothing, audit},
      {{"CLO-19"}, "ChurnLeavesAnEmptySelector", churn_leaves_an_empty_selector},
      {{"CLO-20"},
       "UnregisterBlanksTheEntryAtHand",
       unregister_blanks_the_entry_at_hand,
       live_results | user_data},
  };
  return cases;
}

}  // namespace selectors::conformance
