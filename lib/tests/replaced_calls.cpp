#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

template <auto call>
const char* name_of = "";

}  // namespace

template <auto call, class R, class... Args, bool silent>
void recorded_calls::record(R (*system_calls::*)(Args...) noexcept(silent), const char* name) {
  name_of<call> = name;
  system_call.*call = [](Args... args) noexcept(silent) -> R {
    if (current->size_ < current->names_.size()) current->names_[current->size_++] = name_of<call>;
    return (current->original_.*call)(args...);
  };
}

recorded_calls::recorded_calls() : original_(system_call) {
  current = this;
  record<&system_calls::epoll_create>("epoll_create");
  record<&system_calls::epoll_ctl>("epoll_ctl");
  record<&system_calls::epoll_wait>("epoll_wait");
  record<&system_calls::epoll_pwait>("epoll_pwait");
  record<&system_calls::epoll_pwait2>("epoll_pwait2");
  record<&system_calls::poll>("poll");
  record<&system_calls::ppoll>("ppoll");
  record<&system_calls::select>("select");
  record<&system_calls::pselect>("pselect");
  record<&system_calls::status_flags>("status_flags");
  record<&system_calls::event_descriptor>("event_descriptor");
  record<&system_calls::read>("read");
  record<&system_calls::write>("write");
  record<&system_calls::close>("close");
}

recorded_calls::~recorded_calls() {
  system_call = original_;
  current = nullptr;
}

std::string recorded_calls::take() {
  std::string text;
  for (std::size_t i = 0; i < size_; ++i) (text += i == 0 ? "" : " ") += names_[i];
  size_ = 0;
  return text;
}

}  // namespace selectors::tests
