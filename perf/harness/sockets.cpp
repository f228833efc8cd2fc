#include "harness/sockets.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace selectors::perf {
namespace {

constexpr int write_ends_from = 512;  // above every read end
constexpr rlim_t descriptors_needed = 1024;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::system_category(), what);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit(RLIMIT_NOFILE)");
  if (limit.rlim_cur >= descriptors_needed) return;
  limit.rlim_cur = std::min(descriptors_needed, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit(RLIMIT_NOFILE)");
}

}  // namespace

socket_sets::socket_sets(std::span<const int> sizes) {
  raise_descriptor_limit();
  const auto load = [this](std::size_t pair) {
    if (::write(open_[2 * pair + 1], "x", 1) != 1) fail("loading a socket with one byte");
  };
  for (const int n : sizes) {
    auto& one = one_.emplace_back();
    while (one.size() < static_cast<std::size_t>(n)) {
      one.push_back(add_pair());
      if (one.size() == static_cast<std::size_t>(n) / 2 + 1) load(open_.size() / 2 - 1);
    }
    while (all_.size() < static_cast<std::size_t>(n)) {
      all_.push_back(add_pair());
      load(open_.size() / 2 - 1);
    }
  }
}

socket_sets::~socket_sets() {
  for (const int fd : open_) ::close(fd);
}

int socket_sets::add_pair() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) != 0)
    fail("socketpair");
  const int write_end = ::fcntl(pair[1], F_DUPFD_CLOEXEC, write_ends_from);
  if (write_end < 0) fail("moving a write end up (raise `ulimit -n` to 1024)");
  ::close(pair[1]);
  open_.insert(open_.end(), {pair[0], write_end});
  if (pair[0] >= FD_SETSIZE)
    throw std::system_error(EMFILE, std::system_category(), "too many inherited descriptors");
  return pair[0];
}

std::span<const int> socket_sets::descriptors(int n, std::string_view ready) const {
  const auto count = static_cast<std::size_t>(n);
  if (ready == "all") return std::span(all_).first(count);
  const auto at =
      std::find_if(one_.begin(), one_.end(), [&](const auto& set) { return set.size() == count; });
  if (ready != "one" || at == one_.end())
    throw std::invalid_argument(fmt::format("no set of {} sockets with {} ready", n, ready));
  return *at;
}

found socket_sets::expected(std::span<const int> descriptors, std::string_view ready) {
  if (ready == "one") return {1, static_cast<std::uint64_t>(descriptors[descriptors.size() / 2])};
  found f;
  for (const int fd : descriptors) {
    ++f.ready;
    f.sum += static_cast<std::uint64_t>(fd);
  }
  return f;
}

}  // namespace selectors::perf
