#include <sys/select.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <string>
#include <system_error>

#include <selectors/selector.hpp>

#include "backend.hpp"
#include "system_calls.hpp"

namespace selectors {
namespace {

bool epoll_works() {
  const int set = system_call.epoll_create();
  if (set < 0) return false;
  system_call.close(set);
  return true;
}

bool poll_works() {
  return system_call.poll(nullptr, 0, 0) == 0;
}

bool select_works() {
  timeval at_once{};
  return system_call.select(0, nullptr, nullptr, nullptr, &at_once) == 0;
}

// THE table: the order is the order of preference.
constexpr std::array rows = {
    backend_row{{.id = backend::adaptive,
                 .name = "adaptive",
                 .can = {.level = true,
                         .edge = true,
                         .oneshot = true,
                         .exclusive = true,
                         .priority = true,
                         .peer_closed = true,
                         .regular_files = true,
                         .native_handle = true,
                         .wait_cost_independent_of_idle = true,
                         .fd_limit = INT_MAX},
                 .supported = poll_works},
                make_adaptive_backend},
    backend_row{{.id = backend::epoll,
                 .name = "epoll",
                 .can = {.level = true,
                         .edge = true,
                         .oneshot = true,
                         .exclusive = true,
                         .priority = true,
                         .peer_closed = true,
                         .regular_files = false,
                         .native_handle = true,
                         .wait_cost_independent_of_idle = true,
                         .fd_limit = INT_MAX},
                 .supported = epoll_works},
                make_epoll_backend},
    backend_row{{.id = backend::poll,
                 .name = "poll",
                 .can = {.level = true,
                         .edge = false,
                         .oneshot = true,
                         .exclusive = false,
                         .priority = true,
                         .peer_closed = true,
                         .regular_files = true,
                         .native_handle = false,
                         .wait_cost_independent_of_idle = false,
                         .fd_limit = INT_MAX},
                 .supported = poll_works},
                make_poll_backend},
    backend_row{{.id = backend::select,
                 .name = "select",
                 .can = {.level = true,
                         .edge = false,
                         .oneshot = true,
                         .exclusive = false,
                         .priority = true,
                         .peer_closed = false,
                         .regular_files = true,
                         .native_handle = false,
                         .wait_cost_independent_of_idle = false,
                         .fd_limit = FD_SETSIZE},
                 .supported = select_works},
                make_select_backend},
};

constexpr auto infos = [] {
  std::array<backend_info, rows.size()> a{};
  for (std::size_t i = 0; i < rows.size(); ++i) a[i] = rows[i].info;
  return a;
}();

backend choose_default() {
  const char* name = std::getenv("SELECTORS_BACKEND");
  if (name == nullptr || *name == '\0') {
    const auto works =
        std::find_if(infos.begin(), infos.end(), [](const backend_info& i) { return i.supported(); });
    return works == infos.end() ? infos.front().id : works->id;
  }
  if (const backend_info* found = find_backend(std::string_view(name))) return found->id;
  std::string expected;
  for (const backend_info& i : infos) (expected += expected.empty() ? "" : ", ") += i.name;
  throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                          "SELECTORS_BACKEND is '" + std::string(name) + "', expected one of: " + expected);
}

}  // namespace

std::span<const backend_info> backends() noexcept {
  return infos;
}

const backend_info* find_backend(std::string_view name) noexcept {
  const auto* found =
      std::find_if(infos.begin(), infos.end(), [&](const backend_info& i) { return i.name == name; });
  return found == infos.end() ? nullptr : found;
}

const backend_info* find_backend(backend id) noexcept {
  const backend_row* row = find_row(id);
  return row == nullptr ? nullptr : &infos[static_cast<std::size_t>(row - rows.data())];
}

const backend_row* find_row(backend id) noexcept {
  const auto* found =
      std::find_if(rows.begin(), rows.end(), [&](const backend_row& r) { return r.info.id == id; });
  return found == rows.end() ? nullptr : found;
}

backend selector::default_backend() {
  static const backend chosen = choose_default();
  return chosen;
}

}  // namespace selectors
