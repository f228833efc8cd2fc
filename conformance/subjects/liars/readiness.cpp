#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

bool has_bits(const view& v, int bits) noexcept {
  return (v.raw & bits) == bits;
}

int option_of(int fd, int option) noexcept {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

int bytes_in(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : -1;
}

// Each judge is the mistake of a mapping that somebody wrote down in a hurry.

interest idle_is_readable(const view& v) {
  return v.honest | (v.wanted & read);
}
interest nothing_but_hang_ups(const view& v) {
  return v.honest == none && has_bits(v, POLLOUT) ? empty_entry : v.honest;
}
interest interest_is_not_masked(const view& v) {
  return any(v.honest)
             ? v.honest | (has_bits(v, POLLIN) ? read : none) | (has_bits(v, POLLOUT) ? write : none)
             : none;
}
interest hang_up_is_not_read(const view& v) {
  return has_bits(v, POLLHUP) && !has_bits(v, POLLIN) ? v.honest & ~read : v.honest;
}
interest hang_up_hides_data(const view& v) {
  return has_bits(v, POLLHUP | POLLIN) ? none : v.honest;
}
interest error_is_not_write(const view& v) {
  return has_bits(v, POLLERR) && !has_bits(v, POLLOUT) ? v.honest & ~write : v.honest;
}
interest error_is_not_read(const view& v) {
  return has_bits(v, POLLERR) && !has_bits(v, POLLIN) ? v.honest & ~read : v.honest;
}
interest hung_up_sockets_are_dropped(const view& v) {
  return has_bits(v, POLLHUP | POLLOUT) && !has_bits(v, POLLIN) ? none : v.honest;
}
interest connecting_is_connected(const view& v) {
  return v.raw == 0 ? v.wanted & write : v.honest;
}
interest refused_is_not_write(const view& v) {
  return has_bits(v, POLLERR) ? v.honest & ~write : v.honest;
}
interest failed_is_forgotten(const view& v) {
  return has_bits(v, POLLHUP | POLLRDHUP) && !has_bits(v, POLLERR) ? none : v.honest;
}
interest listener_is_writable(const view& v) {
  return option_of(v.fd, SO_ACCEPTCONN) == 1 ? v.wanted & (v.honest | write) : v.honest;
}
interest half_closed_is_closed(const view& v) {
  return has_bits(v, POLLRDHUP) ? v.honest & ~write : v.honest;
}
interest peer_closed_is_lost(const view& v) {
  return v.honest & ~peer_closed;
}
interest peer_closed_is_for_everybody(const view& v) {
  return has_bits(v, POLLRDHUP) ? v.honest | peer_closed : v.honest;
}
interest hang_up_excludes_write(const view& v) {
  return has_bits(v, POLLHUP) ? v.honest & ~write : v.honest;
}
interest end_of_file_is_lost(const view& v) {
  return has_bits(v, POLLRDHUP) ? v.honest & ~read : v.honest;
}
interest urgent_is_read(const view& v) {
  return has_bits(v, POLLPRI) ? v.honest | (v.wanted & read) : v.honest;
}
interest priority_is_lost(const view& v) {
  return v.honest & ~priority;
}
interest empty_datagram_is_lost(const view& v) {
  return option_of(v.fd, SO_TYPE) == SOCK_DGRAM && bytes_in(v.fd) == 0 ? v.honest & ~read : v.honest;
}
interest any_room_is_writable(const view& v) {
  return ::fcntl(v.fd, F_GETPIPE_SZ) > bytes_in(v.fd) ? v.honest | (v.wanted & write) : v.honest;
}

void one_entry_for_each_bit(outcome& o) {
  std::vector<event> split;
  for (const event& e : o.events) {
    for (const interest bit : {read, write, priority, peer_closed}) {
      if (!any(e.ready & bit)) continue;
      split.push_back(e);
      split.back().ready = bit;
    }
  }
  o.events = split;
}

void one_entry_for_each_byte(outcome& o) {
  std::vector<event> repeated;
  for (const event& e : o.events) {
    repeated.insert(repeated.end(), static_cast<std::size_t>(std::max(1, bytes_in(e.fd))), e);
  }
  o.events = repeated;
}

void status_is_lost(outcome& o) {
  for (event& e : o.events) e.flags = status::none;
}

template <interest (*judge)(const view&)>
constexpr auto judging = &disguised<remapping<judge>>;
template <void (*change)(outcome&)>
constexpr auto changing = &disguised<altering<change>>;

}  // namespace

std::span<const liar> readiness_liars() {
  static const std::vector<liar> rows{
      {"IdleIsReadable", "RDY-01", judging<idle_is_readable>},
      {"EdgeInsteadOfLevel", "RDY-02", &disguised<edge_instead_of_level>},
      {"OneEntryForEachBit", "RDY-03", changing<one_entry_for_each_bit>},
      {"EntriesWithoutABit", "RDY-04", judging<nothing_but_hang_ups>},
      {"InterestIsNotMasked", "RDY-05", judging<interest_is_not_masked>},
      {"HangUpIsNotRead", "RDY-06", judging<hang_up_is_not_read>},
      {"HangUpHidesData", "RDY-07", judging<hang_up_hides_data>},
      {"ErrorIsNotWrite", "RDY-08", judging<error_is_not_write>},
      {"ErrorIsNotRead", "RDY-10", judging<error_is_not_read>},
      {"FreshSocketsAreDropped", "RDY-11", judging<hung_up_sockets_are_dropped>},
      {"ConnectingIsConnected", "RDY-12", judging<connecting_is_connected>},
      {"RefusedIsNotWrite", "RDY-13", judging<refused_is_not_write>},
      {"FailedIsForgotten", "RDY-14", judging<failed_is_forgotten>},
      {"ListenerIsWritable", "RDY-15", judging<listener_is_writable>},
      {"ShutListenersAreDropped", "RDY-17", judging<hung_up_sockets_are_dropped>},
      {"HalfClosedIsClosed", "RDY-18", judging<half_closed_is_closed>},
      {"PeerClosedIsLost", "RDY-19", judging<peer_closed_is_lost>},
      {"PeerClosedIsForEverybody", "RDY-19", judging<peer_closed_is_for_everybody>},
      {"HangUpExcludesWrite", "RDY-20", judging<hang_up_excludes_write>},
      {"EndOfFileIsLost", "RDY-21", judging<end_of_file_is_lost>},
      {"ResetIsReportedOnce", "RDY-22", &disguised<edge_instead_of_level>},
      {"BlockedWriterStaysBlocked", "RDY-24", judging<hang_up_excludes_write>},
      {"UrgentIsRead", "RDY-25", judging<urgent_is_read>},
      {"PriorityIsLost", "RDY-26", judging<priority_is_lost>},
      {"EmptyDatagramIsLost", "RDY-27", judging<empty_datagram_is_lost>},
      {"ErrorNeedsDataToBeRead", "RDY-28", judging<error_is_not_read>},
      {"AnyRoomIsWritable", "RDY-31", judging<any_room_is_writable>},
      {"OneEntryForEachByte", "RDY-32", changing<one_entry_for_each_byte>},
      {"StatusIsLost", "RDY-33", changing<status_is_lost>},
  };
  return rows;
}

}  // namespace selectors::conformance
