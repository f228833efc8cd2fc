#include "descriptors.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace selectors::conformance {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

pair_ends unix_pair(int type) {
  std::array<int, 2> fds{};
  checked(::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), "socketpair");
  return {descriptor(fds[0]), descriptor(fds[1])};
}

void wait_for(int fd, short what) {
  pollfd p{fd, what, 0};
  if (checked(::poll(&p, 1, 5000), "poll") == 0) throw setup_error("nothing happened on a socket for 5 s");
}

}  // namespace

int checked(int result, const char* what) {
  if (result < 0) throw setup_error(std::string(what) + ": " + std::strerror(errno));
  return result;
}

void descriptor::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

pipe_ends make_pipe() {
  std::array<int, 2> fds{};
  checked(::pipe2(fds.data(), O_NONBLOCK | O_CLOEXEC), "pipe2");
  return {descriptor(fds[0]), descriptor(fds[1])};
}

pipe_ends make_pipe_at(int number) {
  if (::fcntl(number, F_GETFD) >= 0) throw setup_error("number " + std::to_string(number) + " is not free");
  pipe_ends p = make_pipe();
  if (p.writer == number) p.writer = duplicate(p.writer);
  if (p.reader != number) p.reader = duplicate_onto(p.reader, number);
  return p;
}

int closed_number() {
  const pipe_ends p = make_pipe();
  return p.reader;
}

pair_ends make_socket_pair() {
  return unix_pair(SOCK_STREAM);
}

pair_ends make_datagram_pair() {
  return unix_pair(SOCK_DGRAM);
}

descriptor make_tcp_socket() {
  return descriptor(checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
}

descriptor make_tcp_listener(int backlog) {
  descriptor listener = make_tcp_socket();
  const sockaddr_in address = loopback(0);
  checked(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  checked(::listen(listener, backlog), "listen");
  return listener;
}

int port_of(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  checked(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  return ntohs(address.sin_port);
}

int start_connect(int fd, int port) {
  const sockaddr_in address = loopback(port);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

int closed_port() {
  return port_of(make_tcp_listener());
}

pair_ends make_tcp_pair() {
  const descriptor listener = make_tcp_listener();
  pair_ends pair{make_tcp_socket(), {}};
  start_connect(pair.a, port_of(listener));
  wait_for(listener, POLLIN);
  pair.b = descriptor(checked(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC), "accept"));
  wait_for(pair.a, POLLOUT);
  if (const int error = pending_error(pair.a); error != 0) {
    throw setup_error(std::string("connect: ") + std::strerror(error));
  }
  return pair;
}

std::vector<pipe_ends> make_pipes(std::size_t count) {
  std::vector<pipe_ends> pipes;
  pipes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) pipes.push_back(make_pipe());
  return pipes;
}

std::vector<pipe_ends> make_readable_pipes(std::size_t count) {
  std::vector<pipe_ends> pipes = make_pipes(count);
  for (const pipe_ends& p : pipes) put(p.writer);
  return pipes;
}

descriptor duplicate(int fd, int lowest) {
  return descriptor(checked(::fcntl(fd, F_DUPFD_CLOEXEC, lowest), "fcntl(F_DUPFD_CLOEXEC)"));
}

descriptor duplicate_onto(int fd, int number) {
  return descriptor(checked(::dup3(fd, number, O_CLOEXEC), "dup3"));
}

void allow_descriptors_up_to(int number) {
  rlimit limit{};
  checked(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
  const auto wanted = static_cast<rlim_t>(number) + 1;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  if (limit.rlim_max < wanted) limit.rlim_max = wanted;
  checked(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit(RLIMIT_NOFILE)");
}

std::size_t open_descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir("/proc/self/fd"), &::closedir);
  if (!dir) throw setup_error("opendir /proc/self/fd failed");
  std::size_t count = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count - 1;  // without the one that reads the directory
}

void put(int fd, std::size_t bytes) {
  const std::vector<char> data(bytes, 'x');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::write(fd, data.data() + done, bytes - done);
    if (n < 0 && errno == EINTR) continue;
    done += static_cast<std::size_t>(checked(static_cast<int>(n), "write"));
  }
}

std::size_t take(int fd, std::size_t bytes) {
  std::vector<char> data(bytes);
  for (;;) {
    const ssize_t n = ::read(fd, data.data(), bytes);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return 0;
  }
}

std::size_t drain(int fd) {
  std::size_t total = 0;
  while (const std::size_t n = take(fd, 65536)) total += n;
  return total;
}

std::size_t fill(int fd) {
  const std::vector<char> data(65536, 'x');
  std::size_t total = 0;
  // The small writes after the big ones top up what a big one does not fit into.
  for (std::size_t size = data.size(); size > 0; size /= 16) {
    for (;;) {
      const ssize_t n = ::send(fd, data.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
      const ssize_t m = n < 0 && errno == ENOTSOCK ? ::write(fd, data.data(), size) : n;
      if (m <= 0) break;
      total += static_cast<std::size_t>(m);
    }
  }
  if (errno != EAGAIN) throw setup_error(std::string("fill: ") + std::strerror(errno));
  return total;
}

void reset_connection(descriptor& tcp) {
  const linger abort{1, 0};
  checked(::setsockopt(tcp, SOL_SOCKET, SO_LINGER, &abort, sizeof abort), "setsockopt(SO_LINGER)");
  tcp.close();
}

int pending_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  checked(::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size), "getsockopt(SO_ERROR)");
  return error;
}

}  // namespace selectors::conformance
