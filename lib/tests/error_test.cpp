// error.hpp: the library's own answers and how generic code sees them.
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

#include <fault.hpp>

namespace selectors::tests {
namespace {

struct row {
  errc value;
  std::errc same_as;
  const char* says;
};

constexpr row rows[] = {
    {errc::already_registered, std::errc::file_exists, "already"},
    {errc::not_registered, std::errc::no_such_file_or_directory, "no such registration"},
    {errc::invalid_interest, std::errc::invalid_argument, "interest"},
    {errc::fd_out_of_range, std::errc::invalid_argument, "descriptor number"},
    {errc::not_supported, std::errc::operation_not_supported, "not support"},
    {errc::closed, std::errc::bad_file_descriptor, "closed"},
    {errc::forked, std::errc::operation_not_permitted, "reinit_after_fork"},
    {errc::busy, std::errc::device_or_resource_busy, "interruption hook"},
};

TEST(ErrorCategory, HasAName) {
  EXPECT_STREQ(selector_category().name(), "selectors");
  EXPECT_EQ(&selector_category(), &selector_category());
}

TEST(ErrorCategory, EachAnswerEqualsTheStandardOneThatSaysTheSame) {
  for (const row& r : rows) {
    const std::error_code code = r.value;
    EXPECT_EQ(&code.category(), &selector_category());
    for (const row& other : rows) {
      EXPECT_EQ(code == other.same_as, r.same_as == other.same_as) << code.message();
    }
    EXPECT_NE(code, std::errc::timed_out);
  }
}

TEST(ErrorCategory, EachAnswerHasItsOwnMessage) {
  std::set<std::string> messages;
  for (const row& r : rows) {
    const std::string message = make_error_code(r.value).message();
    EXPECT_NE(message.find(r.says), std::string::npos) << message;
    messages.insert(message);
  }
  EXPECT_EQ(messages.size(), std::size(rows));
}

TEST(ErrorCategory, ZeroIsNoErrorAndAnUnknownValueIsNamedSo) {
  EXPECT_FALSE(std::error_code(0, selector_category()));
  const std::error_code unknown(99, selector_category());
  EXPECT_EQ(unknown.message(), "unknown error");
  EXPECT_EQ(unknown.default_error_condition(), std::error_condition(99, selector_category()));
}

TEST(Fault, IsNothingAnErrnoOrAnAnswer) {
  static_assert(!fault());
  EXPECT_EQ(fault().to_error_code(), std::error_code());
  constexpr fault from_kernel = fault::from_errno(ENOSPC);
  static_assert(from_kernel && from_kernel.is_errno(ENOSPC) && !from_kernel.is_errno(ENOENT));
  EXPECT_EQ(from_kernel.to_error_code(), std::error_code(ENOSPC, std::system_category()));
  for (const row& r : rows) {
    EXPECT_TRUE(fault(r.value));
    EXPECT_EQ(fault(r.value).to_error_code(), make_error_code(r.value));
    EXPECT_FALSE(fault(r.value).is_errno(static_cast<int>(r.value))) << "an answer is no errno";
  }
}

}  // namespace
}  // namespace selectors::tests
