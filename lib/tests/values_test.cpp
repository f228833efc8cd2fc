// event.hpp: the values that travel through a selector.
#include <gtest/gtest.h>

#include <type_traits>

#include <selectors/selector.hpp>

namespace selectors::tests {
namespace {

using enum interest;

TEST(Interest, OperatorsAreThoseOfASet) {
  static_assert(static_cast<int>(read | write | priority | peer_closed) == 15);
  static_assert((read | write) == (write | read));
  static_assert(((read | write) & write) == write);
  static_assert((read & write) == none);
  static_assert(~none == (read | write | priority | peer_closed));
  static_assert(~(read | priority) == (write | peer_closed));
  static_assert(~~read == read);
  static_assert(any(read) && !any(none));
  interest i = read;
  i |= peer_closed;
  EXPECT_EQ(i, read | peer_closed);
  i &= ~read;
  EXPECT_EQ(i, peer_closed);
}

TEST(Status, OperatorsAreThoseOfASet) {
  static_assert((status::hangup | status::error | status::invalid) == ~status::none);
  static_assert((~status::error & status::error) == status::none);
  static_assert(any(status::invalid) && !any(status::none));
  status s = status::hangup;
  s |= status::error;
  EXPECT_EQ(s & status::error, status::error);
  EXPECT_EQ(s & status::invalid, status::none);
}

TEST(UserData, HoldsAnIntegerOrAPointer) {
  static_assert(user_data{}.value() == 0);
  static_assert(user_data(42).value() == 42);
  static_assert(user_data(42) == user_data(42) && user_data(42) != user_data(43));
  int something = 0;
  const user_data to_int(&something);
  EXPECT_EQ(to_int.pointer<int>(), &something);
  const int constant = 0;
  EXPECT_EQ(user_data(&constant).pointer<const int>(), &constant);
  const auto function = +[](const event&) {};
  EXPECT_EQ(user_data(function).pointer<void(const event&)>(), function);
  EXPECT_EQ(user_data().pointer<int>(), nullptr);
}

TEST(KeyAndEvent, AreEqualWhenEveryMemberIs) {
  const key k{.fd = 3, .wanted = read, .mode = trigger::edge, .paused = true, .generation = 7, .data = 9};
  key other = k;
  EXPECT_EQ(k, other);
  other.generation = 8;
  EXPECT_NE(k, other);
  const event e{.fd = 3, .ready = read, .flags = status::hangup, .generation = 7, .data = 9};
  event different = e;
  EXPECT_EQ(e, different);
  different.flags = status::none;
  EXPECT_NE(e, different);
}

TEST(DefaultValues, NameNoDescriptorAndNothingElse) {
  static_assert(key{}.fd == -1 && key{}.wanted == none && key{}.generation == 0 && !key{}.paused);
  static_assert(event{}.fd == -1 && event{}.ready == none && event{}.flags == status::none);
  static_assert(selection{}.empty() && selection{}.size() == 0);
  static_assert(selection{}.begin() == selection{}.end());
  static_assert(!selection{}.woken() && !selection{}.interrupted());
}

TEST(Selector, MovesWithoutThrowingAndIsNotCopied) {
  static_assert(std::is_nothrow_move_constructible_v<selector>);
  static_assert(std::is_nothrow_move_assignable_v<selector>);
  static_assert(!std::is_copy_constructible_v<selector> && !std::is_copy_assignable_v<selector>);
  static_assert(std::is_nothrow_copy_constructible_v<waker> && std::is_copy_assignable_v<waker>);
  static_assert(!std::is_convertible_v<backend, selector>, "a backend does not turn into a selector");
}

}  // namespace
}  // namespace selectors::tests
