#include "call_counter.hpp"

#include <system_calls.hpp>

namespace selectors::conformance {

namespace {

thread_local constinit call_counts counts{};

// The table as it was; each function of the live one counts and forwards.
constinit system_calls original{};

template <auto member, auto counter, class R, class... Args, bool silent>
void replace(R (*system_calls::* /*deduced*/)(Args...) noexcept(silent)) {
  system_call.*member = [](Args... args) noexcept(silent) -> R {
    ++(counts.*counter);
    return (original.*member)(args...);
  };
}

template <auto member>
void count_as_wait() {
  replace<member, &call_counts::waits>(member);
}
template <auto member>
void count_as_other() {
  replace<member, &call_counts::other>(member);
}

bool install() {
  original = system_call;
  count_as_wait<&system_calls::epoll_wait>();
  count_as_wait<&system_calls::epoll_pwait>();
  count_as_wait<&system_calls::epoll_pwait2>();
  count_as_wait<&system_calls::poll>();
  count_as_wait<&system_calls::ppoll>();
  count_as_wait<&system_calls::select>();
  count_as_wait<&system_calls::pselect>();
  count_as_other<&system_calls::epoll_create>();
  count_as_other<&system_calls::epoll_ctl>();
  count_as_other<&system_calls::status_flags>();
  count_as_other<&system_calls::event_descriptor>();
  count_as_other<&system_calls::read>();
  count_as_other<&system_calls::write>();
  count_as_other<&system_calls::close>();
  return true;
}

}  // namespace

bool count_library_calls() {
  static const bool installed = install();
  return installed;
}

call_counts library_calls() noexcept {
  return counts;
}

}  // namespace selectors::conformance
