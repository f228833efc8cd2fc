// A growable array for plain data that reports a lack of memory instead of throwing, keeps its storage when
// emptied and never initialises it.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace selectors {

template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  buffer() noexcept = default;
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { ::operator delete(storage_); }

  T* data() noexcept { return storage_; }
  const T* data() const noexcept { return storage_; }
  T& operator[](std::size_t i) noexcept { return storage_[i]; }
  const T& operator[](std::size_t i) const noexcept { return storage_[i]; }
  std::size_t footprint() const noexcept { return capacity_ * sizeof(T); }

  // Room for `n` elements; false when there is no memory for them, with nothing changed. What was stored
  // stays.
  [[nodiscard]] bool reserve(std::size_t n) noexcept { return n <= capacity_ || grow(n); }

 private:
  [[gnu::noinline]] bool grow(std::size_t n) noexcept {
    std::size_t wanted = capacity_ == 0 ? 16 : 2 * capacity_;
    while (wanted < n) wanted *= 2;
    auto* larger = static_cast<T*>(::operator new(wanted * sizeof(T), std::nothrow));
    if (larger == nullptr) return false;
    if (capacity_ != 0) std::memcpy(larger, storage_, capacity_ * sizeof(T));
    ::operator delete(std::exchange(storage_, larger));
    capacity_ = wanted;
    return true;
  }

  T* storage_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace selectors
