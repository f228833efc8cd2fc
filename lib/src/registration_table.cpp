#include "registration_table.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "descriptor.hpp"

namespace selectors {
namespace {

// So many pages are kept, even empty: numbers come back.
constexpr std::size_t kept_pages = 8;

}  // namespace

registration_table::~registration_table() {
  for (std::size_t index = 0; index < pages_; ++index) delete directory_[index];
}

fault registration_table::make_vacancy(int fd, registration*& slot) noexcept {
  if (slot_of(fd) == nullptr) {
    if (const fault f = make_page(fd)) return f;
  }
  slot = vacancy(fd);
  return slot == nullptr ? fault(errc::already_registered) : fault();
}

void registration_table::reset() noexcept {
  size_ = 0;
  if (++life_ != 0) [[likely]]
    return;
  // The lives have come round: a stamp from 2^32 lives ago could pass for a new one.
  for (std::size_t index = 0; index < pages_; ++index) free_page(index);
  life_ = 1;
}

fault registration_table::make_page(int fd) noexcept {
  // Descriptor numbers are dense, so one that is open cannot ask for an absurd directory; one that is not open could.
  if (!is_open(fd)) return fault::from_errno(EBADF);
  const std::size_t index = static_cast<unsigned>(fd) / page_size;
  if (!directory_.reserve(index + 1)) return fault::from_errno(ENOMEM);
  page* p = new (std::nothrow) page;
  if (p == nullptr) return fault::from_errno(ENOMEM);
  for (; pages_ <= index; ++pages_) directory_[pages_] = nullptr;
  directory_[index] = p;
  ++allocated_pages_;
  if (allocated_pages_ > kept_pages) trim_below_ = allocated_pages_ * page_size / 4;
  return {};
}

void registration_table::free_page(std::size_t index) noexcept {
  if (directory_[index] == nullptr) return;
  delete directory_[index];
  directory_[index] = nullptr;
  --allocated_pages_;
}

// At less than a quarter of what the pages hold, and next at a quarter of that: so that a page is looked at a bounded
// number of times for each registration that it had.
void registration_table::trim() noexcept {
  for (std::size_t index = 0; index < pages_ && allocated_pages_ > kept_pages; ++index) {
    page* p = directory_[index];
    if (p == nullptr) continue;
    const bool used = std::any_of(std::begin(p->slots), std::end(p->slots),
                                  [this](const registration& r) { return r.owner == life_; });
    if (!used) free_page(index);
  }
  trim_below_ = allocated_pages_ > kept_pages ? std::min(size_, allocated_pages_ * page_size / 4) / 2 : 0;
}

}  // namespace selectors
