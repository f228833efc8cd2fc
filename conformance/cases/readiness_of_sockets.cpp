// RDY, second part: sockets that connect, half-close, reset and carry urgent data.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

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

void priority_alone_outlives_a_higher_number(context& c) {
  const pair_ends p = make_tcp_pair();
  const descriptor higher = duplicate(p.a, 300);
  c.s().add(p.a, priority);
  c.s().add(higher, read);
  c.s().unregister(higher);
  send_urgent(p.b);
  EXPECT_TRUE(eventually(c.s(), p.a, priority));
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

}  // namespace

std::span<const test_case> readiness_of_sockets_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
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
      {{"RDY-26"}, "PriorityAloneOutlivesAHigherNumber", priority_alone_outlives_a_higher_number, priority},
      {{"RDY-26"},
       "PriorityComesWithAndWithoutOtherBits",
       priority_comes_with_and_without_other_bits,
       priority},
      {{"RDY-26"}, "PriorityOnAUnixSocket", priority_on_a_unix_socket, priority},
      {{"RDY-27"}, "EmptyDatagramIsRead", empty_datagram_is_read},
      {{"RDY-28"}, "AsynchronousUdpErrorReachesAReaderOnce", asynchronous_udp_error_reaches_a_reader_once},
  };
  return cases;
}

}  // namespace selectors::conformance
