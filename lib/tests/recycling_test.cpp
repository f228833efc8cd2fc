// A closed selector leaves its storage to the next one of its thread.
#include <unistd.h>

#include <optional>
#include <thread>

#include <selectors/selector.hpp>

#include "allocations.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using enum interest;

constexpr std::size_t most_kept = 64 * 1024;

// What a fresh thread has when it ends, and what it leaves behind: nothing.
void expect_nothing_left_of(const std::function<void()>& body) {
  const std::size_t before = live_bytes();
  std::thread(body).join();
  EXPECT_EQ(live_bytes(), before);
}

class Recycling : public every_backend {
 protected:
  void use(selector& s) const {
    for (const pipe_ends& p : pipes) s.register_fd(p.reader, read);
    EXPECT_EQ(s.select(timeout::zero).size(), pipes.size());
  }
  void SetUp() override {
    for (const pipe_ends& p : pipes) put(p.writer);
  }

  std::vector<pipe_ends> pipes = make_pipes(128);
};

TEST_P(Recycling, MakingASelectorAgainAllocatesNothing) {
  const auto once = [&] {
    selector s(GetParam());
    use(s);
  };
  once();
  const std::size_t before = allocations();
  for (int i = 0; i < 10; ++i) once();
  std::error_code ec;
  selector::create(GetParam(), ec);
  EXPECT_EQ(allocations(), before);
}

TEST_P(Recycling, TheNextOneStartsEmpty) {
  {
    selector s(GetParam());
    use(s);
    (void)s.make_waker();
    s.pause(pipes[3].reader);
  }
  selector s(GetParam());
  EXPECT_EQ(s.size(), 0u);
  EXPECT_TRUE(s.get_map().empty());
  EXPECT_TRUE(s.select(timeout::zero).empty());
  use(s);
  EXPECT_TRUE(s.audit().empty());
}

TEST_P(Recycling, AnotherBackendDoesNotGetIt) {
  { selector s(GetParam()); }
  for (const backend_info& other : backends()) {
    if (other.id == GetParam()) continue;
    selector s(other.id);
    EXPECT_EQ(s.active_backend(), other.id);
    use(s);
  }
}

TEST_P(Recycling, OfTwoOneIsKept) {
  { selector s(GetParam()); }
  const std::size_t one = live_bytes();
  {
    selector first(GetParam());
    selector second(GetParam());
    use(first);
    use(second);
  }
  EXPECT_LE(live_bytes(), one + most_kept);
  {
    std::optional<selector> many[5];
    for (auto& s : many) use(s.emplace(GetParam()));
  }
  EXPECT_LE(live_bytes(), one + most_kept);
}

TEST_P(Recycling, ThreadsHaveTheirOwnAndLeaveNothing) {
  expect_nothing_left_of([this] {
    for (int i = 0; i < 3; ++i) {
      selector s(GetParam());
      use(s);
    }
  });
}

TEST_P(Recycling, ASelectorMayEndInAnotherThread) {
  expect_nothing_left_of([this] {
    std::optional<selector> s(GetParam());
    use(*s);
    std::thread([&] {
      s.reset();
      selector again(GetParam());
      use(again);
    }).join();
    use(s.emplace(GetParam()));
  });
}

TEST_P(Recycling, ASelectorMayOutliveTheKeptStorageOfItsThread) {
  expect_nothing_left_of([this] {
    // Made before anything is kept, so that it ends after what is kept.
    thread_local std::optional<selector> last;
    use(last.emplace(GetParam()));
    { selector s(GetParam()); }
  });
}

// Ends in the destructors of static objects, after those of the main thread.
[[noreturn]] void exit_with_a_static_selector(backend b) {
  struct judge {
    std::size_t before = live_bytes();
    ~judge() {
      if (live_bytes() > before) ::_exit(3);
    }
  };
  forget_kept_storage(b);
  static const judge after_it;
  static selector s(b);
  { selector another(b); }
  s = selector(b);
  std::exit(0);
}

TEST_P(Recycling, AStaticSelectorEndsAfterItsThread) {
  EXPECT_EXIT(exit_with_a_static_selector(GetParam()), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(, Recycling, all_backends(), backend_name);

TEST(RecyclingIsBounded, HoweverManyWereRegistered) {
  const replaced<&system_calls::status_flags> all_open([](int) { return 0; });
  const std::size_t before = live_bytes();
  for (const int many : {100, 1000, 2000, 5000, 50'000}) {
    {
      selector s(backend::poll);
      for (int fd = 0; fd < many; ++fd) s.register_fd(fd, read);
    }
    EXPECT_LE(live_bytes(), before + most_kept) << many;
  }
}

TEST(RecyclingIsBounded, HoweverManyMayHaveBeenReady) {
  const replaced<&system_calls::status_flags> all_open([](int) { return 0; });
  const replaced<&system_calls::poll> none_ready([](pollfd*, nfds_t, int) { return 0; });
  const std::size_t before = live_bytes();
  for (const int many : {300, 500, 1000, 2000}) {
    {
      selector s(backend::poll);
      for (int fd = 0; fd < many; ++fd) s.register_fd(fd, read);
      EXPECT_TRUE(s.select(timeout::zero).empty());
    }
    EXPECT_LE(live_bytes(), before + most_kept) << many;
  }
}

TEST(RecyclingIsBounded, HoweverHighTheNumbersWere) {
  const replaced<&system_calls::status_flags> all_open([](int) { return 0; });
  const std::size_t before = live_bytes();
  for (const int fd : {1000, 100'000, 1'000'000, 10'000'000}) {
    {
      selector s(backend::poll);
      s.register_fd(fd, read);
    }
    EXPECT_LE(live_bytes(), before + most_kept) << fd;
  }
}

}  // namespace
}  // namespace selectors::tests
