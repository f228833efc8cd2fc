// REG, second part: changing a registration, and looking at the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void modify_replaces_interest(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  c.s().add(p.a, read);
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
  EXPECT_EQ(c.s().modify(p.a, write).wanted, write);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  c.s().modify(p.a, read | write);
  EXPECT_TRUE(reports(c.s(), {{p.a, read | write}}));
  c.s().modify(p.a, read);
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
}

void modify_replaces_data(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  c.s().add(p.a, read, user_data{1});
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{1}}}));
  c.s().modify(p.a, read, user_data{2}, trigger::level);
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{2}}}));
  c.s().modify(p.a, write, user_data{3}, trigger::level);
  EXPECT_TRUE(reports(c.s(), {{p.a, write, user_data{3}}}));
  c.s().modify(p.a, read);
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{3}}}));
}

void modify_of_data_makes_no_system_call(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  c.s().add(p.a, read, user_data{1});
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{1}}}));
  const call_counts calls = calls_during(c.s(), [&] {
    c.s().modify(p.a, read, user_data{2}, trigger::level);
    c.s().modify(p.a, read);
  });
  EXPECT_EQ(calls.waits + calls.other, 0u);
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{2}}}));
}

void refused_modify_keeps_the_old_registration(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  const key before = c.s().add(p.a, read, user_data{1});
  const auto still_there = [&](const char* after) {
    EXPECT_EQ(c.s().get_key(p.a), before) << after;
    EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{1}}})) << after;
  };
  const auto doomed = [&](interest wanted, trigger mode, const char* what) {
    EXPECT_THROW(c.s().modify(p.a, wanted, user_data{2}, mode), std::system_error) << what;
    still_there(what);
  };
  doomed(none, trigger::level, "empty interest");
  doomed(unknown_bits, trigger::level, "unknown bits");
  if (!c.can(feature::edge)) doomed(write, trigger::edge, "edge");
  if (!c.can(feature::exclusive)) doomed(write, trigger::exclusive, "exclusive");
  if (!c.can(feature::peer_closed)) doomed(write | peer_closed, trigger::level, "peer_closed");
}

void modify_of_a_closed_descriptor_keeps_the_key(context& c) {
  pair_ends p = make_socket_pair();
  const pipe_ends good = make_pipe();
  c.s().add(good.reader, read);
  const int number = p.a;
  const key before = c.s().add(number, read, user_data{1});
  p.a.close();
  bool was_refused = false;
  try {
    c.s().modify(number, write, user_data{2}, trigger::level);
  } catch (const std::system_error& e) {
    was_refused = true;
    EXPECT_EQ(e.code(), std::errc::bad_file_descriptor);
  }
  if (c.can(feature::eager_check)) {
    EXPECT_TRUE(was_refused);
  }
  if (was_refused) {
    EXPECT_EQ(c.s().get_key(number), before);
  } else {
    EXPECT_EQ(c.s().get_key(number).wanted, write);
  }
  put(good.writer);
  EXPECT_TRUE(eventually(c.s(), good.reader, read));
  EXPECT_TRUE(accepted([&] { c.s().unregister(number); }));
}

void every_change_of_interest_takes_effect(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  const interest steps[] = {none, read, write, read | write};
  const auto enter = [&](interest i) {
    if (any(i)) {
      c.s().modify(p.a, i);
    } else {
      c.s().pause(p.a);
    }
  };
  c.s().add(p.a, read);
  for (const interest from : steps) {
    for (const interest to : steps) {
      enter(from);
      enter(to);
      const std::string step = to_string(from) + " to " + to_string(to);
      if (any(to)) {
        EXPECT_TRUE(reports(c.s(), {{p.a, to}})) << step;
      } else {
        EXPECT_TRUE(silent(c, 10ms)) << step;
      }
    }
  }
}

void map_is_a_snapshot(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(5);
  for (std::size_t i = 0; i < pipes.size(); ++i) c.s().add(pipes[i].reader, read, user_data{i});
  const std::vector<key> snapshot = sorted_map(c.s());
  ASSERT_EQ(snapshot.size(), pipes.size());
  for (const key& k : snapshot) {
    EXPECT_TRUE(c.s().contains(k.fd));
    EXPECT_EQ(c.s().get_key(k.fd), k);
    c.s().unregister(k.fd);
    EXPECT_FALSE(c.s().contains(k.fd));
  }
  EXPECT_EQ(c.s().size(), 0u);
  EXPECT_TRUE(c.s().get_map().empty());
  EXPECT_EQ(snapshot.size(), pipes.size());
}

void size_and_contains_are_live(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(3);
  EXPECT_EQ(c.s().size(), 0u);
  std::size_t expected = 0;
  for (const pipe_ends& p : pipes) {
    EXPECT_FALSE(c.s().contains(p.reader));
    c.s().add(p.reader, read);
    EXPECT_TRUE(c.s().contains(p.reader));
    EXPECT_EQ(c.s().size(), ++expected);
  }
  if (c.can(feature::pause)) {
    c.s().pause(pipes[0].reader);
    EXPECT_TRUE(c.s().contains(pipes[0].reader));
    EXPECT_EQ(c.s().size(), expected);
  }
  c.s().unregister(pipes[1].reader);
  EXPECT_EQ(c.s().size(), expected - 1);
  EXPECT_FALSE(c.s().contains(-1));
  EXPECT_FALSE(c.s().contains(INT_MAX));
}

}  // namespace

std::span<const test_case> modification_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"REG-11"}, "ModifyReplacesInterest", modify_replaces_interest, modify},
      {{"REG-11"}, "ModifyReplacesData", modify_replaces_data, modify | user_data},
      {{"REG-12"},
       "ModifyOfDataMakesNoSystemCall",
       modify_of_data_makes_no_system_call,
       modify | user_data | counts_calls},
      {{"REG-13"},
       "RefusedModifyKeepsTheOldRegistration",
       refused_modify_keeps_the_old_registration,
       modify | get_key | user_data | names_errors},
      {{"REG-13"},
       "ModifyOfAClosedDescriptorKeepsTheKey",
       modify_of_a_closed_descriptor_keeps_the_key,
       modify | get_key | names_errors},
      {{"REG-14"}, "EveryChangeOfInterestTakesEffect", every_change_of_interest_takes_effect, modify | pause},
      {{"REG-15"}, "MapIsASnapshot", map_is_a_snapshot, get_map | get_key | counting},
      {{"REG-15"}, "SizeAndContainsAreLive", size_and_contains_are_live, counting},
  };
  return cases;
}

}  // namespace selectors::conformance
