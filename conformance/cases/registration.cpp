// REG: what a registration is, and what the verbs that change one promise.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void register_returns_what_was_given(context& c) {
  const pair_ends p = make_socket_pair();
  for (const interest wanted : {read, write, read | write}) {
    const key k = c.s().register_fd(p.a, wanted, user_data{77}, trigger::level);
    EXPECT_EQ(k.fd, p.a.get());
    EXPECT_EQ(k.wanted, wanted);
    EXPECT_EQ(k.mode, trigger::level);
    EXPECT_FALSE(k.paused);
    if (c.can(feature::user_data)) {
      EXPECT_EQ(k.data, user_data{77});
    }
    c.s().unregister(p.a);
  }
}

void get_key_equals_what_register_returned(context& c) {
  const pair_ends p = make_socket_pair();
  int target = 0;
  const key k = c.s().register_fd(p.a, read | write, user_data{&target}, trigger::level);
  const key other = c.s().add(p.b, write);
  EXPECT_EQ(c.s().get_key(p.a), k);
  EXPECT_EQ(c.s().get_key(p.b), other);
  EXPECT_EQ(c.s().get_key(p.a).data.pointer<int>(), &target);
  const key changed = c.s().modify(p.a, write, user_data{5}, trigger::level);
  EXPECT_EQ(c.s().get_key(p.a), changed);
  EXPECT_EQ(c.s().get_key(p.b), other);
}

void empty_interest_is_refused(context& c) {
  const pipe_ends p = make_pipe();
  EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().add(p.reader, none); }));
  c.s().add(p.reader, read);
  if (c.can(feature::modify)) {
    EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().modify(p.reader, none); }));
    EXPECT_TRUE(refused(std::errc::invalid_argument,
                        [&] { c.s().modify(p.reader, none, user_data{9}, trigger::level); }));
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void unknown_interest_bits_are_refused(context& c) {
  const pipe_ends p = make_pipe();
  EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().add(p.reader, unknown_bits); }));
  c.s().add(p.reader, read);
  if (c.can(feature::modify)) {
    EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().modify(p.reader, unknown_bits); }));
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void negative_numbers_are_refused(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  for (const int fd : {-1, -10, INT_MIN}) {
    EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().add(fd, read); })) << fd;
  }
  if (c.can(feature::counting)) {
    EXPECT_EQ(c.s().size(), 1u);
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void second_register_is_refused(context& c) {
  const pipe_ends p = make_pipe();
  const key first = c.s().add(p.reader, read, user_data{1});
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(p.reader, read | write, user_data{2}); }));
  if (c.can(feature::get_key)) {
    EXPECT_EQ(c.s().get_key(p.reader), first);
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void second_register_is_refused_for_a_reused_number(context& c) {
  pipe_ends old = make_pipe();
  const int number = old.reader;
  c.s().add(number, read, user_data{1});
  old.reader.close();
  const pipe_ends next = make_pipe_at(number);
  put(next.writer);
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(number, read, user_data{2}); }));
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
  EXPECT_TRUE(accepted([&] { c.s().add(number, read, user_data{3}); }));
  EXPECT_TRUE(reports(c.s(), {{number, read}}));
}

// Everything that register_fd has to refuse on this subject.
std::vector<std::function<void()>> doomed_registrations(context& c, int free_fd, int taken_fd) {
  std::vector<std::function<void()>> attempts{
      [&c, free_fd] { c.s().add(free_fd, none); },
      [&c, free_fd] { c.s().add(free_fd, unknown_bits); },
      [&c] { c.s().add(-1, read); },
      [&c, taken_fd] { c.s().add(taken_fd, write); },
  };
  const auto unless = [&](feature f, std::function<void()> attempt) {
    if (!c.can(f)) attempts.push_back(std::move(attempt));
  };
  unless(feature::edge, [&c, free_fd] { c.s().add(free_fd, read, trigger::edge); });
  unless(feature::exclusive, [&c, free_fd] { c.s().add(free_fd, read, trigger::exclusive); });
  unless(feature::peer_closed, [&c, free_fd] { c.s().add(free_fd, read | peer_closed); });
  if (c.can(feature::eager_check)) {
    attempts.push_back([&c] { c.s().add(closed_number(), read); });
  }
  if (c.can(feature::fd_limit)) attempts.push_back([&c] { c.s().add(c.info().fd_limit, read); });
  return attempts;
}

void failed_register_leaves_no_trace(context& c) {
  const pair_ends free_pair = make_socket_pair();
  const pipe_ends taken = make_pipe();
  c.s().add(taken.reader, read, user_data{1});
  put(taken.writer);
  put(free_pair.b);
  const std::vector<key> before = sorted_map(c.s());
  int number = 0;
  for (const auto& attempt : doomed_registrations(c, free_pair.a, taken.reader)) {
    EXPECT_THROW(attempt(), std::system_error) << "attempt " << number;
    EXPECT_EQ(sorted_map(c.s()), before) << "attempt " << number;
    EXPECT_TRUE(reports(c.s(), {{taken.reader, read}})) << "attempt " << number;
    ++number;
  }
  EXPECT_TRUE(accepted([&] { c.s().add(free_pair.a, read); }));
  EXPECT_TRUE(reports(c.s(), {{taken.reader, read}, {free_pair.a, read}}));
}

void number_that_was_refused_can_be_registered_later(context& c) {
  const int number = closed_number();
  EXPECT_TRUE(refused(std::errc::bad_file_descriptor, [&] { c.s().add(number, read); }));
  const pipe_ends next = make_pipe_at(number);
  EXPECT_TRUE(quiet(c.s()));
  EXPECT_TRUE(accepted([&] { c.s().add(number, read); }));
  put(next.writer);
  EXPECT_TRUE(reports(c.s(), {{number, read}}));
}

constexpr int never_open = 900;  // far above what any case opens and below FD_SETSIZE

void number_that_is_not_open_is_refused(context& c) {
  const int closed = closed_number();
  for (const int fd : {closed, never_open}) {
    EXPECT_TRUE(refused(std::errc::bad_file_descriptor, [&] { c.s().add(fd, read | write); })) << fd;
  }
  EXPECT_TRUE(silent(c));
}

void number_that_is_not_open_is_refused_or_invalid(context& c) {
  const pipe_ends good = make_pipe();
  c.s().add(good.reader, read);
  const int closed = closed_number();
  for (const int fd : {closed, never_open}) {
    bool was_refused = false;
    try {
      c.s().add(fd, read | write);
    } catch (const std::system_error& e) {
      was_refused = true;
      EXPECT_EQ(e.code(), std::errc::bad_file_descriptor);
    }
    if (was_refused) continue;
    const std::optional<event> e = entry_of(c.s().wait(patience), fd);
    EXPECT_TRUE(e && any(e->flags & status::invalid) && !any(e->ready)) << "number " << fd;
    EXPECT_TRUE(accepted([&] { c.s().unregister(fd); }));
  }
  EXPECT_TRUE(silent(c));
  put(good.writer);
  EXPECT_TRUE(reports(c.s(), {{good.reader, read}}));
}

void unregistered_descriptor_never_appears_again(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  c.s().add(other.reader, read);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(c.s().unregister(p.reader).fd, p.reader.get());
  EXPECT_TRUE(silent(c));
  put(other.writer);
  EXPECT_TRUE(reports(c.s(), {{other.reader, read}}));
}

void unregister_returns_the_key(context& c) {
  const pipe_ends p = make_pipe();
  const key k = c.s().add(p.reader, read, user_data{42});
  const key returned = c.s().unregister(p.reader);
  EXPECT_EQ(returned, k);
}

void unknown_numbers_are_not_registered(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  c.s().add(p.reader, read);
  c.s().unregister(p.reader);
  for (const int fd : {p.reader.get(), other.reader.get(), never_open, -1, INT_MAX}) {
    const auto unknown = [&](const std::function<void()>& call) {
      EXPECT_TRUE(refused(std::errc::no_such_file_or_directory, call)) << "number " << fd;
    };
    unknown([&] { c.s().unregister(fd); });
    if (c.can(feature::modify)) unknown([&] { c.s().modify(fd, read); });
    if (c.can(feature::pause)) unknown([&] { c.s().pause(fd); });
    if (c.can(feature::pause)) unknown([&] { c.s().resume(fd); });
    if (c.can(feature::get_key)) unknown([&] { c.s().get_key(fd); });
  }
}

void registering_again_is_a_fresh_registration(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  c.s().add(p.a, write, user_data{1});
  c.s().unregister(p.a);
  c.s().add(p.a, read, user_data{2});
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
  for (int i = 0; i < 3; ++i) {
    c.s().unregister(p.a);
    c.s().add(p.a, read, user_data{3});
  }
  const outcome o = c.s().wait(patience);
  EXPECT_TRUE(holds(o, {{p.a, read}}));
  if (c.can(feature::user_data) && o.events.size() == 1) {
    EXPECT_EQ(o.events[0].data, user_data{3});
  }
}

void key_is_unregistered_by_identity_after_close(context& c) {
  pipe_ends p = make_pipe();
  const key k = c.s().add(p.reader, read, user_data{4});
  p.reader.close();
  EXPECT_EQ(c.s().unregister(k), k);
  EXPECT_TRUE(refused(std::errc::no_such_file_or_directory, [&] { c.s().unregister(k); }));
}

void two_selectors_watch_one_descriptor(context& c) {
  const pipe_ends p = make_pipe();
  const std::unique_ptr<subject> other = c.another();
  c.s().add(p.reader, read);
  other->add(p.reader, read);
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(reports(*other, {{p.reader, read}}));
  other->unregister(p.reader);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void absurd_numbers_are_refused_at_once(context& c) {
  const auto kilobytes = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto before = kilobytes();
  const stopwatch watch;
  for (const int fd : {INT_MAX, INT_MAX - 1, INT_MAX / 2}) {
    EXPECT_THROW(c.s().add(fd, read), std::system_error) << fd;
  }
  EXPECT_LT(watch.elapsed(), 500ms);
  EXPECT_LT(kilobytes() - before, 32 * 1024);
  EXPECT_TRUE(quiet(c.s()));
}

void old_key_does_not_unregister_a_newer_registration(context& c) {
  const pipe_ends p = make_pipe();
  const key first = c.s().add(p.reader, read, user_data{1});
  c.s().unregister(first);
  const key second = c.s().add(p.reader, read, user_data{2});
  EXPECT_TRUE(refused(std::errc::no_such_file_or_directory, [&] { c.s().unregister(first); }));
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(accepted([&] { c.s().unregister(second); }));
}

void generations_tell_registrations_apart(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < 100; ++i) {
    const key k = c.s().add(p.reader, read, user_data{static_cast<std::uintptr_t>(i)});
    EXPECT_NE(k.generation, 0u);
    EXPECT_EQ(std::ranges::count(seen, k.generation), 0);
    seen.push_back(k.generation);
    const std::optional<event> e = entry_of(c.s().wait(patience), p.reader);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->generation, k.generation);
    EXPECT_EQ(e->data, k.data);
    c.s().unregister(p.reader);
  }
}

void refused_change_of_trigger_keeps_the_key(context& c) {
  for (const trigger before : {trigger::level, trigger::oneshot}) {
    pipe_ends p = make_pipe();
    const key k = c.s().register_fd(p.reader, read, user_data{1}, before);
    put(p.writer);
    EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
    const int number = p.reader;
    p.reader.close();
    EXPECT_TRUE(refused(std::errc::bad_file_descriptor,
                        [&] { c.s().modify(number, read, user_data{2}, trigger::exclusive); }));
    EXPECT_EQ(c.s().get_key(number), k);
    EXPECT_EQ(c.s().unregister(k), k);
  }
}

}  // namespace

std::span<const test_case> registration_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"REG-01"}, "RegisterReturnsWhatWasGiven", register_returns_what_was_given},
      {{"REG-01"},
       "GetKeyEqualsWhatRegisterReturned",
       get_key_equals_what_register_returned,
       get_key | user_data | modify},
      {{"REG-02"}, "EmptyInterestIsRefused", empty_interest_is_refused, names_errors},
      {{"REG-03"}, "UnknownInterestBitsAreRefused", unknown_interest_bits_are_refused, names_errors},
      {{"REG-04"}, "NegativeNumbersAreRefused", negative_numbers_are_refused, names_errors},
      {{"REG-05"}, "SecondRegisterIsRefused", second_register_is_refused, names_errors},
      {{"REG-05", "CLO-06"},
       "SecondRegisterIsRefusedForAReusedNumber",
       second_register_is_refused_for_a_reused_number,
       names_errors},
      {{"REG-06"}, "FailedRegisterLeavesNoTrace", failed_register_leaves_no_trace, get_map},
      {{"REG-06"},
       "NumberThatWasRefusedCanBeRegisteredLater",
       number_that_was_refused_can_be_registered_later,
       eager_check | names_errors},
      {{"REG-07"},
       "NumberThatIsNotOpenIsRefused",
       number_that_is_not_open_is_refused,
       eager_check | names_errors},
      {{"REG-07"},
       "NumberThatIsNotOpenIsRefusedOrInvalid",
       number_that_is_not_open_is_refused_or_invalid,
       names_errors | reports_stale},
      {{"REG-08"}, "UnregisteredDescriptorNeverAppearsAgain", unregistered_descriptor_never_appears_again},
      {{"REG-08"}, "UnregisterReturnsTheKey", unregister_returns_the_key, user_data},
      {{"REG-09"}, "UnknownNumbersAreNotRegistered", unknown_numbers_are_not_registered, names_errors},
      {{"REG-10"}, "RegisteringAgainIsAFreshRegistration", registering_again_is_a_fresh_registration},
      {{"REG-16"},
       "KeyIsUnregisteredByIdentityAfterClose",
       key_is_unregistered_by_identity_after_close,
       unregister_by_key | names_errors},
      {{"REG-17"}, "TwoSelectorsWatchOneDescriptor", two_selectors_watch_one_descriptor},
      {{"REG-19"}, "AbsurdNumbersAreRefusedAtOnce", absurd_numbers_are_refused_at_once},
      {{"REG-20"},
       "OldKeyDoesNotUnregisterANewerRegistration",
       old_key_does_not_unregister_a_newer_registration,
       unregister_by_key | generations | names_errors},
      {{"REG-21"},
       "GenerationsTellRegistrationsApart",
       generations_tell_registrations_apart,
       generations | user_data},
      {{"REG-13", "REG-16"},
       "RefusedChangeOfTriggerKeepsTheKey",
       refused_change_of_trigger_keeps_the_key,
       oneshot | exclusive | modify | get_key | unregister_by_key | user_data | names_errors},
  };
  return cases;
}

}  // namespace selectors::conformance
