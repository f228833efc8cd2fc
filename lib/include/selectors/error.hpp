// Errors of the selector library.
//
// Two families of errors leave this library, both as std::error_code (or, from the throwing verbs, inside a
// std::system_error):
//
//   * `selectors::errc` - the library's own answers, listed below. Each is equivalent to the std::errc that
//     says the same thing, where there is one, so that generic code may compare with std::errc only.
//   * errno values in std::system_category() - whatever the kernel answered, untouched.
//
// A failed verb leaves the selector exactly as it was (the strong guarantee).
#pragma once

#include <system_error>

namespace selectors {

// | value              | meaning                                         | equivalent to (std::errc) |
// |--------------------|-------------------------------------------------|---------------------------|
// | already_registered | it has a registration: unregister or modify it  | file_exists               |
// | not_registered     | it has none, or a newer one than the key says   | no_such_file_or_directory |
// | invalid_interest   | interest is empty or holds unknown bits         | invalid_argument          |
// | fd_out_of_range    | negative, or not below the backend's `fd_limit` | invalid_argument          |
// | not_supported      | the backend lacks the trigger, interest or verb | operation_not_supported   |
// | closed             | the selector was closed or moved from           | bad_file_descriptor       |
// | forked             | it belongs to the parent; see reinit_after_fork | operation_not_permitted   |
// | busy               | called inside its own interruption hook         | device_or_resource_busy   |
enum class errc {
  already_registered = 1,
  not_registered,
  invalid_interest,
  fd_out_of_range,
  not_supported,
  closed,
  forked,
  busy,
};

// The category of `errc`; its name() is "selectors". Thread-safe.
const std::error_category& selector_category() noexcept;

inline std::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), selector_category()};
}

}  // namespace selectors

template <>
struct std::is_error_code_enum<selectors::errc> : std::true_type {};
