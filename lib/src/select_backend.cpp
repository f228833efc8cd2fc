// select(2) and its quirks: numbers below FD_SETSIZE only; the sets are overwritten by every call; one closed
// descriptor fails the whole call with EBADF and leaves the sets untouched; hang-ups and errors show as
// readable and writable, by the kernel's own table, and cannot be told apart.
#include <sys/select.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>

#include "backend.hpp"
#include "descriptor.hpp"
#include "kernel_timeout.hpp"
#include "selection_writer.hpp"
#include "system_calls.hpp"

namespace selectors {
namespace {

constexpr int word_bits = CHAR_BIT * sizeof(unsigned long);

// An fd_set whose words can be walked.
class descriptor_set {
 public:
  void assign(int fd, bool member) noexcept {
    const unsigned long bit = 1UL << (fd % word_bits);
    unsigned long& word = words_[static_cast<std::size_t>(fd / word_bits)];
    const bool was = (word & bit) != 0;
    word = member ? word | bit : word & ~bit;
    count_ += static_cast<int>(member) - static_cast<int>(was);
  }
  bool contains(int fd) const noexcept {
    return ((words_[static_cast<std::size_t>(fd / word_bits)] >> (fd % word_bits)) & 1) != 0;
  }
  bool empty() const noexcept { return count_ == 0; }
  unsigned long word(std::size_t i) const noexcept { return words_[i]; }
  void copy_words(const descriptor_set& other, std::size_t words) noexcept {
    std::memcpy(words_.data(), other.words_.data(), words * sizeof(unsigned long));
  }
  fd_set* native() noexcept { return reinterpret_cast<fd_set*>(words_.data()); }

 private:
  static_assert(sizeof(fd_set) == FD_SETSIZE / CHAR_BIT);

  std::array<unsigned long, FD_SETSIZE / word_bits> words_{};
  int count_ = 0;
};

// In the order of select(2)'s arguments.
constexpr std::array<interest, 3> set_of = {interest::read, interest::write, interest::priority};

class select_backend final : public multiplexer {
 public:
  explicit select_backend(registration_table& table) noexcept : table_(table) {}

  void close() noexcept override {
    asked_ = {};
    end_ = 0;
    waker_ = -1;
    next_ = 0;
  }

  // select(2) may ignore a number that was never open, and then leave its bits set as if it were ready.
  [[gnu::flatten]] fault add(int fd, registration& r) noexcept override {
    if (!is_open(fd)) return fault::from_errno(EBADF);
    watch_for(fd, r.wanted);
    r.position = 1;
    return {};
  }
  fault modify(int fd, registration& r, const registration&) noexcept override {
    if (!is_open(fd)) return fault::from_errno(EBADF);
    watch_for(fd, r.wanted);
    return {};
  }
  void remove(int fd, registration& r) noexcept override { park(fd, r); }
  void park(int fd, registration& r) noexcept override {
    if (r.position == 0) return;
    r.position = 0;
    watch_for(fd, interest::none);
  }
  fault unpark(int fd, registration& r) noexcept override { return add(fd, r); }

  [[gnu::flatten]] wait_result wait(const wait_request& request) override;

  fault watch_waker(int fd) noexcept override {
    if (fd >= FD_SETSIZE) return errc::fd_out_of_range;
    if (waker_ >= 0) watch_for(waker_, interest::none);
    waker_ = fd;
    if (fd >= 0) watch_for(fd, interest::read);
    return {};
  }

  fault leave_parent() noexcept override { return watch_waker(-1); }
  bool is_healthy(int fd, const registration&) noexcept override { return is_open(fd); }
  std::size_t footprint() const noexcept override { return sizeof *this; }

 private:
  std::size_t words() const noexcept { return static_cast<std::size_t>((end_ + word_bits - 1) / word_bits); }

  void watch_for(int fd, interest wanted) noexcept;
  int ask(std::int64_t nanoseconds, const sigset_t* mask);
  void collect(std::size_t bits, selection_writer& out) noexcept;
  void collect_word(std::size_t i, unsigned long mask, selection_writer& out) noexcept;
  void settle_oneshots(const selection_writer& out) noexcept;
  void report_closed(selection_writer& out) noexcept;

  registration_table& table_;
  std::array<descriptor_set, 3> asked_;
  std::array<descriptor_set, 3> ready_;
  int end_ = 0;  // one above the highest number of the sets
  int waker_ = -1;
  int next_ = 0;  // where the next limited scan starts
  bool has_oneshot_ = false;
};

void select_backend::watch_for(int fd, interest wanted) noexcept {
  for (std::size_t s = 0; s < set_of.size(); ++s) asked_[s].assign(fd, any(wanted & set_of[s]));
  if (any(wanted)) {
    end_ = std::max(end_, fd + 1);
  } else if (fd + 1 == end_) {
    const auto is_asked = [this](int f) {
      return asked_[0].contains(f) || asked_[1].contains(f) || asked_[2].contains(f);
    };
    while (end_ > 0 && !is_asked(end_ - 1)) --end_;
  }
}

int select_backend::ask(std::int64_t nanoseconds, const sigset_t* mask) {
  std::array<fd_set*, 3> sets{};
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (asked_[s].empty()) continue;
    ready_[s].copy_words(asked_[s], words());
    sets[s] = ready_[s].native();
  }
  const bool for_ever = nanoseconds < 0;
  if (mask == nullptr && (for_ever || nanoseconds % 1000 == 0)) {
    timeval t{.tv_sec = nanoseconds / nanoseconds_per_second,
              .tv_usec = nanoseconds % nanoseconds_per_second / 1000};
    return system_call.select(end_, sets[0], sets[1], sets[2], for_ever ? nullptr : &t);
  }
  const timespec t = to_timespec(nanoseconds);
  return system_call.pselect(end_, sets[0], sets[1], sets[2], for_ever ? nullptr : &t, mask);
}

wait_result select_backend::wait(const wait_request& request) {
  selection_writer out(request);
  int bits = ask(request.nanoseconds, request.mask);
  if (bits < 0 && errno == EBADF) [[unlikely]] {
    // Some registered descriptor is closed. The others are looked at once more, so that none is hidden by it.
    report_closed(out);
    if (!out.full()) bits = ask(out.size() == 0 ? request.nanoseconds : 0, request.mask);
  }
  wait_result result;
  if (bits < 0 && out.size() == 0) [[unlikely]] {
    result.failed = fault::from_errno(errno);
    return result;
  }
  if (bits > 0) {
    result.woken = waker_ >= 0 && ready_[0].contains(waker_);
    collect(static_cast<std::size_t>(bits), out);
    if (has_oneshot_) [[unlikely]]
      settle_oneshots(out);
  }
  result.entries = out.size();
  return result;
}

// When there may be more than the limit, from where the last selection ended, once round.
void select_backend::collect(std::size_t bits, selection_writer& out) noexcept {
  const int start = bits > out.room() && next_ < end_ ? next_ : 0;
  const auto first = static_cast<std::size_t>(start / word_bits);
  const unsigned long from_start = ~0UL << (start % word_bits);
  collect_word(first, from_start, out);
  for (std::size_t i = first + 1; i < words(); ++i) collect_word(i, ~0UL, out);
  for (std::size_t i = 0; i < first; ++i) collect_word(i, ~0UL, out);
  if (start != 0) collect_word(first, ~from_start, out);
}

void select_backend::collect_word(std::size_t i, unsigned long mask, selection_writer& out) noexcept {
  std::array<unsigned long, 3> ready{};
  for (std::size_t s = 0; s < ready.size(); ++s) {
    if (!asked_[s].empty()) ready[s] = ready_[s].word(i) & mask;
  }
  for (unsigned long left = ready[0] | ready[1] | ready[2]; left != 0 && !out.full(); left &= left - 1) {
    const int bit = std::countr_zero(left);
    const int fd = static_cast<int>(i) * word_bits + bit;
    if (fd == waker_) continue;
    interest found = interest::none;
    for (std::size_t s = 0; s < ready.size(); ++s) {
      if (((ready[s] >> bit) & 1) != 0) found |= set_of[s];
    }
    registration& r = *table_.find(fd);
    has_oneshot_ |= r.mode == trigger::oneshot;
    out.add(fd, r, found, status::none);
    next_ = fd + 1;
  }
}

void select_backend::settle_oneshots(const selection_writer& out) noexcept {
  has_oneshot_ = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    registration& r = *table_.find(out[i].fd);
    if (r.mode != trigger::oneshot || r.position == 0) continue;
    park(out[i].fd, r);
    r.state = watch::fired;
  }
}

void select_backend::report_closed(selection_writer& out) noexcept {
  table_.for_each([&](int fd, registration& r) {
    if (r.position == 0 || is_open(fd)) return;
    park(fd, r);
    r.state = watch::stale;
    if (!out.full()) out.add(fd, r, interest::none, status::invalid);
  });
}

}  // namespace

std::unique_ptr<multiplexer> make_select_backend(registration_table& table) noexcept {
  return std::unique_ptr<multiplexer>(new (std::nothrow) select_backend(table));
}

}  // namespace selectors
