#include "verbs.hpp"

namespace selectors::tests {
namespace {

// A verb as a generic function: called without an error code it throws, with one it reports.
template <class Call>
verb make(const char* name, Call call) {
  return {.name = name,
          .throwing = [call](selector& s) { call(s); },
          .reporting = [call](selector& s, std::error_code& ec) { call(s, ec); }};
}

}  // namespace

std::vector<verb> every_verb(int fd) {
  using enum interest;
  key k;
  k.fd = fd;
  k.generation = 2;  // generations are odd: nobody has this one
  std::vector<verb> verbs = {
      make("register_fd",
           [=](selector& s, auto&... ec) { s.register_fd(fd, read, 1, trigger::level, ec...); }),
      make("modify", [=](selector& s, auto&... ec) { s.modify(fd, write, 1, trigger::level, ec...); }),
      make("modify", [=](selector& s, auto&... ec) { s.modify(fd, write, ec...); }),
      make("pause", [=](selector& s, auto&... ec) { s.pause(fd, ec...); }),
      make("resume", [=](selector& s, auto&... ec) { s.resume(fd, ec...); }),
      make("unregister", [=](selector& s, auto&... ec) { s.unregister(fd, ec...); }),
      make("unregister", [=](selector& s, auto&... ec) { s.unregister(k, ec...); }),
      make("select", [](selector& s, auto&... ec) { (void)s.select(timeout::zero, {}, ec...); }),
      make("make_waker", [](selector& s, auto&... ec) { s.make_waker(ec...); }),
      make("native_handle", [](selector& s, auto&... ec) { s.native_handle(ec...); }),
      make("audit", [](selector& s, auto&... ec) { s.audit(ec...); }),
      make("get_key", [=](selector& s, auto&... ec) { s.get_key(fd, ec...); }),
      make("get_map", [](selector& s, auto&... ec) { s.get_map(ec...); }),
      make("reinit_after_fork", [](selector& s, auto&... ec) { s.reinit_after_fork(ec...); }),
  };
  verbs.back().forked_works = true;
  // The short form of select has a way of its own through the library, and no twin.
  verb short_select = verbs[7];
  short_select.throwing = [](selector& s) { (void)s.select(timeout::zero); };
  verbs.push_back(short_select);
  return verbs;
}

std::string unlike(const verb& v, selector& s, std::error_code expected) {
  const std::string name = v.name;
  std::error_code ec;
  v.reporting(s, ec);
  if (ec != expected) return name + " reported '" + ec.message() + "'";
  try {
    v.throwing(s);
  } catch (const std::system_error& e) {
    if (e.code() != expected) return name + " threw '" + e.code().message() + "'";
    if (std::string(e.what()).find("selector::" + name) != 0) return name + " is not named: " + e.what();
    return "";
  }
  return name + " did not throw";
}

}  // namespace selectors::tests
