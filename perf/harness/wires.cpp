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
#include <numeric>
#include <random>
#include <stdexcept>
#include <system_error>

namespace selectors::perf {
namespace {

// What need not be low is moved up here: what select(2) costs depends on the highest number that it is given.
constexpr int high_from = FD_SETSIZE;

std::size_t live_pairs = 0;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::system_category(), what);
}

int moved_up(int fd, int from) {
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, from);
  if (high < 0) return fd;
  ::close(fd);
  return high;
}

void make_room(std::size_t pairs) {
  if (can_have_pairs(live_pairs + pairs)) return;
  throw std::runtime_error(
      fmt::format("{} more socket pairs are more than this process may have; raise the limit of descriptors: "
                  "ulimit -Hn 20000",
                  pairs));
}

}  // namespace

bool can_have_pairs(std::size_t pairs) {
  const rlim_t wanted = static_cast<rlim_t>(high_from) + 2 * pairs;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= wanted) return true;
  limit = {wanted, std::max(limit.rlim_max, wanted)};  // the superuser may raise both
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

wires::wires(int n) {
  make_room(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) add_pair(0, high_from);
}

wires::~wires() {
  for (const int fd : read_ends_) ::close(fd);
  for (const int fd : write_ends_) ::close(fd);
  live_pairs -= read_ends_.size();
}

std::vector<std::shared_ptr<wires>> wires::alike(std::size_t count, int n, std::uint64_t seed) {
  make_room(count * static_cast<std::size_t>(n));
  std::vector<std::shared_ptr<wires>> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(new wires);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int pair = 0; pair < n; ++pair) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const int row = high_from + 2 * n * static_cast<int>(i);
      all[i]->add_pair(i == 0 ? 0 : row, row + n);
    }
  }
  return all;
}

void wires::add_pair(int read_end_from, int write_end_from) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) != 0)
    fail("socketpair");
  read_ends_.push_back(read_end_from == 0 ? pair[0] : moved_up(pair[0], read_end_from));
  write_ends_.push_back(moved_up(pair[1], write_end_from));
  ready_.push_back(0);
  ++live_pairs;
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
