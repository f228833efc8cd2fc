#include <selectors/conformance/subject.hpp>

#include <array>
#include <utility>

namespace selectors::conformance {

std::string names_of(feature set) {
  static constexpr std::array<std::pair<feature, std::string_view>, 32> names{{
      {feature::modify, "modify"},
      {feature::pause, "pause"},
      {feature::unregister_by_key, "unregister_by_key"},
      {feature::get_key, "get_key"},
      {feature::get_map, "get_map"},
      {feature::counting, "counting"},
      {feature::waker, "waker"},
      {feature::close, "close"},
      {feature::move, "move"},
      {feature::native_handle, "native_handle"},
      {feature::audit, "audit"},
      {feature::reinit_after_fork, "reinit_after_fork"},
      {feature::limit, "limit"},
      {feature::sigmask, "sigmask"},
      {feature::interruption_hook, "interruption_hook"},
      {feature::edge, "edge"},
      {feature::oneshot, "oneshot"},
      {feature::exclusive, "exclusive"},
      {feature::priority, "priority"},
      {feature::peer_closed, "peer_closed"},
      {feature::regular_files, "regular_files"},
      {feature::status, "status"},
      {feature::user_data, "user_data"},
      {feature::generations, "generations"},
      {feature::live_results, "live_results"},
      {feature::fork_guard, "fork_guard"},
      {feature::eager_check, "eager_check"},
      {feature::fd_limit, "fd_limit"},
      {feature::counts_calls, "counts_calls"},
      {feature::names_errors, "names_errors"},
      {feature::scales, "scales"},
      {feature::reports_stale, "reports_stale"},
  }};
  std::string text;
  for (const auto& [bit, name] : names) {
    if (has(set, bit)) text.append(text.empty() ? "" : ", ").append(name);
  }
  return text;
}

outcome subject::wait(timeout, const wait_options&) {
  throw unsupported("wait with options");
}
key subject::unregister(const key&) {
  throw unsupported("unregister by key");
}
key subject::modify(int, interest, user_data, trigger) {
  throw unsupported("modify");
}
key subject::modify(int, interest) {
  throw unsupported("modify");
}
key subject::pause(int) {
  throw unsupported("pause");
}
key subject::resume(int) {
  throw unsupported("resume");
}
key subject::get_key(int) {
  throw unsupported("get_key");
}
std::vector<key> subject::get_map() {
  throw unsupported("get_map");
}
std::size_t subject::size() {
  throw unsupported("size");
}
bool subject::contains(int) {
  throw unsupported("contains");
}
std::shared_ptr<const wake_handle> subject::make_waker() {
  throw unsupported("make_waker");
}
void subject::close() {
  throw unsupported("close");
}
int subject::native_handle() {
  throw unsupported("native_handle");
}
std::vector<key> subject::audit() {
  throw unsupported("audit");
}
void subject::reinit_after_fork() {
  throw unsupported("reinit_after_fork");
}
std::unique_ptr<subject> subject::move_out() {
  throw unsupported("move_out");
}
std::vector<event> subject::revisit() {
  throw unsupported("revisit");
}
call_counts subject::calls() {
  throw unsupported("calls");
}

}  // namespace selectors::conformance
