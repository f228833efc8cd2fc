#include "children.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <system_error>

#ifdef SELECTORS_COVERAGE
extern "C" void __gcov_dump(void);
#endif

namespace selectors::tests {
namespace {

// Past the parent's exit handlers, but with the coverage counts written.
[[noreturn]] void leave(int code) noexcept {
#ifdef SELECTORS_COVERAGE
  __gcov_dump();
#endif
  ::_exit(code);
}

[[noreturn]] void run(const std::function<std::string()>& body, int out) noexcept {
  constexpr unsigned seconds = 20;
  ::alarm(seconds);
  std::string wrong;
  try {
    wrong = body();
  } catch (const std::exception& e) {
    wrong = std::string("exception: ") + e.what();
  }
  const ssize_t written = ::write(out, wrong.data(), wrong.size());
  leave(written == static_cast<ssize_t>(wrong.size()) ? 0 : 1);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 512> block{};
  for (;;) {
    const ssize_t n = ::read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::system_category(), "pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::system_category(), "fork");
  if (child == 0) {
    ::close(ends[0]);
    run(body, ends[1]);
  }
  ::close(ends[1]);
  std::string wrong = read_all(ends[0]);
  ::close(ends[0]);
  int ended = 0;
  while (::waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  if (ended != 0) wrong += " (the child ended with wait status " + std::to_string(ended) + ")";
  return wrong;
}

std::string wrong_unless(bool fine, const std::string& what) {
  return fine ? std::string() : what;
}

}  // namespace selectors::tests
