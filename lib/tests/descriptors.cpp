#include "descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace selectors::tests {
namespace {

template <class T>
T checked(T result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::system_category(), what);
  return result;
}

}  // namespace

pipe_ends make_pipe() {
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

std::vector<pipe_ends> make_pipes(std::size_t count) {
  std::vector<pipe_ends> pipes;
  for (std::size_t i = 0; i < count; ++i) pipes.push_back(make_pipe());
  return pipes;
}

descriptor duplicate(int fd, int lowest) {
  return descriptor(checked(::fcntl(fd, F_DUPFD_CLOEXEC, lowest), "F_DUPFD_CLOEXEC"));
}

hung_up_writer::hung_up_writer() {
  int ends[2];
  checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), "socketpair");
  end = descriptor(ends[0]);
  peer = descriptor(ends[1]);
  const std::array<char, 4096> bytes{};
  while (::send(end, bytes.data(), bytes.size(), 0) > 0) continue;
  checked(::shutdown(end, SHUT_RDWR), "shutdown");
}

void hung_up_writer::make_room() const {
  std::array<char, 4096> bytes{};
  while (::recv(peer, bytes.data(), bytes.size(), 0) > 0) continue;
}

void put(int fd) {
  checked(::write(fd, "x", 1), "write");
}

void drain(int fd) {
  char byte = 0;
  checked(::read(fd, &byte, 1), "read");
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

void allow_descriptors_below(int limit) {
  rlimit r{};
  checked(::getrlimit(RLIMIT_NOFILE, &r), "getrlimit");
  const auto wanted = static_cast<rlim_t>(limit);
  if (r.rlim_cur >= wanted) return;
  r.rlim_cur = wanted;
  checked(::setrlimit(RLIMIT_NOFILE, &r), "setrlimit RLIMIT_NOFILE");
}

}  // namespace selectors::tests
