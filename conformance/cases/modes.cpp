// MOD, first part: what a subject lacks, edge, exclusive, and changing the trigger.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

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
  if (c.can(feature::exclusive)) {
    modes.insert(modes.end(), {trigger::oneshot, trigger::exclusive, trigger::oneshot, trigger::level,
                               trigger::exclusive, trigger::level});
  }
  c.s().add(p.reader, read);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  for (const trigger mode : modes) {
    const key k = c.s().modify(p.reader, read, user_data{static_cast<std::uintptr_t>(mode)}, mode);
    EXPECT_EQ(k.mode, mode);
    EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}})) << "mode " << static_cast<int>(mode);
    if (mode == trigger::level || mode == trigger::exclusive) {
      EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}}));
    } else {
      EXPECT_TRUE(silent(c, 10ms)) << "mode " << static_cast<int>(mode);
    }
  }
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
      {{"MOD-15"},
       "ExclusiveTakesReadAndWriteOnly",
       exclusive_takes_read_and_write_only,
       exclusive | modify | names_errors},
      {{"MOD-15"}, "ExclusiveCanBeChanged", exclusive_can_be_changed, exclusive | modify | user_data},
      {{"MOD-15"}, "ExclusiveWakesNotEveryWaiter", exclusive_wakes_not_every_waiter, exclusive},
      {{"MOD-16"}, "ChangeOfTriggerLosesNothing", change_of_trigger_loses_nothing, oneshot | modify},
  };
  return cases;
}

}  // namespace selectors::conformance
