#include <selectors/selector.hpp>

#include <string>
#include <utility>

#include "selector_state.hpp"

namespace selectors {
namespace {

// Out of the way of the verbs: a failure may be slow.
[[noreturn, gnu::cold, gnu::noinline]] void raise(fault f, const char* verb) {
  throw std::system_error(f.to_error_code(), std::string("selector::") + verb);
}
[[noreturn, gnu::cold, gnu::noinline]] void raise(fault f, const char* verb, int fd) {
  throw std::system_error(f.to_error_code(),
                          std::string("selector::") + verb + "(" + std::to_string(fd) + ")");
}

template <class State>
fault check(const State& s) noexcept {
  if (s == nullptr) [[unlikely]]
    return errc::closed;
  return s->usable() ? fault() : s->why_not();
}

// A verb is `fault verb(Result&)`. These are its two faces.
template <class Result, class State, class Verb>
Result reporting(const State& s, std::error_code& ec, Verb verb) noexcept {
  Result result{};
  fault f = check(s);
  if (!f) f = verb(result);
  ec = f ? f.to_error_code() : std::error_code();
  return f ? Result{} : std::move(result);
}

template <class Result, class State, class Verb>
Result throwing(const State& s, const char* name, Verb verb) {
  Result result{};
  fault f = check(s);
  if (!f) f = verb(result);
  if (f) [[unlikely]]
    raise(f, name);
  return result;
}

template <class State, class Verb>
key throwing_for(const State& s, const char* name, int fd, Verb verb) {
  key result;
  fault f = check(s);
  if (!f) f = verb(result);
  if (f) [[unlikely]]
    raise(f, name, fd);
  return result;
}

template <class State>
[[gnu::noinline]] selection select_slowly(const State& s, timeout t, wait_result found) {
  return throwing<selection>(s, "select", [&](selection& out) { return s->select(t, {}, found, out); });
}

// Tail calls of one another, each with no more of a frame than its own set needs.
template <class Waiter, class State>
[[gnu::noinline, gnu::flatten]] selection select_from(const State& s, timeout t, Waiter& waiter) {
  wait_result found = not_asked;
  selection result;
  if (s->select_quickly(waiter, t, found, result)) [[likely]]
    return result;
  return select_slowly(s, t, found);
}

// A look at the set that the backend has leased. Whatever is not as expected is the backend's business again.
template <class Waiter, class State>
[[gnu::noinline, gnu::flatten]] selection select_leased(const State& s, timeout t,
                                                        multiplexer::set_lease& lease, Waiter& waiter) {
  ++lease.taken;
  wait_result found = not_asked;
  selection result;
  const bool done = s->select_quickly(waiter, timeout::zero, found, result);
  if (!done || found.entries < lease.fewest || found.entries > lease.most || waiter.wants_attention())
      [[unlikely]]
    lease.end();
  if (done && (found.entries != 0 || t.is_zero())) [[likely]]
    return result;
  lease.end();
  return select_slowly(s, t, found.woken || found.failed.is_errno(EINTR) ? found : not_asked);
}

template <class State>
[[gnu::noinline, gnu::flatten]] std::uint32_t enter_slowly(const State& s, int fd, interest wanted,
                                                           user_data data, trigger mode) {
  const registration* r = nullptr;
  fault f = check(s);
  if (!f) f = s->register_fd(fd, wanted, data, mode, r);
  if (f) [[unlikely]]
    raise(f, "register_fd", fd);
  return r->generation;
}

}  // namespace

selector::selector(backend b) : backend_(b) {
  if (const fault f = state::make(b, state_)) raise(f, "selector");
}

selector::selector(backend b, std::unique_ptr<state, recycle> s) noexcept
    : state_(std::move(s)), backend_(b) {}

std::optional<selector> selector::create(backend b, std::error_code& ec) noexcept {
  std::unique_ptr<state, recycle> s;
  const fault f = state::make(b, s);
  ec = f ? f.to_error_code() : std::error_code();
  if (f) return std::nullopt;
  return selector(b, std::move(s));
}

selector::selector(selector&& other) noexcept = default;
selector& selector::operator=(selector&& other) noexcept = default;
selector::~selector() = default;

void selector::close() noexcept {
  // From inside its own interruption hook the wait would come back to what is no longer there.
  if (state_ != nullptr && state_->in_hook()) return;
  state_.reset();
}

// Flattened are the verbs of which a program makes millions: what follows a system call runs with cold branch
// prediction, so every call and return there costs. Whatever is rare is left to a tail call.
[[gnu::flatten]] std::uint32_t selector::enter(int fd, interest wanted, user_data data, trigger mode) {
  if (state_ != nullptr && state_->usable()) [[likely]] {
    if (const registration* r = state_->register_quickly(fd, wanted, data, mode)) [[likely]]
      return r->generation;
  }
  return enter_slowly(state_, fd, wanted, data, mode);
}
key selector::register_fd(int fd, interest wanted, user_data data, trigger mode,
                          std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) {
    const registration* r = nullptr;
    const fault f = state_->register_fd(fd, wanted, data, mode, r);
    if (!f) k = key_of(fd, *r);
    return f;
  });
}

key selector::modify(int fd, interest wanted, user_data data, trigger mode) {
  return throwing_for(state_, "modify", fd,
                      [&](key& k) { return state_->modify(fd, wanted, data, mode, k); });
}
key selector::modify(int fd, interest wanted, user_data data, trigger mode, std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->modify(fd, wanted, data, mode, k); });
}
key selector::modify(int fd, interest wanted) {
  return throwing_for(state_, "modify", fd, [&](key& k) { return state_->modify(fd, wanted, k); });
}
key selector::modify(int fd, interest wanted, std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->modify(fd, wanted, k); });
}

key selector::pause(int fd) {
  return throwing_for(state_, "pause", fd, [&](key& k) { return state_->pause(fd, k); });
}
key selector::pause(int fd, std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->pause(fd, k); });
}

key selector::resume(int fd) {
  return throwing_for(state_, "resume", fd, [&](key& k) { return state_->resume(fd, k); });
}
key selector::resume(int fd, std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->resume(fd, k); });
}

key selector::unregister(int fd) {
  return throwing_for(state_, "unregister", fd, [&](key& k) { return state_->unregister(fd, k); });
}
key selector::unregister(int fd, std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->unregister(fd, k); });
}
key selector::unregister(const key& which) {
  return throwing_for(state_, "unregister", which.fd, [&](key& k) { return state_->unregister(which, k); });
}
key selector::unregister(const key& which, std::error_code& ec) noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->unregister(which, k); });
}

selection selector::select(timeout t) {
  if (state_ == nullptr || !state_->usable()) [[unlikely]]
    return select_slowly(state_, t, not_asked);
  multiplexer& m = state_->waiter();
  if (m.only_epolls != nullptr) return select_from(state_, t, *m.only_epolls);
  if (m.only_polls != nullptr) return select_from(state_, t, *m.only_polls);
  if (m.lease.runs()) {
    if (m.lease.polls != nullptr) return select_leased(state_, t, m.lease, *m.lease.polls);
    return select_leased(state_, t, m.lease, *m.lease.epolls);
  }
  return select_from(state_, t, m);
}
selection selector::select(timeout t, const wait_options& options) {
  return throwing<selection>(state_, "select",
                             [&](selection& s) { return state_->select(t, options, not_asked, s); });
}
selection selector::select(timeout t, const wait_options& options, std::error_code& ec) noexcept {
  return reporting<selection>(state_, ec,
                              [&](selection& s) { return state_->select(t, options, not_asked, s); });
}

waker selector::make_waker() {
  return throwing<waker>(state_, "make_waker", [&](waker& w) { return state_->make_waker(w); });
}
waker selector::make_waker(std::error_code& ec) noexcept {
  return reporting<waker>(state_, ec, [&](waker& w) { return state_->make_waker(w); });
}

int selector::native_handle() {
  return throwing<int>(state_, "native_handle", [&](int& handle) { return state_->native_handle(handle); });
}
int selector::native_handle(std::error_code& ec) noexcept {
  int handle = reporting<int>(state_, ec, [&](int& h) { return state_->native_handle(h); });
  return ec ? -1 : handle;
}

void selector::reinit_after_fork() {
  std::error_code ec;
  reinit_after_fork(ec);
  if (ec) throw std::system_error(ec, "selector::reinit_after_fork");
}
void selector::reinit_after_fork(std::error_code& ec) noexcept {
  const fault f = state_ == nullptr ? fault(errc::closed) : state_->reinit_after_fork();
  ec = f ? f.to_error_code() : std::error_code();
}

std::vector<key> selector::audit() {
  return throwing<std::vector<key>>(state_, "audit",
                                    [&](std::vector<key>& keys) { return state_->audit(keys); });
}
std::vector<key> selector::audit(std::error_code& ec) noexcept {
  return reporting<std::vector<key>>(state_, ec, [&](std::vector<key>& keys) { return state_->audit(keys); });
}

key selector::get_key(int fd) const {
  return throwing_for(state_, "get_key", fd, [&](key& k) { return state_->get_key(fd, k); });
}
key selector::get_key(int fd, std::error_code& ec) const noexcept {
  return reporting<key>(state_, ec, [&](key& k) { return state_->get_key(fd, k); });
}

std::vector<key> selector::get_map() const {
  return throwing<std::vector<key>>(state_, "get_map",
                                    [&](std::vector<key>& keys) { return state_->get_map(keys); });
}
std::vector<key> selector::get_map(std::error_code& ec) const noexcept {
  return reporting<std::vector<key>>(state_, ec,
                                     [&](std::vector<key>& keys) { return state_->get_map(keys); });
}

std::size_t selector::size() const noexcept {
  return state_ == nullptr ? 0 : state_->size();
}
bool selector::contains(int fd) const noexcept {
  return state_ != nullptr && state_->contains(fd);
}
backend selector::active_backend() const noexcept {
  return backend_;
}

}  // namespace selectors
