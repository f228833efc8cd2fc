// What a wait returns: how long it lives, and what the loop over it may do.
#include <algorithm>
#include <utility>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"

namespace selectors::tests {
namespace {

using enum interest;

class Selection : public every_backend {
 protected:
  Selection() {
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      s.register_fd(pipes[i].reader, read, user_data(i + 1));
      put(pipes[i].writer);
    }
  }

  std::vector<pipe_ends> pipes = make_pipes(5);
  selector s{GetParam()};
};

TEST_P(Selection, CarriesTheGenerationAndTheDataOfTheKey) {
  const selection found = s.select();
  ASSERT_EQ(found.size(), pipes.size());
  for (const event& e : found) {
    const key k = s.get_key(e.fd);
    EXPECT_EQ(
        e,
        (event{
            .fd = k.fd, .ready = read, .flags = status::none, .generation = k.generation, .data = k.data}));
  }
  EXPECT_EQ(&found[0], found.begin());
  EXPECT_EQ(found.end() - found.begin(), 5);
}

TEST_P(Selection, UnregisterBlanksItsEntryAndNoOther) {
  const selection found = s.select();
  const event victim = found[2];
  s.unregister(victim.fd);
  EXPECT_EQ(found[2], (event{.fd = victim.fd,
                             .ready = none,
                             .flags = status::none,
                             .generation = victim.generation,
                             .data = {}}));
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](const event& e) { return any(e.ready); }), 4);
}

TEST_P(Selection, EveryOtherVerbInTheLoopLeavesItAsItWas) {
  const selection found = s.select();
  const std::vector<event> before(found.begin(), found.end());
  const pipe_ends more = make_pipe();
  for (const event& e : found) {
    if (!s.contains(more.reader)) s.register_fd(more.reader, read);
    s.modify(e.fd, read | write, {}, trigger::level);
    s.pause(e.fd);
    s.resume(e.fd);
  }
  EXPECT_TRUE(std::equal(found.begin(), found.end(), before.begin(), before.end()));
}

TEST_P(Selection, AnEntryOfAnEarlierRegistrationIsNotBlankedByTheNext) {
  const selection found = s.select();
  const event first = found[0];
  s.unregister(first.fd);
  s.register_fd(first.fd, read, 99);
  s.unregister(first.fd);
  EXPECT_EQ(found[0].generation, first.generation);
  EXPECT_EQ(found[0].data, user_data());
}

TEST_P(Selection, UnregisteringWhatHasNoEntryBlanksNothing) {
  const selection limited = s.select(timeout::zero, {.limit = 2});
  ASSERT_EQ(limited.size(), 2u);
  for (const pipe_ends& p : pipes) {
    if (p.reader != limited[0].fd && p.reader != limited[1].fd) s.unregister(p.reader);
  }
  EXPECT_TRUE(any(limited[0].ready));
  EXPECT_TRUE(any(limited[1].ready));
}

TEST_P(Selection, StaysValidWhenTheSelectorMoves) {
  const selection found = s.select();
  const std::vector<event> before(found.begin(), found.end());
  selector moved(std::move(s));
  EXPECT_TRUE(std::equal(found.begin(), found.end(), before.begin(), before.end()));
  moved.unregister(found[1].fd);
  EXPECT_EQ(found[1].ready, none) << "and is blanked through the new one";
  selector assigned(GetParam());
  assigned = std::move(moved);
  assigned.unregister(found[3].fd);
  EXPECT_EQ(found[3].ready, none);
  EXPECT_EQ(found[0], before[0]);
}

TEST_P(Selection, ANewSelectorStartsWithoutTheOldOnesEntries) {
  const int fd = s.select()[0].fd;
  s.close();
  selector next(GetParam());  // in the same storage
  next.register_fd(fd, read);
  next.unregister(fd);
  EXPECT_EQ(next.size(), 0u);
  EXPECT_TRUE(next.select(timeout::zero).empty());
}

TEST_P(Selection, GrowsWithTheRegistrations) {
  std::vector<pipe_ends> more = make_pipes(100);
  for (const pipe_ends& p : more) {
    s.register_fd(p.reader, read);
    put(p.writer);
    EXPECT_EQ(s.select().size(), s.size());
  }
}

TEST_P(Selection, WithALimitComesInTurn) {
  std::vector<int> seen;
  for (int i = 0; i < 5; ++i) {
    for (const event& e : s.select(timeout::zero, {.limit = 2})) seen.push_back(e.fd);
  }
  for (const pipe_ends& p : pipes) EXPECT_EQ(std::count(seen.begin(), seen.end(), p.reader), 2);
}

TEST_P(Selection, WithALimitOfZeroIsRefused) {
  std::error_code ec;
  s.select(timeout::infinite, {.limit = 0}, ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  EXPECT_EQ(s.select().size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(, Selection, all_backends(), backend_name);

}  // namespace
}  // namespace selectors::tests
