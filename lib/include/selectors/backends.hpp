// The backends, as data: list them, ask what they can do, find one by name.
//
// A backend is the system call that a selector waits with. Which one is used changes the cost of a wait and
// the capabilities below, nothing else: every other promise of selector.hpp holds on all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace selectors {

// Values are stable. `adaptive` chooses between poll(2) and epoll(7) by itself.
enum class backend : std::uint8_t { adaptive, epoll, poll, select };

struct capabilities {
  bool level;          // trigger::level
  bool edge;           // trigger::edge; refused with errc::not_supported where false
  bool oneshot;        // trigger::oneshot
  bool exclusive;      // trigger::exclusive; refused where false
  bool priority;       // interest::priority
  bool peer_closed;    // interest::peer_closed; refused where false
  bool regular_files;  // files that are always ready can be registered; where false register_fd fails with
                       // EPERM
  bool native_handle;  // selector::native_handle works
  bool wait_cost_independent_of_idle;  // a wait costs the same however many quiet descriptors are registered
  int fd_limit;                        // numbers from here on are refused; INT_MAX when there is no limit
};

struct backend_info {
  backend id;
  std::string_view name;  // "epoll", ...: the spelling that SELECTORS_BACKEND takes
  capabilities can;
  bool (*supported)();  // whether it works here and now: a sandbox may forbid the system call
};

// Every backend of this build, best first. The span is valid for ever. Thread-safe.
std::span<const backend_info> backends() noexcept;

// nullptr when no backend of this build has the name (or the id). Thread-safe.
const backend_info* find_backend(std::string_view name) noexcept;
const backend_info* find_backend(backend id) noexcept;

}  // namespace selectors
