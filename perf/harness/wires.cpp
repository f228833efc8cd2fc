#include "harness/wires.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace selectors::perf {
namespace {

// Read ends get the lowest free numbers: what select(2) costs depends on the highest.
constexpr int write_ends_from = FD_SETSIZE;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::system_category(), what);
}

}  // namespace

bool can_have_pairs(std::size_t pairs) {
  const auto wanted = static_cast<rlim_t>(write_ends_from) + 2 * pairs;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = wanted;
  if (limit.rlim_max < wanted) limit.rlim_max = wanted;  // the superuser may
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

wires::wires(int n) : ready_(static_cast<std::size_t>(n), 0) {
  if (!can_have_pairs(ready_.size()))
    throw std::runtime_error(
        fmt::format("{0} socket pairs need {1} descriptors; raise the limit: ulimit -Hn {1}", n,
                    write_ends_from + 2 * n));
  try {
    for (int i = 0; i < n; ++i) {
      std::array<int, 2> pair{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) != 0)
        fail("socketpair");
      read_ends_.push_back(pair[0]);
      const int write_end = ::fcntl(pair[1], F_DUPFD_CLOEXEC, write_ends_from);
      if (write_end >= 0) ::close(pair[1]);
      write_ends_.push_back(write_end >= 0 ? write_end : pair[1]);
    }
  } catch (...) {
    close_all();
    throw;
  }
}

wires::~wires() {
  close_all();
}

void wires::close_all() noexcept {
  for (const int fd : read_ends_) ::close(fd);
  for (const int fd : write_ends_) ::close(fd);
}

bool wires::fit_select() const noexcept {
  return std::all_of(read_ends_.begin(), read_ends_.end(), [](int fd) { return fd < FD_SETSIZE; });
}

void wires::send(int i) {
  if (::write(write_ends_[static_cast<std::size_t>(i)], "x", 1) != 1) fail("sending a byte");
}

void wires::drain(int i) {
  std::array<char, 64> bytes;
  if (::read(read_ends_[static_cast<std::size_t>(i)], bytes.data(), bytes.size()) < 1) fail("reading a byte");
}

void wires::set_ready(int i, bool wanted) {
  auto& ready = ready_[static_cast<std::size_t>(i)];
  if ((ready != 0) == wanted) return;
  wanted ? send(i) : drain(i);
  ready = static_cast<char>(wanted);
}

void wires::set_first_ready(int k) {
  for (int i = 0; i < size(); ++i) set_ready(i, i < k);
}

void wires::set_spread_ready(int k) {
  std::vector<char> wanted(ready_.size(), 0);
  const auto n = static_cast<std::size_t>(size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
    wanted[(i * n + n / 2) / static_cast<std::size_t>(k) % n] = 1;
  for (int i = 0; i < size(); ++i) set_ready(i, wanted[static_cast<std::size_t>(i)] != 0);
}

}  // namespace selectors::perf
