// What every verb answers when the selector is not there to be used, in both of its faces; and the faces compared.
#include <selectors/selector.hpp>

#include "children.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"
#include "verbs.hpp"

namespace selectors::tests {
namespace {

class EveryVerb : public every_backend {
 protected:
  EveryVerb() { s.register_fd(pipe.reader, interest::read); }

  void expect_all_closed(selector& closed) {
    for (const verb& v : every_verb(pipe.reader)) EXPECT_EQ(unlike(v, closed, errc::closed), "");
    EXPECT_EQ(closed.size(), 0u);
    EXPECT_FALSE(closed.contains(pipe.reader));
    EXPECT_EQ(closed.active_backend(), GetParam());
    closed.close();
  }

  pipe_ends pipe = make_pipe();
  selector s{GetParam()};
};

TEST_P(EveryVerb, AnswersClosedAfterClose) {
  s.close();
  expect_all_closed(s);
}

TEST_P(EveryVerb, AnswersClosedOnAMovedFromSelector) {
  selector other(std::move(s));
  expect_all_closed(s);
  EXPECT_EQ(other.size(), 1u);
  selector assigned(GetParam());
  assigned = std::move(other);
  expect_all_closed(other);
  EXPECT_TRUE(assigned.contains(pipe.reader));
}

TEST_P(EveryVerb, AnswersForkedInAChild) {
  const auto child = [&]() -> std::string {
    for (const verb& v : every_verb(pipe.reader)) {
      if (v.forked_works) continue;
      const std::string wrong = unlike(v, s, errc::forked);
      if (!wrong.empty()) return wrong;
    }
    s.close();
    return unlike(every_verb(pipe.reader).front(), s, errc::closed);
  };
  EXPECT_EQ(in_child(child), "");
  put(pipe.writer);
  EXPECT_EQ(s.select().size(), 1u) << "the parent is as before";
}

TEST_P(EveryVerb, AnswersNotRegisteredForAnUnknownNumber) {
  selector empty(GetParam());
  for (const verb& v : every_verb(pipe.reader)) {
    const std::string name = v.name;
    if (name != "modify" && name != "pause" && name != "resume" && name != "unregister" && name != "get_key")
      continue;
    EXPECT_EQ(unlike(v, empty, errc::not_registered), "");
  }
}

TEST_P(EveryVerb, ClearsTheErrorCodeWhenItSucceeds) {
  for (const verb& v : every_verb(pipe.reader)) {
    if (std::string(v.name) == "native_handle" && !can().native_handle) continue;
    selector fresh(GetParam());
    key k;
    if (std::string(v.name) != "register_fd") k = fresh.register_fd(pipe.reader, interest::read);
    std::error_code ec = errc::busy;
    v.reporting(fresh, ec);
    // A key with an invented generation is refused; that twin has a test of its own.
    if (ec != errc::not_registered) {
      EXPECT_EQ(ec, std::error_code()) << v.name;
    }
  }
}

TEST_P(EveryVerb, ReturnsTheSameFromBothFaces) {
  std::error_code ec;
  const pipe_ends other = make_pipe();
  const key k = s.register_fd(other.writer, interest::write, 5, trigger::level, ec);
  EXPECT_EQ(k, s.get_key(other.writer));
  EXPECT_EQ(k, s.get_key(other.writer, ec));
  EXPECT_EQ(s.modify(other.writer, interest::read, 6, trigger::oneshot, ec).mode, trigger::oneshot);
  EXPECT_EQ(s.modify(other.writer, interest::write, ec).data, user_data(6));
  EXPECT_TRUE(s.pause(other.writer, ec).paused);
  EXPECT_TRUE(s.pause(other.writer).paused);
  EXPECT_FALSE(s.resume(other.writer, ec).paused);
  EXPECT_FALSE(s.resume(other.writer).paused);
  EXPECT_EQ(s.get_map(ec), s.get_map());
  EXPECT_EQ(s.audit(ec), s.audit());
  EXPECT_EQ(s.select(timeout::zero, {}, ec).size(), 1u);
  EXPECT_EQ(s.unregister(s.get_key(other.writer), ec).fd, other.writer);
  EXPECT_FALSE(ec);
  EXPECT_EQ(s.size(), 1u);
}

TEST_P(EveryVerb, ReturnsADefaultValueWhenItFails) {
  std::error_code ec;
  EXPECT_EQ(s.register_fd(-1, interest::read, 1, trigger::level, ec), key());
  EXPECT_EQ(s.get_key(pipe.writer, ec), key());
  EXPECT_EQ(s.unregister(pipe.writer, ec), key());
  EXPECT_TRUE(s.select(timeout::zero, {.limit = 0}, ec).empty());
  EXPECT_EQ(ec, std::errc::invalid_argument);
  s.close();
  EXPECT_TRUE(s.get_map(ec).empty());
  EXPECT_EQ(s.native_handle(ec), -1);
  s.make_waker(ec).wake();
  EXPECT_EQ(ec, errc::closed);
}

TEST_P(EveryVerb, NamesTheDescriptorInItsException) {
  try {
    s.modify(pipe.writer, interest::read);
    FAIL() << "not refused";
  } catch (const std::system_error& e) {
    const std::string expected = "selector::modify(" + std::to_string(pipe.writer) + ")";
    EXPECT_EQ(std::string(e.what()).find(expected), 0u) << e.what();
  }
}

TEST_P(EveryVerb, RefusesWhatTheBackendOrTheContractDoesNotAllow) {
  std::error_code ec;
  const auto refused = [&](int fd, interest wanted, trigger mode) {
    s.register_fd(fd, wanted, {}, mode, ec);
    EXPECT_EQ(s.size(), 1u);
    return ec;
  };
  const int fd = pipe.writer;
  EXPECT_EQ(refused(fd, interest::none, trigger::level), errc::invalid_interest);
  EXPECT_EQ(refused(fd, static_cast<interest>(16), trigger::level), errc::invalid_interest);
  EXPECT_EQ(refused(fd, static_cast<interest>(255), trigger::level), errc::invalid_interest);
  EXPECT_EQ(refused(-1, interest::read, trigger::level), errc::fd_out_of_range);
  EXPECT_EQ(refused(can().fd_limit, interest::read, trigger::level), errc::fd_out_of_range);
  EXPECT_EQ(refused(fd, interest::read, static_cast<trigger>(4)), errc::not_supported);
  EXPECT_EQ(refused(fd, interest::read, static_cast<trigger>(255)), errc::not_supported);
  EXPECT_EQ(refused(fd, interest::read | interest::priority, trigger::exclusive), errc::not_supported);
  if (!can().edge) {
    EXPECT_EQ(refused(fd, interest::read, trigger::edge), errc::not_supported);
  }
  if (!can().peer_closed) {
    EXPECT_EQ(refused(fd, interest::peer_closed, trigger::level), errc::not_supported);
  }
  EXPECT_EQ(refused(pipe.reader, interest::read, trigger::level), errc::already_registered);
}

INSTANTIATE_TEST_SUITE_P(, EveryVerb, all_backends(), backend_name);

}  // namespace
}  // namespace selectors::tests
