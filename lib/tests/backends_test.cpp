// backends.hpp: the table, and that what is chosen is what runs.
#include <sys/mman.h>
#include <sys/wait.h>

#include <climits>
#include <cstdio>
#include <set>
#include <string>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

TEST(Backends, HaveNamesAndIdsOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<backend> ids;
  for (const backend_info& b : backends()) {
    EXPECT_FALSE(b.name.empty());
    EXPECT_TRUE(names.insert(b.name).second) << b.name;
    EXPECT_TRUE(ids.insert(b.id).second) << b.name;
    EXPECT_EQ(find_backend(b.name), &b);
    EXPECT_EQ(find_backend(b.id), &b);
    EXPECT_EQ(b.name.data()[b.name.size()], '\0') << "fit for printing";
  }
  for (const char* name : {"epoll", "poll", "select"}) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Backends, AreNotFoundByWhatIsNoName) {
  for (const char* name : {"", "EPOLL", "epol", "epoll ", "kqueue"})
    EXPECT_EQ(find_backend(name), nullptr) << name;
  EXPECT_EQ(find_backend(static_cast<backend>(200)), nullptr);
}

TEST(Backends, AreRefusedWhenThisBuildHasNone) {
  std::error_code ec;
  const auto unknown = static_cast<backend>(200);
  EXPECT_FALSE(selector::create(unknown, ec).has_value());
  EXPECT_EQ(ec, errc::not_supported);
  EXPECT_THROW(selector{unknown}, std::system_error);
}

TEST(Backends, ValuesAreStable) {
  static_assert(static_cast<int>(backend::adaptive) == 0 && static_cast<int>(backend::epoll) == 1);
  static_assert(static_cast<int>(backend::poll) == 2 && static_cast<int>(backend::select) == 3);
}

TEST(Backends, SayWhetherTheirSystemCallWorks) {
  const std::size_t open = open_descriptors();
  for (const backend_info& b : backends()) EXPECT_TRUE(b.supported()) << b.name;
  const scoped_fault<&system_calls::epoll_create> no_epoll(ENOSYS);
  const scoped_fault<&system_calls::poll> no_poll(EPERM);
  const scoped_fault<&system_calls::select> no_select(ENOSYS);
  for (const backend_info& b : backends()) EXPECT_FALSE(b.supported()) << b.name;
  EXPECT_EQ(open_descriptors(), open);
}

class ABackend : public every_backend {};

TEST_P(ABackend, IsTheOneThatRuns) {
  recorded_calls calls;
  selector s(GetParam());
  EXPECT_EQ(s.active_backend(), GetParam());
  calls.take();
  (void)s.select(timeout::zero);
  // An empty adaptive selector has nothing to ask.
  const std::string call = is(backend::epoll)      ? "epoll_wait"
                           : is(backend::adaptive) ? ""
                                                   : std::string(find_backend(GetParam())->name);
  EXPECT_EQ(calls.take(), call);
}

TEST_P(ABackend, CanDoWhatItsCapabilitiesSay) {
  selector s(GetParam());
  const pipe_ends p = make_pipe();
  std::error_code ec;
  const auto works = [&](interest wanted, trigger mode) {
    s.register_fd(p.reader, wanted, {}, mode, ec);
    if (!ec) s.unregister(p.reader);
    if (ec) {
      EXPECT_EQ(ec, errc::not_supported);
    }
    return !ec;
  };
  EXPECT_EQ(works(interest::read, trigger::level), can().level);
  EXPECT_EQ(works(interest::read, trigger::edge), can().edge);
  EXPECT_EQ(works(interest::read, trigger::oneshot), can().oneshot);
  EXPECT_EQ(works(interest::read, trigger::exclusive), can().exclusive);
  EXPECT_EQ(works(interest::priority, trigger::level), can().priority);
  EXPECT_EQ(works(interest::peer_closed, trigger::level), can().peer_closed);
  s.native_handle(ec);
  EXPECT_EQ(!ec, can().native_handle);
  const descriptor regular(::memfd_create("regular", MFD_CLOEXEC));
  s.register_fd(regular, interest::read, {}, trigger::level, ec);
  EXPECT_EQ(!ec, can().regular_files);
  if (!can().regular_files) {
    EXPECT_EQ(ec.value(), EPERM);
  }
  EXPECT_EQ(can().fd_limit, is(backend::select) ? FD_SETSIZE : INT_MAX);
}

INSTANTIATE_TEST_SUITE_P(, ABackend, all_backends(), backend_name);

struct answer {
  int code;
  std::string text;
};

// What the probe says with SELECTORS_BACKEND set to `value`; nullptr: not set.
answer probe(const char* value, const std::string& mode = "") {
  const std::string set =
      value == nullptr ? "-u SELECTORS_BACKEND" : "SELECTORS_BACKEND='" + std::string(value) + "'";
  const std::string command = "env " + set + " '" SELECTORS_PROBE "' " + mode + " 2>&1";
  std::FILE* out = ::popen(command.c_str(), "r");
  if (out == nullptr) throw std::system_error(errno, std::system_category(), "popen");
  answer a{};
  char line[512];
  while (std::fgets(line, sizeof line, out) != nullptr) a.text += line;
  a.code = WEXITSTATUS(::pclose(out));
  return a;
}

TEST(DefaultBackend, IsTheOneThatTheEnvironmentNamesAndItRuns) {
  EXPECT_EQ(probe("epoll").text, "epoll: epoll_create epoll_wait\n");
  EXPECT_EQ(probe("poll").text, "poll: poll\n");
  EXPECT_EQ(probe("select").text, "select: select\n");
}

TEST(DefaultBackend, IsTheFirstThatWorksWithoutTheVariable) {
  const std::string best = std::string(backends().front().name) + ": ";
  for (const char* unset : {static_cast<const char*>(nullptr), ""}) {
    const answer a = probe(unset);
    EXPECT_EQ(a.code, 0) << a.text;
    EXPECT_EQ(a.text.find(best), 0u) << a.text;
  }
  EXPECT_EQ(probe(nullptr, "no-epoll").text.find(best), 0u) << "it can do without";
  EXPECT_EQ(probe(nullptr, "no-poll").text, "epoll: epoll_create epoll_wait\n");
  EXPECT_EQ(probe(nullptr, "nothing").text.find(best), 0u) << "its own error will tell";
}

TEST(DefaultBackend, AnUnknownNameIsRefusedWithTheOnesThatAreKnown) {
  const answer a = probe("kqueue");
  EXPECT_EQ(a.code, 2);
  EXPECT_EQ(a.text.find("1 SELECTORS_BACKEND is 'kqueue', expected one of: adaptive, epoll, poll, select"),
            0u)
      << a.text;
}

}  // namespace
}  // namespace selectors::tests
