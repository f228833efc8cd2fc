#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <selectors/selector.hpp>

int main() {
  int ends[2];
  if (::pipe(ends) != 0) return 1;

  selectors::selector s;
  s.register_fd(ends[0], selectors::interest::read, "pipe");

  if (::write(ends[1], "hello", 5) != 5) return 1;
  for (const selectors::event& e : s.select(std::chrono::seconds(1))) {
    char text[64];
    const auto size = ::read(e.fd, text, sizeof text);
    std::printf("%s: %.*s\n", e.data.pointer<const char>(), static_cast<int>(size), text);
  }

  s.unregister(ends[0]);  // unregister, then close
  ::close(ends[0]);
  ::close(ends[1]);
}
