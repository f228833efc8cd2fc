// What the tests of ghosts share: a selector, and a way to haunt it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <vector>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {

inline bool is_readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, 0) == 1;
}

class EpollRebuild : public ::testing::Test {
 protected:
  // A readable file that the kernel's set still has, and nobody can name any more.
  void make_ghost() {
    pipe_ends p = make_pipe();
    s.register_fd(p.reader, interest::read);
    kept.push_back(duplicate(p.reader));
    put(p.writer);
    const int number = p.reader;
    p.reader.close();
    s.unregister(number);
    kept.push_back(std::move(p.writer));
  }

  std::size_t rebuilds(const std::function<void()>& what) {
    int count = 0;
    const replaced<&system_calls::epoll_create> counted([&, real = system_call.epoll_create] {
      ++count;
      return real();
    });
    what();
    return static_cast<std::size_t>(count);
  }

  void expect_only(const pipe_ends& p, const char* what) {
    const selection found = s.select(timeout::zero);
    ASSERT_EQ(found.size(), 1u) << what;
    EXPECT_EQ(found[0].fd, p.reader) << what;
  }

  std::vector<descriptor> kept;
  selector s{backend::epoll};
  std::error_code ec;
};

}  // namespace selectors::tests
