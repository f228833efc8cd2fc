#include "registration_table.hpp"

#include <cerrno>
#include <new>

#include "descriptor.hpp"

namespace selectors {
namespace {

// Below this an emptied page is kept: numbers come back.
constexpr std::size_t kept_footprint = 32 * 1024;

}  // namespace

registration_table::~registration_table() {
  for (std::size_t index = 0; index < pages_; ++index) delete directory_[index];
}

void registration_table::erase(int fd, registration& slot) noexcept {
  slot.owner = 0;
  --size_;
  const std::size_t index = page_index(fd);
  if (--directory_[index]->live == 0 && footprint() > kept_footprint) free_page(index);
}

void registration_table::reset() noexcept {
  size_ = 0;
  if (++life_ != 0) return;
  // The lives have come round: a stamp from 2^32 lives ago could pass for a new one.
  for (std::size_t index = 0; index < pages_; ++index) free_page(index);
  life_ = 1;
}

fault registration_table::make_page(int fd) noexcept {
  // Descriptor numbers are dense, so one that is open cannot ask for an absurd directory; one that is not
  // open could.
  if (!is_open(fd)) return fault::from_errno(EBADF);
  const std::size_t index = page_index(fd);
  if (!directory_.reserve(index + 1)) return fault::from_errno(ENOMEM);
  page* p = new (std::nothrow) page;
  if (p == nullptr) return fault::from_errno(ENOMEM);
  for (; pages_ <= index; ++pages_) directory_[pages_] = nullptr;
  directory_[index] = p;
  ++allocated_pages_;
  return {};
}

void registration_table::free_page(std::size_t index) noexcept {
  if (directory_[index] == nullptr) return;
  delete directory_[index];
  directory_[index] = nullptr;
  --allocated_pages_;
}

}  // namespace selectors
