// A process of its own for backends_test.cpp: the environment is read once. Prints the default backend and the calls
// that making a selector and looking once cost; a failure goes to the standard error, with exit code 2.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <selectors/selector.hpp>

#include "replaced_calls.hpp"

using selectors::system_calls;
using selectors::tests::recorded_calls;
using selectors::tests::scoped_fault;

int main(int argc, char** argv) try {
  const std::string mode = argc > 1 ? argv[1] : "";
  std::optional<scoped_fault<&system_calls::epoll_create>> no_epoll;
  std::optional<scoped_fault<&system_calls::poll>> no_poll;
  std::optional<scoped_fault<&system_calls::select>> no_select;
  if (mode == "no-epoll" || mode == "nothing") no_epoll.emplace(ENOSYS);
  if (mode == "no-poll" || mode == "nothing") no_poll.emplace(ENOSYS);
  if (mode == "nothing") no_select.emplace(ENOSYS);
  const selectors::backend b = selectors::selector::default_backend();
  ::setenv("SELECTORS_BACKEND", "select", 1);
  if (selectors::selector::default_backend() != b) return 3;
  std::string calls;
  if (mode != "nothing") {
    recorded_calls recorded;
    selectors::selector s;
    if (s.active_backend() != b) return 4;
    (void)s.select(selectors::timeout::zero);
    calls = recorded.take();
  }
  std::printf("%s: %s\n", selectors::find_backend(b)->name.data(), calls.c_str());
  return 0;
} catch (const std::system_error& e) {
  std::fprintf(stderr, "%d %s\n", e.code() == std::errc::invalid_argument, e.what());
  return 2;
}
