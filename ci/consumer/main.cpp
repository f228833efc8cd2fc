// Uses every public header and every backend; 0 when they work.
#include <unistd.h>

#include <cstdio>
#include <selectors/backends.hpp>
#include <selectors/error.hpp>
#include <selectors/event.hpp>
#include <selectors/selector.hpp>
#include <selectors/timeout.hpp>
#include <selectors/waker.hpp>

namespace {

bool works(selectors::backend b, int readable) {
  selectors::selector s(b);
  const selectors::key k = s.register_fd(readable, selectors::interest::read, 7u);
  const selectors::selection found = s.select(std::chrono::seconds(5));
  const bool delivered = found.size() == 1 && found[0].fd == readable && found[0].data == k.data;

  std::error_code ec;
  s.register_fd(readable, selectors::interest::read, {}, selectors::trigger::level, ec);
  const bool refused = ec == selectors::errc::already_registered && ec == std::errc::file_exists;

  s.unregister(readable);
  s.make_waker().wake();
  return delivered && refused && s.select(selectors::timeout::zero).woken();
}

}  // namespace

int main() {
  int ends[2];
  if (::pipe(ends) != 0 || ::write(ends[1], "x", 1) != 1) return 2;
  int failures = selectors::backends().empty() ? 1 : 0;
  for (const selectors::backend_info& b : selectors::backends()) {
    if (!b.supported()) continue;
    const bool ok = works(b.id, ends[0]);
    std::printf("%.*s: %s\n", static_cast<int>(b.name.size()), b.name.data(), ok ? "works" : "FAILS");
    if (!ok) ++failures;
  }
  return failures == 0 ? 0 : 1;
}
