// How a verb failed, in one register: nothing, an errno, or one of the library's own answers. std::error_code
// carries a pointer that costs a function call to obtain; it is made at the public surface, and only there.
#pragma once

#include <system_error>

#include <selectors/error.hpp>

namespace selectors {

class [[nodiscard]] fault {
 public:
  constexpr fault() noexcept = default;
  constexpr fault(errc e) noexcept : code_(-static_cast<int>(e)) {}
  static constexpr fault from_errno(int e) noexcept { return fault(e); }

  constexpr explicit operator bool() const noexcept { return code_ != 0; }
  constexpr bool is_errno(int e) const noexcept { return code_ == e; }

  std::error_code to_error_code() const noexcept {
    if (code_ < 0) return make_error_code(static_cast<errc>(-code_));
    return {code_, std::system_category()};
  }

 private:
  constexpr explicit fault(int code) noexcept : code_(code) {}

  int code_ = 0;  // > 0: errno; < 0: a negated errc
};

}  // namespace selectors
