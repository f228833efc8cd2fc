// An arm: one piece of work whose time per operation is measured.
//
// Every arm of a comparison must come to the same result - how many descriptors are ready, and the sum of
// their numbers - so that no arm can win by doing less, and the compiler cannot remove the work.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace selectors::perf {

// What one operation found. `ready` is negative when the system call failed.
struct found {
  int ready = 0;
  std::uint64_t sum = 0;

  friend constexpr bool operator==(const found&, const found&) noexcept = default;
};

// An arm did other work than its name says: whatever was measured means nothing.
struct broken_measurement : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class arm {
 public:
  virtual ~arm() = default;

  const std::string& name() const noexcept { return name_; }

  // Does the work `operations` times and checks each result. Throws broken_measurement.
  virtual void run(int operations) = 0;

 protected:
  explicit arm(std::string name) : name_(std::move(name)) {}
  arm(const arm&) = delete;
  arm& operator=(const arm&) = delete;

  [[noreturn]] void fail(const found& got, const found& wanted) const {
    throw broken_measurement(fmt::format("arm {}: found {} ready (sum {}), expected {} (sum {})", name_,
                                         got.ready, got.sum, wanted.ready, wanted.sum));
  }

 private:
  std::string name_;
};

// `Operation` is a callable that returns `found`. It is called directly, so that the loop around the work
// costs the same few instructions in each arm.
template <class Operation>
class arm_of final : public arm {
 public:
  arm_of(std::string name, found wanted, Operation operation)
      : arm(std::move(name)), wanted_(wanted), operation_(std::move(operation)) {}

  void run(int operations) override {
    for (int i = 0; i < operations; ++i) {
      const found got = operation_();
      if (got != wanted_) [[unlikely]]
        fail(got, wanted_);
    }
  }

 private:
  found wanted_;
  Operation operation_;
};

// The arms of one process. They are listed first and made afterwards, only those whose name is wanted - a
// selector that nobody times should not sit in the wait queues of the sockets - and in an order drawn by lot:
// what is made first lies elsewhere in memory, always to the advantage of the same arm.
class arm_list {
 public:
  // `pattern` is a glob over whole names, as in fnmatch(3): "*" wants all, "!(empty/*)" all but the empty ones.
  explicit arm_list(std::string pattern = "*") : pattern_(std::move(pattern)) {}

  // `make` returns the operation; it is called, or not, by make_all and must not refer to the caller's locals.
  template <class Make>
  void add(std::string name, found wanted, Make make) {
    if (!wants(name)) return;
    names_.push_back(name);
    makers_.push_back([name = std::move(name), wanted, make = std::move(make)]() -> std::unique_ptr<arm> {
      return std::make_unique<arm_of<decltype(make())>>(name, wanted, make());
    });
  }

  // After the last add; again, and every arm is a new one.
  void make_all(std::uint64_t seed);

  const std::vector<std::string>& names() const noexcept { return names_; }
  // In the order in which they were listed.
  std::span<const std::unique_ptr<arm>> arms() const noexcept { return arms_; }
  // nullptr when there is none.
  arm* find(const std::string& name) const noexcept;

 private:
  bool wants(const std::string& name) const;

  std::string pattern_;
  std::vector<std::string> names_;
  std::vector<std::function<std::unique_ptr<arm>()>> makers_;
  std::vector<std::unique_ptr<arm>> arms_;
};

}  // namespace selectors::perf
