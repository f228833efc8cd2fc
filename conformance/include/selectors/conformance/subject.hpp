// What an event loop supplies to be put on trial: the adapter interface and the row that describes it.
//
//     class my_loop : public selectors::conformance::subject { register_fd, unregister, wait ... };
//     const subject_info row{"my_loop", feature::modify | feature::edge, INT_MAX,
//                            [] { return std::make_unique<my_loop>(); }};
//
// Three verbs are required. Every other verb throws `unsupported` until it is overridden, and the cases that
// need it are reported as not applicable, as long as the row does not claim the feature. A claimed feature
// that throws `unsupported` is an error of the adapter, not a failure of the loop.
//
// Verbs fail with std::system_error. Cases compare its code with std::errc values only, so that an adapter
// needs no error category of its own: file_exists (registered already), no_such_file_or_directory (not
// registered), invalid_argument (bad interest, number or limit), operation_not_supported (missing trigger or
// interest), bad_file_descriptor (closed selector, closed descriptor), operation_not_permitted (forked child,
// or a file that cannot be waited for), device_or_resource_busy (re-entered).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <selectors/event.hpp>
#include <selectors/selector.hpp>
#include <selectors/timeout.hpp>

namespace selectors::conformance {

// What a subject can do beyond the three required verbs. Bit flags; a case names the ones it needs and the
// ones that must be absent.
enum class feature : std::uint64_t {
  none = 0,

  // Verbs.
  modify = 1u << 0,
  pause = 1u << 1,              // pause and resume
  unregister_by_key = 1u << 2,  // unregister(const key&)
  get_key = 1u << 3,
  get_map = 1u << 4,
  counting = 1u << 5,  // size and contains
  waker = 1u << 6,
  close = 1u << 7,
  move = 1u << 8,  // move_out: the moved-from state
  native_handle = 1u << 9,
  audit = 1u << 10,
  reinit_after_fork = 1u << 11,

  // Options of a wait.
  limit = 1u << 12,
  sigmask = 1u << 13,
  interruption_hook = 1u << 14,

  // Qualities.
  edge = 1u << 15,
  oneshot = 1u << 16,
  exclusive = 1u << 17,
  priority = 1u << 18,
  peer_closed = 1u << 19,
  regular_files = 1u << 20,
  status = 1u << 21,         // hangup and error travel beside the ready bits
  user_data = 1u << 22,      // a registration carries 64 bits, every entry returns them
  generations = 1u << 23,    // keys and entries carry one, never 0
  live_results = 1u << 24,   // revisit: the last result may be read again and is blanked by unregister
  fork_guard = 1u << 25,     // every verb fails in a forked child
  eager_check = 1u << 26,    // a number that is not open is refused by register_fd, not found by a wait
  fd_limit = 1u << 27,       // numbers from subject_info::fd_limit on are refused
  counts_calls = 1u << 28,   // calls(): the kernel waits and the other system calls can be counted
  names_errors = 1u << 29,   // the error codes listed at the top are kept
  scales = 1u << 30,         // a wait does not get dearer with quiet descriptors
  reports_stale = 1u << 31,  // a closed descriptor may be reported as status::invalid
  one_call_waits =
      std::uint64_t{1} << 32,  // a steady wait is one system call; else two sets and a look first
};

constexpr feature operator|(feature a, feature b) noexcept {
  return static_cast<feature>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
}
constexpr feature operator&(feature a, feature b) noexcept {
  return static_cast<feature>(static_cast<std::uint64_t>(a) & static_cast<std::uint64_t>(b));
}
constexpr feature operator~(feature a) noexcept {
  return static_cast<feature>(~static_cast<std::uint64_t>(a));
}
// Whether `set` holds every bit of `wanted`.
constexpr bool has(feature set, feature wanted) noexcept {
  return (set & wanted) == wanted;
}
// "modify, edge": for messages.
std::string names_of(feature set);

// Thrown by every verb that an adapter does not override.
class unsupported : public std::logic_error {
 public:
  explicit unsupported(std::string_view verb)
      : std::logic_error("this subject has no " + std::string(verb) + ", although its row claims it") {}
};

// One wait's result, copied out.
struct outcome {
  std::vector<event> events;
  bool woken = false;
  bool interrupted = false;
};

// Counts since the subject was made. They may include other subjects of the same thread; cases take
// differences.
struct call_counts {
  std::uint64_t waits = 0;  // select, poll, epoll_wait and their relatives
  std::uint64_t other = 0;  // everything else, such as epoll_ctl, fcntl or a read of the waker
};

// Wakes the subject that made it, from any thread or signal handler.
class wake_handle {
 public:
  virtual ~wake_handle() = default;
  virtual void wake() const noexcept = 0;
};

class subject {
 public:
  subject() = default;
  subject(const subject&) = delete;
  subject& operator=(const subject&) = delete;
  virtual ~subject() = default;

  // Required. A loop without generations or user data leaves those fields of the key alone.
  virtual key register_fd(int fd, interest wanted, user_data data, trigger mode) = 0;
  virtual key unregister(int fd) = 0;
  virtual outcome wait(timeout t) = 0;

  // Optional.
  virtual outcome wait(timeout t, const wait_options& options);
  virtual key unregister(const key& k);
  virtual key modify(int fd, interest wanted, user_data data, trigger mode);
  virtual key modify(int fd, interest wanted);  // keeps data and trigger
  virtual key pause(int fd);
  virtual key resume(int fd);
  virtual key get_key(int fd);
  virtual std::vector<key> get_map();
  virtual std::size_t size();
  virtual bool contains(int fd);
  virtual std::shared_ptr<const wake_handle> make_waker();
  virtual void close();
  virtual int native_handle();
  virtual std::vector<key> audit();
  virtual void reinit_after_fork();

  // The selector inside moves to a new subject; this one is left moved-from.
  virtual std::unique_ptr<subject> move_out();
  // The last result, read once more from where the selector keeps it.
  virtual std::vector<event> revisit();
  virtual call_counts calls();

  // Conveniences for cases; nothing to override.
  key add(int fd, interest wanted) { return register_fd(fd, wanted, user_data{}, trigger::level); }
  key add(int fd, interest wanted, user_data data) { return register_fd(fd, wanted, data, trigger::level); }
  key add(int fd, interest wanted, trigger mode) { return register_fd(fd, wanted, user_data{}, mode); }
};

// A row of the table of subjects.
struct subject_info {
  std::string name;                                // first part of every test name: letters, digits, '_'
  feature can = feature::none;                     // claims; a false one is an error of the adapter
  int fd_limit = 0;                                // meaningful with feature::fd_limit
  std::function<std::unique_ptr<subject>()> make;  // a fresh, empty selector; throws when it cannot
};

}  // namespace selectors::conformance
