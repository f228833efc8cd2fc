// The three system calls as somebody who knows them well would use them by hand. Descriptors that are kept
// stay prepared; nothing is copied that is not in use, and a scan ends when everything was found.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/arm.hpp"

namespace selectors::perf::raw {

inline void fill(std::vector<pollfd>& set, std::span<const int> descriptors) {
  set.clear();
  for (const int fd : descriptors) set.push_back({fd, POLLIN, 0});
}

inline found wait(std::vector<pollfd>& set) {
  found f{::poll(set.data(), set.size(), 0), 0};
  int left = f.ready;
  for (auto at = set.cbegin(); left > 0; ++at) {
    if ((at->revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    f.sum += static_cast<std::uint64_t>(at->fd);
    --left;
  }
  return f;
}

// An fd_set of which only the words in use are touched.
class select_words {
 public:
  void insert(int fd) {
    const auto bit = static_cast<std::size_t>(fd);
    words_[bit / bits] |= 1UL << (bit % bits);
    limit_ = std::max(limit_, fd + 1);
  }

  // The answer replaces the question.
  found wait() {
    timeval at_once{};
    found f{::select(limit_, reinterpret_cast<fd_set*>(words_.data()), nullptr, nullptr, &at_once), 0};
    int left = f.ready;
    for (std::size_t i = 0; left > 0; ++i) {
      for (unsigned long word = words_[i]; word != 0; word &= word - 1) {
        f.sum += i * bits + static_cast<std::size_t>(std::countr_zero(word));
        --left;
      }
    }
    return f;
  }

  found wait_on_copy(select_words& scratch) const {
    const auto used = (static_cast<std::size_t>(limit_) + bits - 1) / bits;
    std::memcpy(scratch.words_.data(), words_.data(), used * sizeof(unsigned long));
    scratch.limit_ = limit_;
    return scratch.wait();
  }

 private:
  static constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, FD_SETSIZE / bits> words_{};
  int limit_ = 0;
};

class epoll {
 public:
  epoll() : fd_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::system_category(), "epoll_create1");
  }
  epoll(epoll&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  epoll& operator=(epoll&&) = delete;
  ~epoll() {
    if (fd_ >= 0) ::close(fd_);
  }

  void add(int fd) {
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.u64 = static_cast<std::uint64_t>(fd);
    if (::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &e) != 0)
      throw std::system_error(errno, std::system_category(), "EPOLL_CTL_ADD");
  }

  found wait(std::vector<epoll_event>& events) {
    found f{::epoll_wait(fd_, events.data(), static_cast<int>(events.size()), 0), 0};
    for (int i = 0; i < f.ready; ++i) f.sum += events[static_cast<std::size_t>(i)].data.u64;
    return f;
  }

 private:
  int fd_;
};

}  // namespace selectors::perf::raw
