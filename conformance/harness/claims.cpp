#include "claims.hpp"

#include <time.h>

#include <algorithm>
#include <exception>
#include <ostream>
#include <set>
#include <sstream>
#include <thread>

namespace selectors::conformance {

namespace {

std::string text_of(const std::vector<expected_event>& expected) {
  std::string text = "{";
  for (const expected_event& e : expected) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(e.fd) + ":" + to_string(e.ready);
  }
  return text + "}";
}

enum class match { exact, incomplete, wrong };

match compare(const outcome& result, const std::vector<expected_event>& expected, std::string& why) {
  std::set<int> seen;
  for (const event& e : result.events) {
    if (!seen.insert(e.fd).second) return why = "descriptor twice in one result", match::wrong;
    const auto wanted = std::ranges::find(expected, e.fd, &expected_event::fd);
    if (wanted == expected.end()) return why = "unexpected entry " + to_string(e), match::wrong;
    if (any(e.ready & ~wanted->ready)) return why = "unexpected bits in " + to_string(e), match::wrong;
    if (wanted->data && !(*wanted->data == e.data))
      return why = "wrong data in " + to_string(e), match::wrong;
  }
  const auto complete = [&](const expected_event& e) {
    const auto found = entry_of(result, e.fd);
    return found && found->ready == e.ready;
  };
  if (std::ranges::all_of(expected, complete)) return match::exact;
  return why = "something is missing", match::incomplete;
}

testing::AssertionResult failure(const std::string& why, const outcome& result,
                                 const std::vector<expected_event>& expected) {
  return testing::AssertionFailure() << why << ": expected " << text_of(expected) << ", got "
                                     << to_string(result);
}

}  // namespace

testing::AssertionResult holds(const outcome& result, const std::vector<expected_event>& expected) {
  std::string why;
  if (compare(result, expected, why) == match::exact) return testing::AssertionSuccess();
  return failure(why, result, expected);
}

testing::AssertionResult reports(subject& s, const std::vector<expected_event>& expected) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const outcome result = s.wait(timeout::until(deadline));
    std::string why;
    switch (compare(result, expected, why)) {
      case match::exact:
        return testing::AssertionSuccess();
      case match::wrong:
        return failure(why, result, expected);
      case match::incomplete:
        break;
    }
    if (std::chrono::steady_clock::now() >= deadline) return failure(why, result, expected);
    std::this_thread::sleep_for(200us);
  }
}

testing::AssertionResult silent(subject& s, const subject_info& info, std::chrono::milliseconds time) {
  const bool counted = has(info.can, feature::counts_calls);
  const call_counts before = counted ? s.calls() : call_counts{};
  const auto cpu_before = thread_cpu_time();
  const stopwatch watch;
  const outcome result = s.wait(time);
  const auto elapsed = watch.elapsed();
  const auto cpu = thread_cpu_time() - cpu_before;
  if (!result.events.empty() || result.woken || result.interrupted) {
    return testing::AssertionFailure() << "expected silence, got " << to_string(result);
  }
  if (elapsed < time) {
    return testing::AssertionFailure()
           << "returned empty after " << elapsed.count() << " ns of " << time.count() << " ms";
  }
  if (counted && s.calls().waits - before.waits > 3) {
    return testing::AssertionFailure()
           << s.calls().waits - before.waits << " kernel waits in one silent wait";
  }
  if (cpu > time / 2 + 5ms) {
    return testing::AssertionFailure()
           << "spun: " << cpu.count() << " ns of processor time in a wait of " << time.count() << " ms";
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult quiet(subject& s) {
  const outcome result = s.wait(timeout::zero);
  if (result.events.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected nothing, got " << to_string(result);
}

testing::AssertionResult eventually(subject& s, int fd, interest ready) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  outcome result;
  do {
    result = s.wait(timeout::until(deadline));
    const auto found = entry_of(result, fd);
    if (found && (found->ready & ready) == ready) return testing::AssertionSuccess();
    std::this_thread::sleep_for(200us);
  } while (std::chrono::steady_clock::now() < deadline);
  return testing::AssertionFailure() << "no entry " << fd << ":" << to_string(ready) << ", last result "
                                     << to_string(result);
}

testing::AssertionResult refused(std::errc expected, const std::function<void()>& call) {
  const std::error_condition condition = std::make_error_condition(expected);
  try {
    call();
  } catch (const std::system_error& e) {
    if (e.code() == condition) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "refused with \"" << e.code().message() << "\" (" << e.code()
                                       << "), expected \"" << condition.message() << '"';
  }
  return testing::AssertionFailure() << "not refused, expected \"" << condition.message() << '"';
}

testing::AssertionResult accepted(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::system_error& e) {
    return testing::AssertionFailure() << "refused with " << e.code() << ": " << e.what();
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult becomes_true(const std::function<bool()>& condition,
                                      std::chrono::milliseconds limit) {
  const stopwatch watch;
  while (!condition()) {
    if (watch.elapsed() > limit) {
      return testing::AssertionFailure() << "still false after " << limit.count() << " ms";
    }
    std::this_thread::sleep_for(1ms);
  }
  return testing::AssertionSuccess();
}

std::vector<key> sorted_map(subject& s) {
  std::vector<key> keys = s.get_map();
  std::ranges::sort(keys, {}, &key::fd);
  return keys;
}

std::optional<event> entry_of(const outcome& result, int fd) {
  const auto found = std::ranges::find(result.events, fd, &event::fd);
  return found == result.events.end() ? std::nullopt : std::optional(*found);
}

std::string to_string(interest i) {
  std::string text;
  const auto add = [&](interest bit, const char* name) {
    if (any(i & bit)) text += (text.empty() ? "" : "+") + std::string(name);
  };
  add(interest::read, "read");
  add(interest::write, "write");
  add(interest::priority, "priority");
  add(interest::peer_closed, "peer_closed");
  return text.empty() ? "none" : text;
}

std::string to_string(const event& e) {
  std::string text = std::to_string(e.fd) + ":" + to_string(e.ready);
  if (any(e.flags & status::hangup)) text += " hangup";
  if (any(e.flags & status::error)) text += " error";
  if (any(e.flags & status::invalid)) text += " invalid";
  return text;
}

std::string to_string(const outcome& o) {
  std::string text = "{";
  for (const event& e : o.events) text += (text.size() > 1 ? ", " : "") + to_string(e);
  return text + "}" + (o.woken ? " woken" : "") + (o.interrupted ? " interrupted" : "");
}

std::chrono::nanoseconds thread_cpu_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

call_counts calls_during(subject& s, const std::function<void()>& action) {
  const call_counts before = s.calls();
  action();
  const call_counts after = s.calls();
  return {after.waits - before.waits, after.other - before.other};
}

}  // namespace selectors::conformance

namespace selectors {

void PrintTo(interest i, std::ostream* out) {
  *out << conformance::to_string(i);
}

void PrintTo(const event& e, std::ostream* out) {
  *out << conformance::to_string(e);
}

void PrintTo(const key& k, std::ostream* out) {
  *out << "key{" << k.fd << ", " << conformance::to_string(k.wanted) << ", mode " << static_cast<int>(k.mode)
       << (k.paused ? ", paused" : "") << ", generation " << k.generation << ", data " << k.data.value()
       << '}';
}

}  // namespace selectors
