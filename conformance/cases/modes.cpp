// MOD: triggers other than level, and pausing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

// A report of an edge: at least one comes, more may, but they end.
testing::AssertionResult reports_edge(context& c, int fd, interest ready) {
  const auto first = reports(c.s(), {{fd, ready}});
  if (!first) return first;
  for (int i = 0; i < 3 && !c.s().wait(1ms).events.empty(); ++i) {
  }
  return silent(c, 10ms);
}

void expect_refused_trigger(context& c, trigger mode) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  put(p.writer);
  put(other.writer);
  const auto not_supported = std::errc::operation_not_supported;
  EXPECT_TRUE(refused(not_supported, [&] { c.s().add(p.reader, read, mode); }));
  EXPECT_TRUE(holds(c.s().wait(timeout::zero), {}));
  c.s().add(other.reader, read, user_data{5});
  if (c.can(feature::modify)) {
    EXPECT_TRUE(refused(not_supported, [&] { c.s().modify(other.reader, write, user_data{6}, mode); }));
  }
  EXPECT_TRUE(reports(c.s(), {{other.reader, read}})) << "the key from before";
  EXPECT_TRUE(accepted([&] { c.s().add(p.reader, read); }));
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}, {other.reader, read}}));
}

void edge_is_refused(context& c) {
  expect_refused_trigger(c, trigger::edge);
}

void oneshot_is_refused(context& c) {
  expect_refused_trigger(c, trigger::oneshot);
}

void exclusive_is_refused(context& c) {
  expect_refused_trigger(c, trigger::exclusive);
}

void unknown_trigger_is_refused(context& c) {
  expect_refused_trigger(c, static_cast<trigger>(99));
}

void expect_refused_interest(context& c, interest wanted) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  const auto not_supported = std::errc::operation_not_supported;
  EXPECT_TRUE(refused(not_supported, [&] { c.s().add(p.a, wanted); }));
  EXPECT_TRUE(refused(not_supported, [&] { c.s().add(p.a, read | wanted); }));
  EXPECT_TRUE(holds(c.s().wait(timeout::zero), {}));
  c.s().add(p.a, read);
  if (c.can(feature::modify)) {
    EXPECT_TRUE(refused(not_supported, [&] { c.s().modify(p.a, read | wanted); }));
  }
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
}

void peer_closed_is_refused(context& c) {
  expect_refused_interest(c, peer_closed);
}

void priority_is_refused(context& c) {
  expect_refused_interest(c, priority);
}

void edge_reports_what_is_ready_at_once(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer, 4);
  c.s().add(p.reader, read, trigger::edge);
  EXPECT_TRUE(reports_edge(c, p.reader, read));
  c.s().unregister(p.reader);
  c.s().add(p.reader, read, trigger::edge);
  EXPECT_TRUE(reports_edge(c, p.reader, read)) << "registered anew";
}

void edge_is_silent_after_a_partial_read(context& c) {
  const pipe_ends p = make_pipe();
  const pair_ends u = make_socket_pair();
  const pair_ends d = make_datagram_pair();
  put(p.writer, 4);
  put(u.b, 4);
  put(d.b);
  put(d.b);
  for (const int fd : {p.reader.get(), u.a.get(), d.a.get()}) {
    c.s().add(fd, read, trigger::edge);
    EXPECT_TRUE(reports_edge(c, fd, read));
    EXPECT_EQ(take(fd), 1u);
    EXPECT_TRUE(silent(c, 10ms)) << fd;
    c.s().unregister(fd);
  }
}

void edge_is_silent_after_one_of_two_connections(context& c) {
  const descriptor listener = make_tcp_listener();
  const descriptor one = make_tcp_socket();
  const descriptor two = make_tcp_socket();
  c.s().add(listener, read, trigger::edge);
  start_connect(one, port_of(listener));
  start_connect(two, port_of(listener));
  EXPECT_TRUE(reports(c.s(), {{listener, read}}));
  while (!c.s().wait(20ms).events.empty()) {
  }
  const descriptor accepted_one(checked(::accept(listener, nullptr, nullptr), "accept"));
  EXPECT_TRUE(silent(c, 10ms));
}

void edge_reports_something_new(context& c) {
  const pipe_ends p = make_pipe();
  const pair_ends u = make_socket_pair();
  const pair_ends t = make_tcp_pair();
  const std::pair<int, int> kinds[] = {{p.reader, p.writer}, {u.a, u.b}, {t.a, t.b}};
  for (const auto& [fd, peer] : kinds) {
    put(peer);
    c.s().add(fd, read, trigger::edge);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(reports_edge(c, fd, read)) << "report " << i << " of " << fd;
      put(peer);
    }
    EXPECT_TRUE(reports_edge(c, fd, read));
    c.s().unregister(fd);
  }
  const descriptor counter(checked(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd"));
  c.s().add(counter, read, trigger::edge);
  EXPECT_TRUE(reports_edge(c, counter, read));
  constexpr std::uint64_t one = 1;
  ASSERT_EQ(::write(counter, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  EXPECT_TRUE(reports_edge(c, counter, read));
}

void modify_reports_what_an_edge_left(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read, trigger::edge);
  EXPECT_TRUE(reports_edge(c, p.reader, read));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(accepted([&] { c.s().modify(p.reader, read); }));
    EXPECT_TRUE(reports_edge(c, p.reader, read)) << "modify " << i;
    EXPECT_TRUE(accepted([&] { c.s().modify(p.reader, read, user_data{3}, trigger::edge); }));
    EXPECT_TRUE(reports_edge(c, p.reader, read)) << "modify with everything " << i;
  }
}

void edge_reports_every_bit_that_holds(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().add(p.a, read | write, trigger::edge);
  EXPECT_TRUE(reports_edge(c, p.a, write));
  put(p.b);
  EXPECT_TRUE(reports_edge(c, p.a, read | write));
}

void edge_reports_a_hang_up(context& c) {
  pair_ends u = make_socket_pair();
  pipe_ends p = make_pipe();
  c.s().add(u.a, read, trigger::edge);
  c.s().add(p.reader, read, trigger::edge);
  EXPECT_TRUE(silent(c, 10ms));
  u.b.close();
  EXPECT_TRUE(reports_edge(c, u.a, read));
  p.writer.close();
  EXPECT_TRUE(reports_edge(c, p.reader, read));
}

void edge_of_room_needs_real_room(context& c) {
  const pipe_ends p = make_pipe();
  fill(p.writer);
  c.s().add(p.writer, write, trigger::edge);
  EXPECT_TRUE(silent(c, 10ms));
  take(p.reader, 1);
  EXPECT_TRUE(silent(c, 10ms)) << "a byte is no room";
  take(p.reader, 8191);
  EXPECT_TRUE(reports_edge(c, p.writer, write));
}

void oneshot_is_reported_once(context& c) {
  pair_ends p = make_socket_pair();
  c.s().register_fd(p.a, read, user_data{8}, trigger::oneshot);
  put(p.b);
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{8}}}));
  EXPECT_TRUE(silent(c, 10ms));
  put(p.b);
  EXPECT_TRUE(silent(c, 10ms)) << "new data";
  EXPECT_TRUE(accepted([&] { c.s().modify(p.a, read); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{8}}})) << "armed again with the same interest";
  p.b.close();
  EXPECT_TRUE(silent(c)) << "a hang-up";
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(p.a, read); }));
  EXPECT_TRUE(accepted([&] { c.s().modify(p.a, read, user_data{9}, trigger::oneshot); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{9}}})) << "what is pending";
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(accepted([&] { c.s().unregister(p.a); }));
  EXPECT_TRUE(silent(c, 10ms));
}

void oneshot_that_is_ready_at_once_is_reported(context& c) {
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  std::vector<expected_event> all;
  for (const pipe_ends& p : pipes) {
    c.s().add(p.reader, read, trigger::oneshot);
    all.push_back({p.reader, read});
  }
  EXPECT_TRUE(holds(c.s().wait(patience), all));
  EXPECT_TRUE(silent(c, 10ms));
  for (const pipe_ends& p : pipes) EXPECT_TRUE(accepted([&] { c.s().unregister(p.reader); }));
  for (const pipe_ends& p : pipes) EXPECT_TRUE(accepted([&] { c.s().add(p.reader, read); }));
  EXPECT_TRUE(reports(c.s(), all));
  EXPECT_TRUE(reports(c.s(), all)) << "level by now";
}

void one_report_uses_up_both_directions(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().add(p.a, read | write, trigger::oneshot);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  put(p.b);
  EXPECT_TRUE(silent(c, 10ms));
  c.s().modify(p.a, read | write);
  EXPECT_TRUE(reports(c.s(), {{p.a, read | write}}));
  EXPECT_TRUE(silent(c, 10ms));
}

void disarmed_oneshot_never_spins(context& c) {
  pair_ends t = make_tcp_pair();
  pair_ends u = make_socket_pair();
  pipe_ends p = make_pipe();
  const pipe_ends good = make_pipe();
  for (const int fd : {t.a.get(), u.a.get(), p.writer.get()}) c.s().add(fd, write, trigger::oneshot);
  c.s().add(good.reader, read);
  EXPECT_TRUE(holds(c.s().wait(patience), {{t.a, write}, {u.a, write}, {p.writer, write}}));
  reset_connection(t.b);
  u.b.close();
  p.reader.close();
  EXPECT_TRUE(silent(c));
  put(good.writer);
  EXPECT_TRUE(reports(c.s(), {{good.reader, read}}));
  take(good.reader);
  EXPECT_TRUE(silent(c));
  c.s().modify(t.a, write);
  EXPECT_TRUE(reports(c.s(), {{t.a, write}}));
  EXPECT_TRUE(silent(c));
}

// What may befall a descriptor while nobody wants to know.
void paused_key_is_silent(context& c) {
  pair_ends reset = make_tcp_pair();
  pair_ends closed = make_socket_pair();
  pipe_ends full = make_pipe();
  const pipe_ends data = make_pipe();
  const interest both = read | write;
  c.s().add(reset.a, both, user_data{1});
  c.s().add(closed.a, both, user_data{2});
  c.s().add(full.writer, write, user_data{3});
  c.s().add(data.reader, read, user_data{4});
  const int all[] = {reset.a, closed.a, full.writer, data.reader};
  for (const int fd : all) c.s().pause(fd);
  EXPECT_TRUE(silent(c));
  reset_connection(reset.b);
  closed.b.close();
  full.reader.close();
  put(data.writer);
  EXPECT_TRUE(silent(c, 40ms));
  for (const int fd : all) EXPECT_TRUE(accepted([&] { c.s().resume(fd); }));
  EXPECT_TRUE(reports(c.s(), {{reset.a, both, user_data{1}},
                              {closed.a, both, user_data{2}},
                              {full.writer, write, user_data{3}},
                              {data.reader, read, user_data{4}}}));
}

void paused_key_stays_registered(context& c) {
  const pipe_ends p = make_pipe();
  const key k = c.s().add(p.reader, read, user_data{7});
  EXPECT_FALSE(k.paused);
  const key paused = c.s().pause(p.reader);
  EXPECT_TRUE(paused.paused);
  EXPECT_EQ(c.s().get_key(p.reader), paused);
  EXPECT_EQ(paused.data, user_data{7});
  EXPECT_EQ(paused.wanted, read);
  EXPECT_EQ(paused.generation, k.generation);
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(p.reader, read); }));
  EXPECT_EQ(c.s().resume(p.reader), k);
  c.s().pause(p.reader);
  EXPECT_TRUE(accepted([&] { c.s().unregister(p.reader); }));
  EXPECT_TRUE(accepted([&] { c.s().add(p.reader, read); }));
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}})) << "a pause does not outlive its key";
}

void paused_edge_and_oneshot_report_after_resume(context& c) {
  for (const trigger mode : {trigger::oneshot, trigger::edge}) {
    if (mode == trigger::edge && !c.can(feature::edge)) continue;
    const pipe_ends p = make_pipe();
    c.s().add(p.reader, read, mode);
    c.s().pause(p.reader);
    put(p.writer);
    EXPECT_TRUE(silent(c, 10ms));
    c.s().resume(p.reader);
    EXPECT_TRUE(reports_edge(c, p.reader, read));
    c.s().unregister(p.reader);
  }
}

void exclusive_takes_read_and_write_only(context& c) {
  const pair_ends p = make_socket_pair();
  const auto not_supported = std::errc::operation_not_supported;
  for (const interest wanted : {priority, peer_closed, read | peer_closed, write | priority}) {
    EXPECT_TRUE(refused(not_supported, [&] { c.s().add(p.a, wanted, trigger::exclusive); }));
  }
  EXPECT_TRUE(accepted([&] { c.s().add(p.a, read | write, trigger::exclusive); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  EXPECT_TRUE(refused(not_supported, [&] { c.s().modify(p.a, read | peer_closed); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, write}})) << "after the refusal";
}

void exclusive_can_be_changed(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().register_fd(p.a, read, user_data{1}, trigger::exclusive);
  EXPECT_TRUE(silent(c, 10ms));
  EXPECT_TRUE(accepted([&] { c.s().modify(p.a, write); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, write, user_data{1}}}));
  EXPECT_TRUE(accepted([&] { c.s().modify(p.a, read, user_data{2}, trigger::exclusive); }));
  EXPECT_TRUE(silent(c, 10ms));
  put(p.b);
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{2}}}));
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{2}}})) << "it is a level";
  for (const trigger mode : {trigger::level, trigger::exclusive}) {
    EXPECT_TRUE(accepted([&] { c.s().modify(p.a, read | write, user_data{3}, mode); }));
    EXPECT_TRUE(reports(c.s(), {{p.a, read | write, user_data{3}}}));
  }
  EXPECT_TRUE(accepted([&] { c.s().unregister(p.a); }));
  EXPECT_TRUE(silent(c, 10ms));
}

void exclusive_wakes_not_every_waiter(context& c) {
  constexpr std::size_t waiters = 4;
  const pipe_ends p = make_pipe();
  std::vector<std::unique_ptr<subject>> selectors;
  for (std::size_t i = 0; i < waiters; ++i) {
    selectors.push_back(c.another());
    selectors.back()->add(p.reader, read, trigger::exclusive);
  }
  std::atomic<int> reports{0};
  std::atomic<int> failures{0};
  {
    std::vector<std::jthread> threads;
    for (const std::unique_ptr<subject>& s : selectors) {
      threads.emplace_back([&] {
        try {
          reports += static_cast<int>(s->wait(150ms).events.size());
        } catch (const std::exception&) {
          ++failures;
        }
      });
    }
    // Registered already: whoever is not yet in its wait is a waiter all the same.
    std::this_thread::sleep_for(30ms);
    put(p.writer);
  }
  EXPECT_EQ(failures, 0);
  EXPECT_GE(reports, 1);
  EXPECT_LT(reports, static_cast<int>(waiters));
}

void change_of_trigger_loses_nothing(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  std::vector<trigger> modes{trigger::oneshot, trigger::level, trigger::oneshot};
  if (c.can(feature::edge)) {
    modes.insert(modes.end(),
                 {trigger::edge, trigger::oneshot, trigger::edge, trigger::level, trigger::edge});
  }
  c.s().add(p.reader, read);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  for (const trigger mode : modes) {
    const key k = c.s().modify(p.reader, read, user_data{static_cast<std::uintptr_t>(mode)}, mode);
    EXPECT_EQ(k.mode, mode);
    EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}})) << "mode " << static_cast<int>(mode);
    if (mode == trigger::level) {
      EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}}));
    } else {
      EXPECT_TRUE(silent(c, 10ms)) << "mode " << static_cast<int>(mode);
    }
  }
}

void pause_and_resume_are_idempotent(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  const key k = c.s().add(p.reader, read, user_data{2});
  EXPECT_EQ(c.s().resume(p.reader), k) << "never paused";
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(accepted([&] { EXPECT_TRUE(c.s().pause(p.reader).paused); }));
  EXPECT_TRUE(silent(c, 10ms));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(accepted([&] { EXPECT_EQ(c.s().resume(p.reader), k); }));
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void resume_arms_a_fired_oneshot(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read, trigger::oneshot);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(silent(c, 10ms));
  c.s().resume(p.reader);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(silent(c, 10ms));
  c.s().pause(p.reader);
  EXPECT_TRUE(silent(c, 10ms)) << "fired, then paused";
  c.s().resume(p.reader);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(silent(c, 10ms));
}

void modify_resumes(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read, user_data{1});
  c.s().pause(p.reader);
  const key k = c.s().modify(p.reader, read);
  EXPECT_FALSE(k.paused);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read, user_data{1}}})) << "with the same interest";
  c.s().pause(p.reader);
  c.s().modify(p.reader, read, user_data{2}, trigger::level);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read, user_data{2}}}));
}

}  // namespace

std::span<const test_case> modes_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"MOD-01"}, "EdgeIsRefusedWhereMissing", edge_is_refused, names_errors, edge},
      {{"MOD-01"}, "OneshotIsRefusedWhereMissing", oneshot_is_refused, names_errors, oneshot},
      {{"MOD-01"}, "ExclusiveIsRefusedWhereMissing", exclusive_is_refused, names_errors, exclusive},
      {{"MOD-01"}, "UnknownTriggerIsRefused", unknown_trigger_is_refused, names_errors},
      {{"MOD-01"},
       "PeerClosedIsRefusedWhereMissing",
       peer_closed_is_refused,
       names_errors,
       feature::peer_closed},
      {{"MOD-01"}, "PriorityIsRefusedWhereMissing", priority_is_refused, names_errors, feature::priority},
      {{"MOD-02"}, "EdgeReportsWhatIsReadyAtOnce", edge_reports_what_is_ready_at_once, edge},
      {{"MOD-03"}, "EdgeIsSilentAfterAPartialRead", edge_is_silent_after_a_partial_read, edge},
      {{"MOD-03"}, "EdgeIsSilentAfterOneOfTwoConnections", edge_is_silent_after_one_of_two_connections, edge},
      {{"MOD-04"}, "EdgeReportsSomethingNew", edge_reports_something_new, edge},
      {{"MOD-05"}, "ModifyReportsWhatAnEdgeLeft", modify_reports_what_an_edge_left, edge | modify},
      {{"MOD-06"}, "EdgeReportsEveryBitThatHolds", edge_reports_every_bit_that_holds, edge},
      {{"MOD-07"}, "EdgeReportsAHangUp", edge_reports_a_hang_up, edge},
      {{"MOD-08"}, "EdgeOfRoomNeedsRealRoom", edge_of_room_needs_real_room, edge},
      {{"MOD-11"},
       "OneshotIsReportedOnce",
       oneshot_is_reported_once,
       oneshot | modify | user_data | names_errors},
      {{"MOD-11"}, "OneshotThatIsReadyAtOnceIsReported", oneshot_that_is_ready_at_once_is_reported, oneshot},
      {{"MOD-12"}, "OneReportUsesUpBothDirections", one_report_uses_up_both_directions, oneshot | modify},
      {{"MOD-13", "MOD-11"}, "DisarmedOneshotNeverSpins", disarmed_oneshot_never_spins, oneshot | modify},
      {{"MOD-14"}, "PausedKeyIsSilent", paused_key_is_silent, pause | user_data},
      {{"MOD-14"},
       "PausedKeyStaysRegistered",
       paused_key_stays_registered,
       pause | get_key | user_data | names_errors},
      {{"MOD-14"},
       "PausedEdgeAndOneshotReportAfterResume",
       paused_edge_and_oneshot_report_after_resume,
       pause | oneshot},
      {{"MOD-15"},
       "ExclusiveTakesReadAndWriteOnly",
       exclusive_takes_read_and_write_only,
       exclusive | modify | names_errors},
      {{"MOD-15"}, "ExclusiveCanBeChanged", exclusive_can_be_changed, exclusive | modify | user_data},
      {{"MOD-15"}, "ExclusiveWakesNotEveryWaiter", exclusive_wakes_not_every_waiter, exclusive},
      {{"MOD-16"}, "ChangeOfTriggerLosesNothing", change_of_trigger_loses_nothing, oneshot | modify},
      {{"MOD-20"}, "PauseAndResumeAreIdempotent", pause_and_resume_are_idempotent, pause | user_data},
      {{"MOD-20"}, "ResumeArmsAFiredOneshot", resume_arms_a_fired_oneshot, pause | oneshot},
      {{"MOD-20"}, "ModifyResumes", modify_resumes, pause | modify | user_data},
  };
  return cases;
}

}  // namespace selectors::conformance
