#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

bool has_bits(const view& v, int bits) noexcept {
  return (v.raw & bits) == bits;
}

mode_t kind_of(int fd) noexcept {
  struct stat s {};
  return ::fstat(fd, &s) == 0 ? s.st_mode & S_IFMT : 0;
}

bool never_blocks(int fd) noexcept {
  const mode_t kind = kind_of(fd);
  return kind == S_IFREG || kind == S_IFDIR || kind == S_IFCHR;
}

interest fifo_without_writer_is_ended(const view& v) {
  return kind_of(v.fd) == S_IFIFO && v.raw == 0 ? v.wanted & read : v.honest;
}
interest counters_are_always_writable(const view& v) {
  return v.honest | (v.wanted & write);
}
interest reaped_process_is_forgotten(const view& v) {
  return has_bits(v, POLLHUP | POLLIN) ? none : v.honest;
}
interest hung_up_terminal_is_not_writable(const view& v) {
  return has_bits(v, POLLHUP) ? v.honest & ~write : v.honest;
}

class refuses_files final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    if (kind_of(fd) == S_IFREG) refuse(std::errc::operation_not_permitted);
    return decorator::register_fd(fd, wanted, data, mode);
  }
};

class files_come_first final : public decorator {
 public:
  using decorator::decorator;

 protected:
  outcome lie(outcome result) override {
    const auto is_file = [](const event& e) { return never_blocks(e.fd); };
    if (std::ranges::any_of(result.events, is_file)) {
      std::erase_if(result.events, [&](const event& e) { return !is_file(e); });
    }
    return result;
  }
};

class another_handle_every_time final : public decorator {
 public:
  using decorator::decorator;
  int native_handle() override { return ::fcntl(decorator::native_handle(), F_DUPFD_CLOEXEC, 0); }
};

class handle_of_another_set final : public decorator {
 public:
  using decorator::decorator;
  int native_handle() override { return always_quiet_[0] >= 0 ? always_quiet_[0] : make(); }
  ~handle_of_another_set() override {
    for (const int fd : always_quiet_) ::close(fd);
  }

 private:
  int make() { return ::pipe2(always_quiet_, O_CLOEXEC) == 0 ? always_quiet_[0] : -1; }
  int always_quiet_[2] = {-1, -1};
};

class invents_a_handle final : public decorator {
 public:
  using decorator::decorator;
  int native_handle() override { return 0; }
};

template <interest (*judge)(const view&)>
constexpr auto judging = &disguised<remapping<judge>>;

}  // namespace

std::span<const liar> descriptor_kinds_liars() {
  static const std::vector<liar> rows{
      {"FifoWithoutWriterIsEnded", "TYP-01", judging<fifo_without_writer_is_ended>},
      {"CountersAreAlwaysWritable", "TYP-02", judging<counters_are_always_writable>},
      {"ReapedProcessIsForgotten", "TYP-03", judging<reaped_process_is_forgotten>},
      {"HungUpTerminalIsNotWritable", "TYP-05", judging<hung_up_terminal_is_not_writable>},
      {"RefusesFiles", "TYP-06", &disguised<refuses_files>, "poll"},
      {"SwallowsFiles", "TYP-06", &disguised<swallows_refusals>, "epoll"},
      {"FilesComeFirst", "TYP-07", &disguised<files_come_first>},
      {"SwallowsPathDescriptors", "TYP-09", &disguised<swallows_refusals>, "epoll"},
      {"AnotherHandleEveryTime", "TYP-12", &disguised<another_handle_every_time>},
      {"HandleOfAnotherSet", "TYP-12", &disguised<handle_of_another_set>},
      {"SwallowsItself", "TYP-13", &disguised<swallows_refusals>},
      {"InventsAHandle", "TYP-14", &disguised<invents_a_handle>},
  };
  return rows;
}

}  // namespace selectors::conformance
