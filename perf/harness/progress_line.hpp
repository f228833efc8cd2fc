#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace selectors::perf {

// One line that overwrites itself, on a terminal only.
class progress_line {
 public:
  progress_line() = default;
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() {
    if (wanted_) fmt::print(stderr, "\r{:78}\r", "");
  }

  void show(const std::string& text) {
    if (!wanted_) return;
    fmt::print(stderr, "\r{:<78.78}", text);
    std::fflush(stderr);
  }

 private:
  bool wanted_ = ::isatty(STDERR_FILENO) == 1;
};

}  // namespace selectors::perf
