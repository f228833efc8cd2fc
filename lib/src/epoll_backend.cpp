#include <new>

#include "backend.hpp"
#include "epoll_set.hpp"

namespace selectors {
namespace {

class epoll_backend final : public multiplexer {
 public:
  explicit epoll_backend(registration_table& table) noexcept : set_(table) { only_epolls = &set_; }

  fault open() noexcept override { return set_.open(); }
  void close() noexcept override { set_.close(); }

  fault add(int fd, registration& r) noexcept override { return set_.insert(fd, r); }
  fault modify(int fd, registration& r, const registration& old) noexcept override {
    return set_.update(fd, r, old);
  }
  void remove(int fd, registration& r) noexcept override { set_.erase(fd, r); }
  void park(int fd, registration& r) noexcept override { set_.erase(fd, r); }
  fault unpark(int fd, registration& r) noexcept override { return set_.insert(fd, r); }

  wait_result wait(const wait_request& request) override { return set_.wait(request); }
  fault watch_waker(int fd) noexcept override { return set_.watch_waker(fd); }
  bool is_healthy(int fd, const registration& r) noexcept override { return set_.is_healthy(fd, r); }
  fault native_handle(int& handle) noexcept override { return set_.handle(handle); }
  fault leave_parent() noexcept override { return set_.leave_parent(); }

  std::size_t footprint() const noexcept override { return sizeof *this + set_.footprint(); }

 private:
  epoll_set set_;
};

}  // namespace

std::unique_ptr<multiplexer> make_epoll_backend(registration_table& table) noexcept {
  return std::unique_ptr<multiplexer>(new (std::nothrow) epoll_backend(table));
}

}  // namespace selectors
