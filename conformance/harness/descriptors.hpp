// Real descriptors for cases: owned, non-blocking and close-on-exec, in the states that a case speaks of.
// A failure here is the machine's or the kit's, never the subject's: it throws `setup_error`.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace selectors::conformance {

// The case could not be set up; reported as "error", not as "fail".
class setup_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws setup_error naming `what` and errno when `result` is negative; otherwise returns it.
int checked(int result, const char* what);

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~descriptor() { close(); }

  int get() const noexcept { return fd_; }
  operator int() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept;
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct pipe_ends {
  descriptor reader;
  descriptor writer;
};
// `a` and `b` are the two ends; for TCP, `a` connected and `b` accepted.
struct pair_ends {
  descriptor a;
  descriptor b;
};

pipe_ends make_pipe();
// A pipe whose reader has this number, which must be free.
pipe_ends make_pipe_at(int number);
// A number that was open a moment ago and is not now.
int closed_number();
pair_ends make_socket_pair();    // AF_UNIX stream
pair_ends make_datagram_pair();  // AF_UNIX datagram
pair_ends make_tcp_pair();       // loopback
descriptor make_tcp_listener(int backlog = 16);
descriptor make_tcp_socket();
// Starts a non-blocking connect; 0 or the errno of connect(2) (EINPROGRESS is the usual one).
int start_connect(int fd, int port);
int port_of(int fd);
// A loopback port that refused connections a moment ago.
int closed_port();

std::vector<pipe_ends> make_pipes(std::size_t count);
std::vector<pipe_ends> make_readable_pipes(std::size_t count);  // one byte in each

// A duplicate of `fd` with a number not below `lowest`.
descriptor duplicate(int fd, int lowest = 0);
// Makes `number` a duplicate of `fd`, whatever it was before; owned by the result.
descriptor duplicate_onto(int fd, int number);
// Raises RLIMIT_NOFILE so that `number` can exist; throws when the hard limit forbids it.
void allow_descriptors_up_to(int number);
std::size_t open_descriptors();

void put(int fd, std::size_t bytes = 1);          // writes exactly so many
std::size_t take(int fd, std::size_t bytes = 1);  // reads up to so many; 0 at end of file or when empty
std::size_t drain(int fd);                        // reads until it would block or ends
std::size_t fill(int fd);                         // writes until it would block
void reset_connection(descriptor& tcp);           // closes with a RST
int pending_error(int fd);                        // SO_ERROR, which it clears

}  // namespace selectors::conformance
