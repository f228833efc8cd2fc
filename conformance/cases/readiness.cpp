// RDY: how the kernel's conditions become ready bits, on pipes and on sockets in every state.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void idle_descriptors_yield_nothing(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(4);
  const pair_ends sockets = make_socket_pair();
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  c.s().add(sockets.a, read);
  EXPECT_TRUE(silent(c));
  put(pipes[2].writer);
  EXPECT_TRUE(reports(c.s(), {{pipes[2].reader, read}}));
  put(sockets.b);
  EXPECT_TRUE(reports(c.s(), {{pipes[2].reader, read}, {sockets.a, read}}));
}

void data_is_read_for_those_who_asked(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().add(p.a, write);
  c.s().add(p.b, read);
  put(p.b);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  put(p.a);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}, {p.b, read}}));
}

void data_arriving_during_a_wait_ends_it(context& c) {
  const pair_ends p = make_tcp_pair();
  c.s().add(p.a, read);
  EXPECT_TRUE(silent(c));
  put(p.b, 10);
  const stopwatch watch;
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
  EXPECT_LT(watch.elapsed(), 1s);
}

void level_repeats_until_drained(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  put(p.writer, 2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  take(p.reader);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  take(p.reader);
  EXPECT_TRUE(silent(c));
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void one_entry_with_the_bits_merged(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  c.s().add(p.a, read | write);
  const outcome o = c.s().wait(patience);
  EXPECT_EQ(o.events.size(), 1u) << to_string(o);
  EXPECT_TRUE(holds(o, {{p.a, read | write}}));
}

void many_keys_of_both_directions_give_one_entry_each(context& c) {
  std::vector<pair_ends> pairs;
  std::vector<expected_event> expected;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back(make_socket_pair());
    put(pairs.back().b);
    c.s().add(pairs.back().a, read | write);
    expected.push_back({pairs.back().a, read | write});
  }
  EXPECT_TRUE(holds(c.s().wait(patience), expected));
}

// Drives one descriptor through every condition and looks at each entry on the way.
void every_entry_has_a_ready_bit_that_was_asked_for(context& c) {
  for (const interest wanted : {read, write, read | write}) {
    pair_ends p = make_socket_pair();
    c.s().add(p.a, wanted);
    const auto look = [&] {
      for (const event& e : c.s().wait(timeout::zero).events) {
        EXPECT_TRUE(any(e.ready)) << to_string(e);
        EXPECT_FALSE(any(e.ready & ~wanted)) << to_string(e) << " for " << to_string(wanted);
      }
    };
    look();
    put(p.b);
    look();
    ::shutdown(p.b, SHUT_WR);
    look();
    p.b.close();
    look();
    take(p.a);
    look();
    c.s().unregister(p.a);
  }
}

void ready_bits_are_a_subset_of_the_interest(context& c) {
  pair_ends p = make_tcp_pair();
  put(p.b);
  const descriptor reader = duplicate(p.a);
  const descriptor writer = duplicate(p.a);
  c.s().add(reader, read);
  c.s().add(writer, write);
  EXPECT_TRUE(reports(c.s(), {{reader, read}, {writer, write}}));
  reset_connection(p.b);
  EXPECT_TRUE(becomes_true([&] { return pending_error(p.a) != 0; }));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{reader, read}, {writer, write}}));
}

void end_of_file_on_an_empty_pipe_is_read(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  EXPECT_TRUE(silent(c));
  p.writer.close();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(take(p.reader), 0u);
}

void end_of_file_does_not_hide_buffered_data(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  put(p.writer, 3);
  p.writer.close();
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(take(p.reader, 10), 3u);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(take(p.reader), 0u);
}

void writer_of_a_pipe_without_reader_is_writable(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.writer, write);
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
  p.reader.close();
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
}

void writer_of_a_full_pipe_without_reader_is_writable(context& c) {
  pipe_ends p = make_pipe();
  fill(p.writer);
  c.s().add(p.writer, write);
  EXPECT_TRUE(silent(c));
  p.reader.close();
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
}

void hang_up_without_read_interest_is_silence(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.reader, write);
  EXPECT_TRUE(silent(c));
  p.writer.close();
  // One wait may go by while the subject finds out; after it there is nothing but silence.
  EXPECT_TRUE(quiet(c.s()));
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(silent(c));
  // A plain interest in reading brings the hang-up to light again.
  if (c.can(feature::modify)) {
    c.s().modify(p.reader, read);
    EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  }
}

void hang_up_without_read_interest_hides_no_other_key(context& c) {
  pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  c.s().add(p.reader, write);
  c.s().add(other.reader, read);
  p.writer.close();
  for (int i = 0; i < 3; ++i) {
    put(other.writer);
    EXPECT_TRUE(reports(c.s(), {{other.reader, read}}));
    take(other.reader);
    EXPECT_TRUE(silent(c));
  }
}

void error_satisfies_read_only_interest(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.writer, read);
  EXPECT_TRUE(silent(c));
  p.reader.close();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.writer, read}}));
}

void error_satisfies_both_directions(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.writer, read | write);
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
  p.reader.close();
  EXPECT_TRUE(reports(c.s(), {{p.writer, read | write}}));
}

void socket_that_was_never_connected_is_ready(context& c) {
  const descriptor tcp = make_tcp_socket();
  c.s().add(tcp, read | write);
  EXPECT_TRUE(reports(c.s(), {{tcp, read | write}}));
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  EXPECT_EQ(::getpeername(tcp, reinterpret_cast<sockaddr*>(&peer), &size), -1);
  EXPECT_EQ(errno, ENOTCONN);
}

void unfinished_connect_yields_nothing(context& c) {
  const descriptor listener = make_tcp_listener(0);
  const int port = port_of(listener);
  // The backlog takes one or two; the next connect stays in progress.
  std::vector<descriptor> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(make_tcp_socket());
    start_connect(clients.back(), port);
  }
  tcp_info info{};
  socklen_t size = sizeof info;
  checked(::getsockopt(clients.back(), IPPROTO_TCP, TCP_INFO, &info, &size), "getsockopt(TCP_INFO)");
  ASSERT_EQ(info.tcpi_state, TCP_SYN_SENT) << "the kernel accepted more than the backlog";
  c.s().add(clients.back(), read | write);
  EXPECT_TRUE(silent(c));
}

void finished_connect_is_write(context& c) {
  const descriptor listener = make_tcp_listener();
  const descriptor client = make_tcp_socket();
  const int result = start_connect(client, port_of(listener));
  EXPECT_TRUE(result == 0 || result == EINPROGRESS);
  c.s().add(client, read | write);
  EXPECT_TRUE(reports(c.s(), {{client, write}}));
  EXPECT_EQ(pending_error(client), 0);
}

void refused_connect_is_write(context& c) {
  const descriptor client = make_tcp_socket();
  const descriptor both = make_tcp_socket();
  const int port = closed_port();
  start_connect(client, port);
  start_connect(both, port);
  c.s().add(client, write);
  c.s().add(both, read | write);
  EXPECT_TRUE(reports(c.s(), {{client, write}, {both, read | write}}));
  EXPECT_EQ(pending_error(client), ECONNREFUSED);
  EXPECT_EQ(pending_error(both), ECONNREFUSED);
}

void failed_socket_is_reported_until_unregistered(context& c) {
  const descriptor client = make_tcp_socket();
  start_connect(client, closed_port());
  c.s().add(client, write);
  EXPECT_TRUE(reports(c.s(), {{client, write}}));
  EXPECT_EQ(pending_error(client), ECONNREFUSED);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{client, write}}));
  c.s().unregister(client);
  EXPECT_TRUE(silent(c));
}

descriptor accept_from(int listener) {
  return descriptor(checked(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC), "accept"));
}

void listener_is_readable_while_connections_wait(context& c) {
  const descriptor listener = make_tcp_listener();
  c.s().add(listener, read | write);
  EXPECT_TRUE(silent(c));
  const descriptor first = make_tcp_socket();
  const descriptor second = make_tcp_socket();
  start_connect(first, port_of(listener));
  EXPECT_TRUE(reports(c.s(), {{listener, read}}));
  start_connect(second, port_of(listener));
  const descriptor one = accept_from(listener);
  EXPECT_TRUE(reports(c.s(), {{listener, read}}));
  const descriptor two = accept_from(listener);
  EXPECT_TRUE(silent(c));
}

void reset_connection_leaves_the_listener_readable(context& c) {
  const descriptor listener = make_tcp_listener();
  c.s().add(listener, read);
  descriptor client = make_tcp_socket();
  start_connect(client, port_of(listener));
  EXPECT_TRUE(reports(c.s(), {{listener, read}}));
  reset_connection(client);
  EXPECT_TRUE(reports(c.s(), {{listener, read}}));
  const descriptor accepted_one = accept_from(listener);
  c.s().add(accepted_one, read | write);
  EXPECT_TRUE(reports(c.s(), {{accepted_one, read | write}}));
}

void shutting_a_listener_down_is_read(context& c) {
  const descriptor listener = make_tcp_listener();
  c.s().add(listener, read);
  EXPECT_TRUE(silent(c));
  checked(::shutdown(listener, SHUT_RDWR), "shutdown");
  EXPECT_TRUE(reports(c.s(), {{listener, read}}));
}

void half_closed_peer_is_read(context& c) {
  for (const bool tcp : {false, true}) {
    const pair_ends p = tcp ? make_tcp_pair() : make_socket_pair();
    const descriptor reader = duplicate(p.a);
    const descriptor writer = duplicate(p.a);
    c.s().add(reader, read);
    c.s().add(writer, write);
    c.s().add(p.a, read | write);
    EXPECT_TRUE(reports(c.s(), {{writer, write}, {p.a, write}}));
    checked(::shutdown(p.b, SHUT_WR), "shutdown");
    const std::vector<expected_event> all{{reader, read}, {writer, write}, {p.a, read | write}};
    EXPECT_TRUE(eventually(c.s(), reader, read));
    EXPECT_TRUE(reports(c.s(), all)) << (tcp ? "tcp" : "unix");
    EXPECT_EQ(take(p.a), 0u);
    EXPECT_NO_THROW(put(p.a));
    for (const int fd : {reader.get(), writer.get(), p.a.get()}) c.s().unregister(fd);
  }
}

void peer_closed_is_reported_when_asked_for(context& c) {
  for (const bool tcp : {false, true}) {
    const pair_ends p = tcp ? make_tcp_pair() : make_socket_pair();
    const descriptor alone = duplicate(p.a);
    const descriptor unasked = duplicate(p.a);
    c.s().add(p.a, read | peer_closed);
    c.s().add(alone, peer_closed);
    c.s().add(unasked, read);
    put(p.b);
    EXPECT_TRUE(reports(c.s(), {{p.a, read}, {unasked, read}}));
    checked(::shutdown(p.b, SHUT_WR), "shutdown");
    EXPECT_TRUE(eventually(c.s(), alone, peer_closed));
    EXPECT_TRUE(reports(c.s(), {{p.a, read | peer_closed}, {alone, peer_closed}, {unasked, read}}));
    for (const int fd : {alone.get(), unasked.get(), p.a.get()}) c.s().unregister(fd);
  }
}

void both_directions_shut_are_read_and_write(context& c) {
  const pair_ends p = make_tcp_pair();
  c.s().add(p.a, read | write);
  checked(::shutdown(p.a, SHUT_WR), "shutdown");
  checked(::shutdown(p.b, SHUT_WR), "shutdown");
  EXPECT_TRUE(eventually(c.s(), p.a, read | write));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.a, read | write}}));
}

void own_shutdown_of_reading_is_end_of_file(context& c) {
  for (const bool tcp : {false, true}) {
    const pair_ends p = tcp ? make_tcp_pair() : make_socket_pair();
    c.s().add(p.a, read);
    EXPECT_TRUE(silent(c, 10ms));
    checked(::shutdown(p.a, SHUT_RD), "shutdown");
    EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
    EXPECT_EQ(take(p.a), 0u);
    c.s().unregister(p.a);
  }
}

void own_shutdown_of_writing_stays_writable(context& c) {
  const pair_ends p = make_tcp_pair();
  c.s().add(p.a, read | write);
  checked(::shutdown(p.a, SHUT_WR), "shutdown");
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  EXPECT_EQ(::send(p.a, "x", 1, MSG_NOSIGNAL), -1);
  EXPECT_EQ(errno, EPIPE);
}

void reset_connection_is_read_and_write(context& c) {
  pair_ends p = make_tcp_pair();
  const descriptor reader = duplicate(p.a);
  const descriptor writer = duplicate(p.a);
  c.s().add(p.a, read | write);
  c.s().add(reader, read);
  c.s().add(writer, write);
  reset_connection(p.b);
  EXPECT_TRUE(eventually(c.s(), reader, read));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(reports(c.s(), {{p.a, read | write}, {reader, read}, {writer, write}}));
  }
}

void closing_a_unix_peer_is_read_and_write(context& c) {
  pair_ends p = make_socket_pair();
  c.s().add(p.a, read | write);
  p.b.close();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.a, read | write}}));
}

void closing_a_datagram_peer_is_no_end_of_file(context& c) {
  pair_ends p = make_datagram_pair();
  c.s().add(p.a, read);
  p.b.close();
  EXPECT_TRUE(silent(c));
}

void blocked_writer_is_released_when_its_peer_closes(context& c) {
  for (const bool tcp : {false, true}) {
    pair_ends p = tcp ? make_tcp_pair() : make_socket_pair();
    fill(p.a);
    c.s().add(p.a, write);
    if (!tcp) {
      EXPECT_TRUE(silent(c));  // on TCP the kernel may still be moving data
    }
    p.b.close();
    EXPECT_TRUE(reports(c.s(), {{p.a, write}})) << (tcp ? "tcp" : "unix");
    c.s().unregister(p.a);
  }
}

void send_urgent(int fd) {
  checked(static_cast<int>(::send(fd, "!", 1, MSG_OOB)), "send(MSG_OOB)");
}

void urgent_data_does_not_make_a_reader_spin(context& c) {
  const pair_ends p = make_tcp_pair();
  const descriptor urgent = duplicate(p.a);
  c.s().add(p.a, read);
  c.s().add(urgent, priority);
  send_urgent(p.b);
  EXPECT_TRUE(reports(c.s(), {{urgent, priority}}));
  c.s().unregister(urgent);
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(silent(c));
}

void priority_comes_with_and_without_other_bits(context& c) {
  const pair_ends p = make_tcp_pair();
  const descriptor both = duplicate(p.a);
  c.s().add(p.a, priority);
  c.s().add(both, priority | read | write);
  EXPECT_TRUE(reports(c.s(), {{both, write}}));
  send_urgent(p.b);
  EXPECT_TRUE(eventually(c.s(), p.a, priority));
  EXPECT_TRUE(reports(c.s(), {{p.a, priority}, {both, priority | write}}));
  std::array<char, 1> byte{};
  EXPECT_EQ(::recv(p.a, byte.data(), 1, MSG_OOB), 1);
  EXPECT_TRUE(reports(c.s(), {{both, write}}));
}

void priority_on_a_unix_socket(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().add(p.a, priority);
  put(p.b);
  EXPECT_TRUE(silent(c));
  send_urgent(p.b);
  EXPECT_TRUE(reports(c.s(), {{p.a, priority}}));
}

void empty_datagram_is_read(context& c) {
  const pair_ends p = make_datagram_pair();
  c.s().add(p.a, read);
  checked(static_cast<int>(::send(p.b, "", 0, 0)), "send");
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
  std::array<char, 8> buffer{};
  EXPECT_EQ(::recv(p.a, buffer.data(), buffer.size(), 0), 0);
  EXPECT_TRUE(silent(c));
}

void asynchronous_udp_error_reaches_a_reader_once(context& c) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const descriptor udp(checked(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
  {
    const descriptor dead(checked(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
    checked(::bind(dead, reinterpret_cast<const sockaddr*>(&address), size), "bind");
    checked(::getsockname(dead, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  }
  checked(::connect(udp, reinterpret_cast<const sockaddr*>(&address), size), "connect");
  c.s().add(udp, read);
  EXPECT_TRUE(silent(c));
  checked(static_cast<int>(::send(udp, "x", 1, 0)), "send");
  EXPECT_TRUE(reports(c.s(), {{udp, read}}));
  std::array<char, 8> buffer{};
  EXPECT_EQ(::recv(udp, buffer.data(), buffer.size(), 0), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  EXPECT_TRUE(silent(c));
}

void full_pipe_is_writable_after_a_page(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.writer, write);
  fill(p.writer);
  EXPECT_TRUE(silent(c));
  take(p.reader, 1);
  EXPECT_TRUE(silent(c));
  take(p.reader, 4096);
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
}

void changes_between_two_waits_are_one_entry(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  for (int i = 0; i < 10; ++i) put(p.writer);
  EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}}));
  EXPECT_EQ(drain(p.reader), 10u);
  EXPECT_TRUE(silent(c));
}

void hang_up_and_error_travel_as_status(context& c) {
  pipe_ends hung = make_pipe();
  pipe_ends broken = make_pipe();
  const pipe_ends fine = make_pipe();
  put(fine.writer);
  c.s().add(hung.reader, read);
  c.s().add(broken.writer, write);
  c.s().add(fine.reader, read);
  hung.writer.close();
  broken.reader.close();
  const outcome o = c.s().wait(patience);
  EXPECT_TRUE(holds(o, {{hung.reader, read}, {broken.writer, write}, {fine.reader, read}}));
  const auto flags = [&](int fd) { return entry_of(o, fd).value_or(event{}).flags; };
  EXPECT_EQ(flags(hung.reader), status::hangup);
  EXPECT_EQ(flags(broken.writer), status::error);
  EXPECT_EQ(flags(fine.reader), status::none);
}

}  // namespace

std::span<const test_case> readiness_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"RDY-01"}, "IdleDescriptorsYieldNothing", idle_descriptors_yield_nothing},
      {{"RDY-01"}, "DataIsReadForThoseWhoAsked", data_is_read_for_those_who_asked},
      {{"RDY-01"}, "DataEndsAWait", data_arriving_during_a_wait_ends_it},
      {{"RDY-02"}, "LevelRepeatsUntilDrained", level_repeats_until_drained},
      {{"RDY-03"}, "OneEntryWithTheBitsMerged", one_entry_with_the_bits_merged},
      {{"RDY-03"},
       "ManyKeysOfBothDirectionsGiveOneEntryEach",
       many_keys_of_both_directions_give_one_entry_each},
      {{"RDY-04", "RDY-05"},
       "EveryEntryHasAReadyBitThatWasAskedFor",
       every_entry_has_a_ready_bit_that_was_asked_for},
      {{"RDY-05"}, "ReadyBitsAreASubsetOfTheInterest", ready_bits_are_a_subset_of_the_interest},
      {{"RDY-06"}, "EndOfFileOnAnEmptyPipeIsRead", end_of_file_on_an_empty_pipe_is_read},
      {{"RDY-07"}, "EndOfFileDoesNotHideBufferedData", end_of_file_does_not_hide_buffered_data},
      {{"RDY-08"}, "WriterOfAPipeWithoutReaderIsWritable", writer_of_a_pipe_without_reader_is_writable},
      {{"RDY-08"},
       "WriterOfAFullPipeWithoutReaderIsWritable",
       writer_of_a_full_pipe_without_reader_is_writable},
      {{"RDY-09"}, "HangUpWithoutReadInterestIsSilence", hang_up_without_read_interest_is_silence},
      {{"RDY-09"},
       "HangUpWithoutReadInterestHidesNoOtherKey",
       hang_up_without_read_interest_hides_no_other_key},
      {{"RDY-10"}, "ErrorSatisfiesReadOnlyInterest", error_satisfies_read_only_interest},
      {{"RDY-10"}, "ErrorSatisfiesBothDirections", error_satisfies_both_directions},
      {{"RDY-11"}, "SocketThatWasNeverConnectedIsReady", socket_that_was_never_connected_is_ready},
      {{"RDY-12"}, "UnfinishedConnectYieldsNothing", unfinished_connect_yields_nothing},
      {{"RDY-12"}, "FinishedConnectIsWrite", finished_connect_is_write},
      {{"RDY-13"}, "RefusedConnectIsWrite", refused_connect_is_write},
      {{"RDY-14"}, "FailedSocketIsReportedUntilUnregistered", failed_socket_is_reported_until_unregistered},
      {{"RDY-15"}, "ListenerIsReadableWhileConnectionsWait", listener_is_readable_while_connections_wait},
      {{"RDY-16"}, "ResetConnectionLeavesTheListenerReadable", reset_connection_leaves_the_listener_readable},
      {{"RDY-17"}, "ShuttingAListenerDownIsRead", shutting_a_listener_down_is_read},
      {{"RDY-18"}, "HalfClosedPeerIsRead", half_closed_peer_is_read},
      {{"RDY-19"}, "PeerClosedIsReportedWhenAskedFor", peer_closed_is_reported_when_asked_for, peer_closed},
      {{"RDY-20"}, "BothDirectionsShutAreReadAndWrite", both_directions_shut_are_read_and_write},
      {{"RDY-21"}, "OwnShutdownOfReadingIsEndOfFile", own_shutdown_of_reading_is_end_of_file},
      {{"RDY-21"}, "OwnShutdownOfWritingStaysWritable", own_shutdown_of_writing_stays_writable},
      {{"RDY-22"}, "ResetConnectionIsReadAndWrite", reset_connection_is_read_and_write},
      {{"RDY-18", "RDY-20"}, "ClosingAUnixPeerIsReadAndWrite", closing_a_unix_peer_is_read_and_write},
      {{"RDY-18"}, "ClosingADatagramPeerIsNoEndOfFile", closing_a_datagram_peer_is_no_end_of_file},
      {{"RDY-24"},
       "BlockedWriterIsReleasedWhenItsPeerCloses",
       blocked_writer_is_released_when_its_peer_closes},
      {{"RDY-25"}, "UrgentDataDoesNotMakeAReaderSpin", urgent_data_does_not_make_a_reader_spin, priority},
      {{"RDY-26"},
       "PriorityComesWithAndWithoutOtherBits",
       priority_comes_with_and_without_other_bits,
       priority},
      {{"RDY-26"}, "PriorityOnAUnixSocket", priority_on_a_unix_socket, priority},
      {{"RDY-27"}, "EmptyDatagramIsRead", empty_datagram_is_read},
      {{"RDY-28"}, "AsynchronousUdpErrorReachesAReaderOnce", asynchronous_udp_error_reaches_a_reader_once},
      {{"RDY-31"}, "FullPipeIsWritableAfterAPage", full_pipe_is_writable_after_a_page},
      {{"RDY-32"}, "ChangesBetweenTwoWaitsAreOneEntry", changes_between_two_waits_are_one_entry},
      {{"RDY-33"}, "HangUpAndErrorTravelAsStatus", hang_up_and_error_travel_as_status, status},
  };
  return cases;
}

}  // namespace selectors::conformance
