// What cases say about a subject. Each claim is an AssertionResult, so that the failing line is the case's:
//
//     EXPECT_TRUE(reports(c.s(), {{p.reader, interest::read}}));
//     EXPECT_TRUE(silent(c, 50ms));
//     EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(fd, interest::read); }));
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <vector>

#include "case.hpp"

namespace selectors::conformance {

using namespace std::chrono_literals;

// Long enough for anything that is about to happen on a busy machine; a wait that should end at once is given
// it, so that a subject which loses an event fails by a clear message and not by the watchdog.
inline std::chrono::milliseconds patience{3000};

struct expected_event {
  int fd;
  interest ready;
  std::optional<user_data> data = std::nullopt;
};

// Within `patience` one wait returns exactly these entries: no other fd, no other bit, none twice. An entry
// that was not expected fails at once; one that is still missing is waited for (TCP needs a moment).
// For level registrations; what edge and oneshot ones report is consumed by the wait.
testing::AssertionResult reports(subject& s, const std::vector<expected_event>& expected);

// The same for a result at hand.
testing::AssertionResult holds(const outcome& result, const std::vector<expected_event>& expected);

// A wait of `time` returns nothing, not before `time`, neither woken nor interrupted, and without spinning:
// hardly any processor time and, where the subject counts, at most three kernel waits.
testing::AssertionResult silent(subject& s, const subject_info& info, std::chrono::milliseconds time = 30ms);
inline testing::AssertionResult silent(const context& c, std::chrono::milliseconds time = 30ms) {
  return silent(c.s(), c.info(), time);
}
// A look (timeout zero) returns nothing. Cheaper than `silent` and blind for spinning.
testing::AssertionResult quiet(subject& s);

// Within `patience` an entry for `fd` appears that has all bits of `ready`; others are ignored.
testing::AssertionResult eventually(subject& s, int fd, interest ready);

// `call` throws std::system_error with a code equivalent to `expected`.
testing::AssertionResult refused(std::errc expected, const std::function<void()>& call);
// `call` returns normally.
testing::AssertionResult accepted(const std::function<void()>& call);

// `condition` becomes true within `limit`; looked at every millisecond.
testing::AssertionResult becomes_true(const std::function<bool()>& condition,
                                      std::chrono::milliseconds limit = std::chrono::seconds(3));

// get_map in the order of the numbers, for comparisons.
std::vector<key> sorted_map(subject& s);
// Interest that holds a bit nobody knows.
inline constexpr auto unknown_bits = static_cast<interest>(0x41);

// The entry of `fd`, if any.
std::optional<event> entry_of(const outcome& result, int fd);

std::string to_string(interest i);
std::string to_string(const event& e);
std::string to_string(const outcome& o);

class stopwatch {
 public:
  std::chrono::nanoseconds elapsed() const { return std::chrono::steady_clock::now() - start_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Processor time that the calling thread has used.
std::chrono::nanoseconds thread_cpu_time();

// Kernel waits of `subject` while `action` runs. Needs feature::counts_calls.
call_counts calls_during(subject& s, const std::function<void()>& action);

}  // namespace selectors::conformance

namespace selectors {
// For GoogleTest's messages.
void PrintTo(interest i, std::ostream* out);
void PrintTo(const event& e, std::ostream* out);
void PrintTo(const key& k, std::ostream* out);
}  // namespace selectors
