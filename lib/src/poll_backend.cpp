#include <new>

#include "backend.hpp"
#include "descriptor.hpp"
#include "poll_set.hpp"

namespace selectors {
namespace {

class poll_backend final : public multiplexer {
 public:
  explicit poll_backend(registration_table& table) noexcept : set_(table) { appends_to = only_polls = &set_; }

  // An array that is never missing needs no special case in a wait.
  fault open() noexcept override { return set_.make_room(); }
  void close() noexcept override { set_.clear(); }

  fault add(int fd, registration& r) noexcept override {
    if (const fault f = set_.make_room()) return f;
    set_.insert(fd, r);
    return {};
  }
  fault modify(int, registration& r, const registration&) noexcept override {
    set_.update(r);
    return {};
  }
  void remove(int, registration& r) noexcept override { set_.erase(r); }
  void park(int, registration& r) noexcept override { set_.erase(r); }
  fault unpark(int fd, registration& r) noexcept override { return add(fd, r); }

  wait_result wait(const wait_request& request) override { return set_.wait(request); }
  fault watch_waker(int fd) noexcept override { return set_.watch_waker(fd); }
  fault leave_parent() noexcept override { return set_.watch_waker(-1); }
  bool is_healthy(int fd, const registration&) noexcept override { return is_open(fd); }

  std::size_t footprint() const noexcept override { return sizeof *this + set_.footprint(); }

 private:
  poll_set set_;
};

}  // namespace

std::unique_ptr<multiplexer> make_poll_backend(registration_table& table) noexcept {
  return std::unique_ptr<multiplexer>(new (std::nothrow) poll_backend(table));
}

}  // namespace selectors
