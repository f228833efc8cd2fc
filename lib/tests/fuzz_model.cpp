#include "fuzz_model.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace selectors::tests {
namespace {

// Written out once more, so that the table of the library is under test too.
short bits_of(interest wanted) {
  unsigned bits = 0;
  if (any(wanted & interest::read)) bits |= POLLIN;
  if (any(wanted & interest::write)) bits |= POLLOUT;
  if (any(wanted & interest::priority)) bits |= POLLPRI;
  if (any(wanted & interest::peer_closed)) bits |= POLLRDHUP;
  return static_cast<short>(bits);
}

interest ready_of(short raw, interest wanted) {
  interest ready = interest::none;
  if ((raw & (POLLIN | POLLHUP | POLLERR)) != 0) ready |= interest::read;
  if ((raw & (POLLOUT | POLLERR)) != 0) ready |= interest::write;
  if ((raw & POLLPRI) != 0) ready |= interest::priority;
  if ((raw & POLLRDHUP) != 0) ready |= interest::peer_closed;
  return ready & wanted;
}

status status_of(short raw) {
  status flags = status::none;
  if ((raw & POLLHUP) != 0) flags |= status::hangup;
  if ((raw & POLLERR) != 0) flags |= status::error;
  return flags;
}

std::string name_of(const event& e) {
  return "fd " + std::to_string(e.fd) + " ready " + std::to_string(static_cast<int>(e.ready)) + " status " +
         std::to_string(static_cast<int>(e.flags)) + " generation " + std::to_string(e.generation);
}

std::string name_of(const fuzz_model::registration& r) {
  return "fd " + std::to_string(r.known.fd) + " wanted " + std::to_string(static_cast<int>(r.known.wanted)) +
         " mode " + std::to_string(static_cast<int>(r.known.mode)) + " poll says " + std::to_string(r.raw);
}

}  // namespace

void fuzz_model::enter(const key& k) {
  registration& r = at(k.fd);
  r = {};
  r.registered = true;
  numbers_.push_back(k.fd);
  rearm(k);
}

void fuzz_model::rearm(const key& k) {
  registration& r = at(k.fd);
  r.known = k;
  r.fired = false;
  r.edge_pending = true;
}

void fuzz_model::leave(int fd) {
  at(fd).registered = false;
  std::erase(numbers_, fd);
}

bool fuzz_model::has_stale() const {
  return std::any_of(numbers_.begin(), numbers_.end(),
                     [this](int fd) { return all_[static_cast<std::size_t>(fd)].stale; });
}

bool fuzz_model::has_to_report(const registration& r) const noexcept {
  return any(r.ready) && (r.known.mode != trigger::edge || r.edge_pending);
}

std::size_t fuzz_model::look() {
  asked_.clear();
  for (const int fd : numbers_) {
    registration& r = at(fd);
    r.ready = interest::none;
    r.raw = 0;
    r.seen = false;
    if (!r.stale && !r.known.paused && !r.fired) asked_.push_back({fd, bits_of(r.known.wanted), 0});
  }
  if (::poll(asked_.data(), asked_.size(), 0) < 0)
    throw std::system_error(errno, std::system_category(), "poll");
  std::size_t expected = 0;
  for (const pollfd& p : asked_) {
    registration& r = at(p.fd);
    r.raw = p.revents;
    r.ready = ready_of(p.revents, r.known.wanted);
    r.edge_pending = any(r.ready) && (r.edge_pending || any(r.ready & ~r.was_ready));
    r.was_ready = r.ready;
    expected += static_cast<std::size_t>(has_to_report(r));
  }
  return expected;
}

std::string fuzz_model::wrong_entry(const event& e) {
  if (e.fd < 0 || e.fd >= most_numbers || !at(e.fd).registered) return "of a number that is not registered";
  registration& r = at(e.fd);
  if (r.seen) return "reported twice";
  r.seen = true;
  if (r.stale) return "";
  if (r.known.generation != e.generation) return "of another registration";
  if (r.known.paused) return "is paused";
  if (r.fired) return "has fired";
  if (r.known.data != e.data) return "with other data";
  if (!any(r.ready) || r.ready != e.ready || status_of(r.raw) != e.flags) return "reported otherwise";
  r.fired = r.known.mode == trigger::oneshot;
  return "";
}

std::string fuzz_model::disagreement(const selection& found, std::size_t limit, bool whole) {
  compared_ += found.size();
  if (found.size() > limit) return "more entries than the limit";
  for (const event& e : found) {
    const std::string wrong = wrong_entry(e);
    if (!wrong.empty())
      return wrong + ": " + name_of(e) + "; " + name_of(at(std::clamp(e.fd, 0, most_numbers - 1)));
  }
  for (const int fd : numbers_) {
    registration& r = at(fd);
    if (r.seen) {
      r.edge_pending = false;
    } else if (has_to_report(r) && whole && found.size() < limit) {
      return "lost: " + name_of(r);
    }
  }
  return "";
}

}  // namespace selectors::tests
