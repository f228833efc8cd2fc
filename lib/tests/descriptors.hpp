// Real descriptors for the tests, closed by themselves.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace selectors::tests {

class descriptor {
 public:
  descriptor() noexcept = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { close(); }

  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  operator int() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

struct pipe_ends {
  descriptor reader;
  descriptor writer;
};

pipe_ends make_pipe();
std::vector<pipe_ends> make_pipes(std::size_t count);
// A second number for the same file, not below `lowest`.
descriptor duplicate(int fd, int lowest = 0);

// Hung up, for both directions, and without room to write: nothing that a writer asks for.
struct hung_up_writer {
  hung_up_writer();
  void make_room() const;

  descriptor end;
  descriptor peer;
};

// A byte into it; a byte out of it.
void put(int fd);
void drain(int fd);

// How many the process has open.
std::size_t open_descriptors();

// Lets the process have numbers below `limit`; skips nothing silently: throws when the system does not allow it.
void allow_descriptors_below(int limit);

}  // namespace selectors::tests
