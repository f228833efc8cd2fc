// REG: what a registration is, and what the verbs that change one promise.
#include <gtest/gtest.h>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

constexpr interest read = interest::read;

void second_register_is_refused(context& c) {
  const pipe_ends p = make_pipe();
  const key first = c.s().add(p.reader, read, user_data{1});
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(p.reader, read, user_data{2}); }));
  if (c.can(feature::get_key)) {
    EXPECT_EQ(c.s().get_key(p.reader), first);
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void unregistered_descriptor_never_appears_again(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(c.s().unregister(p.reader).fd, p.reader.get());
  EXPECT_TRUE(silent(c));
}

}  // namespace

std::span<const test_case> registration_cases() {
  static const std::vector<test_case> cases{
      {{"REG-05"}, "SecondRegisterIsRefused", second_register_is_refused, feature::names_errors},
      {{"REG-08"}, "UnregisteredDescriptorNeverAppearsAgain", unregistered_descriptor_never_appears_again},
  };
  return cases;
}

}  // namespace selectors::conformance
