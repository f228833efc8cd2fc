// Which numbers are registered, for what, and as which generation: shared by every backend.
#pragma once

#include <cstddef>
#include <cstdint>

#include <selectors/event.hpp>

#include "buffer.hpp"
#include "fault.hpp"

namespace selectors {

// A registration that must be quiet for a while is parked: one state, four reasons. A parked descriptor is
// not watched by the kernel, or what the kernel says of it is ignored.
enum class watch : std::uint8_t {
  live,
  muted,     // epoll only: a condition that nobody asked for holds, so it is watched for edges instead
  paused,    // parked by the user
  fired,     // parked: a oneshot that was delivered
  stale,     // parked: the descriptor is not open
  unwanted,  // parked: a condition that nobody asked for holds, and the backend cannot watch for edges
};

// Whether an epoll set has an entry for the registration.
enum class entry : std::uint8_t {
  none,
  refused,  // and it will not have one
  armed,    // for what was asked for
  masked,   // for nothing: the poll set watches it meanwhile
};

constexpr bool exists(entry e) noexcept {
  return e >= entry::armed;
}

constexpr bool is_parked(watch w) noexcept {
  return w >= watch::paused;
}

struct registration {
  user_data data;
  std::uint32_t owner;       // the table's life that this belongs to; any other value: free
  std::uint32_t position;    // where the poll set keeps it, or that select does; 0: not there
  std::uint32_t generation;  // never 0
  std::uint32_t selected;    // its place in the last selection, if it has one there
  std::uint32_t since;       // the adaptive backend's: what its set's clock said when it was last ready
  interest wanted;
  trigger mode;
  watch state;
  entry in_epoll;
};
static_assert(sizeof(registration) == 32, "four fit two cache lines");

// Indexed by descriptor number, in pages, so that memory follows the registrations and not the highest number, and so
// that a registration never moves. Emptying the table costs nothing: a life has a number, and what is stamped with
// another one is free.
class registration_table {
 public:
  registration_table() noexcept = default;
  registration_table(const registration_table&) = delete;
  registration_table& operator=(const registration_table&) = delete;
  ~registration_table();

  std::size_t size() const noexcept { return size_; }

  // nullptr when the number is not registered.
  registration* find(int fd) noexcept {
    registration* r = slot_of(fd);
    return r != nullptr && r->owner == life_ ? r : nullptr;
  }
  const registration* find(int fd) const noexcept { return const_cast<registration_table*>(this)->find(fd); }

  // nullptr when the number is not registered, or not as this generation.
  registration* find(int fd, std::uint32_t generation) noexcept {
    registration* r = slot_of(fd);
    return r != nullptr && r->generation == generation ? r : nullptr;
  }

  // A free place for the number: it is not registered, and the table need not grow. nullptr when there is none.
  registration* vacancy(int fd) noexcept {
    registration* r = slot_of(fd);
    return r != nullptr && r->owner != life_ ? r : nullptr;
  }
  // The same, after growing. errc::already_registered; and since before the table grows for a number the descriptor is
  // looked at, EBADF; ENOMEM.
  fault make_vacancy(int fd, registration*& slot) noexcept;

  // `slot` is the vacancy of its number; it gets a new generation.
  void occupy(registration& slot) noexcept {
    slot.generation = next_generation();
    slot.owner = life_;
    ++size_;
  }
  // Takes `occupy` back.
  void vacate(registration& slot) noexcept {
    slot.generation = 0;
    slot.owner = 0;
    --size_;
  }
  void erase(registration& slot) noexcept {
    vacate(slot);
    if (size_ < trim_below_) [[unlikely]]
      trim();
  }

  // Tells the events of two files apart that had the same number. Odd, hence never 0; unlike those of earlier lives,
  // but for one in 2^31.
  std::uint32_t next_generation() noexcept { return generation_ += 2; }
  std::uint32_t last_generation() const noexcept { return generation_; }

  // f(int fd, registration&) for each; f may not add or erase.
  template <class F>
  void for_each(F&& f) {
    for (std::size_t index = 0; index < pages_; ++index) {
      page* p = directory_[index];
      if (p == nullptr) continue;
      for (std::size_t i = 0; i < page_size; ++i) {
        if (p->slots[i].owner == life_) f(static_cast<int>(index * page_size + i), p->slots[i]);
      }
    }
  }

  // Forgets every registration; keeps the storage.
  void reset() noexcept;

  std::size_t footprint() const noexcept { return directory_.footprint() + allocated_pages_ * sizeof(page); }

 private:
  static constexpr std::size_t page_size = 128;

  struct page {
    registration slots[page_size] = {};
  };

  // nullptr when there is no page for the number; a negative one becomes an index that no directory reaches.
  registration* slot_of(int fd) noexcept {
    const std::size_t index = static_cast<unsigned>(fd) / page_size;
    if (index >= pages_) [[unlikely]]
      return nullptr;
    page* p = directory_[index];
    return p == nullptr ? nullptr : &p->slots[static_cast<unsigned>(fd) % page_size];
  }

  [[gnu::cold, gnu::noinline]] fault make_page(int fd) noexcept;
  void free_page(std::size_t index) noexcept;
  [[gnu::cold, gnu::noinline]] void trim() noexcept;

  buffer<page*> directory_;
  std::size_t pages_ = 0;  // of the directory, pages that are not there included
  std::size_t allocated_pages_ = 0;
  std::size_t size_ = 0;
  std::size_t trim_below_ = 0;  // with fewer registrations than this, pages may have become free
  std::uint32_t life_ = 1;
  std::uint32_t generation_ = 1;
};

}  // namespace selectors
