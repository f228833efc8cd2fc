// A selector of one's own - the plainest loop over poll(2) - put on trial with the three required verbs.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <selectors/conformance/suite.hpp>

namespace {

using namespace selectors;
using conformance::feature;
using conformance::outcome;

class own_poll final : public conformance::subject {
 public:
  key register_fd(int fd, interest wanted, user_data, trigger) override {
    if (find(fd) != set_.end()) fail(EEXIST);
    const bool reads = any(wanted & interest::read);
    const bool writes = any(wanted & interest::write);
    set_.push_back({fd, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
    return key_of(set_.back());
  }

  key unregister(int fd) override {
    const auto found = find(fd);
    if (found == set_.end()) fail(ENOENT);
    const key k = key_of(*found);
    set_.erase(found);
    return k;
  }

  outcome wait(timeout t) override {
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(t.duration()).count();
    const int ready = ::poll(set_.data(), set_.size(), t.is_infinite() ? -1 : static_cast<int>(whole));
    if (ready < 0) fail(errno);
    outcome o;
    for (const pollfd& p : set_) {
      const interest found = interest_of(p.revents) & key_of(p).wanted;
      if (!any(found)) continue;
      o.events.push_back({p.fd, found, status::none, 0, {}});
    }
    return o;
  }

 private:
  static interest interest_of(int bits) {
    return ((bits & (POLLIN | POLLHUP | POLLERR)) != 0 ? interest::read : interest::none) |
           ((bits & (POLLOUT | POLLERR)) != 0 ? interest::write : interest::none);
  }
  static key key_of(const pollfd& p) {
    key k;
    k.fd = p.fd;
    k.wanted = interest_of(p.events);
    return k;
  }
  std::vector<pollfd>::iterator find(int fd) { return std::ranges::find(set_, fd, &pollfd::fd); }
  [[noreturn]] static void fail(int code) {
    throw std::system_error(code, std::system_category(), "own_poll");
  }

  std::vector<pollfd> set_;
};

}  // namespace

int main(int argc, char** argv) {
  return conformance::run_suite(
      argc, argv, {{"own_poll", feature::none, 0, [] { return std::make_unique<own_poll>(); }}});
}
