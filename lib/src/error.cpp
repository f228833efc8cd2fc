#include <string>

#include <selectors/error.hpp>

namespace selectors {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "selectors"; }

  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::already_registered:
        return "the descriptor number is registered already";
      case errc::not_registered:
        return "the descriptor number has no such registration";
      case errc::invalid_interest:
        return "the interest is empty or has unknown bits";
      case errc::fd_out_of_range:
        return "the descriptor number is negative or beyond what the backend can watch";
      case errc::not_supported:
        return "the backend does not support this";
      case errc::closed:
        return "the selector is closed";
      case errc::forked:
        return "the selector belongs to the parent process: call reinit_after_fork";
      case errc::busy:
        return "the selector cannot be used inside its own interruption hook";
    }
    return "unknown error";
  }

  std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<errc>(value)) {
      case errc::already_registered:
        return std::errc::file_exists;
      case errc::not_registered:
        return std::errc::no_such_file_or_directory;
      case errc::invalid_interest:
      case errc::fd_out_of_range:
        return std::errc::invalid_argument;
      case errc::not_supported:
        return std::errc::operation_not_supported;
      case errc::closed:
        return std::errc::bad_file_descriptor;
      case errc::forked:
        return std::errc::operation_not_permitted;
      case errc::busy:
        return std::errc::device_or_resource_busy;
    }
    return {value, *this};
  }
};

}  // namespace

const std::error_category& selector_category() noexcept {
  static const category instance;
  return instance;
}

}  // namespace selectors
