// A wait without a time limit, ended from another thread.
#include <cstdio>
#include <selectors/selector.hpp>
#include <thread>

int main() {
  selectors::selector s;
  const selectors::waker w = s.make_waker();
  std::thread other([w] { w.wake(); });  // before the wait or during it: a wake is sticky
  const bool woken = s.select(selectors::timeout::infinite).woken();
  other.join();
  std::puts(woken ? "woken" : "not woken");
}
