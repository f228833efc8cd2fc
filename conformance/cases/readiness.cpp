// RDY: how the kernel's conditions become ready bits, on pipes and on sockets in every state.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void idle_descriptors_yield_nothing(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(4);
  const pair_ends sockets = make_socket_pair();
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  c.s().add(sockets.a, read);
  EXPECT_TRUE(silent(c));
  put(pipes[2].writer);
  EXPECT_TRUE(reports(c.s(), {{pipes[2].reader, read}}));
  put(sockets.b);
  EXPECT_TRUE(reports(c.s(), {{pipes[2].reader, read}, {sockets.a, read}}));
}

void data_is_read_for_those_who_asked(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().add(p.a, write);
  c.s().add(p.b, read);
  put(p.b);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  put(p.a);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}, {p.b, read}}));
}

void data_arriving_during_a_wait_ends_it(context& c) {
  const pair_ends p = make_tcp_pair();
  c.s().add(p.a, read);
  EXPECT_TRUE(silent(c));
  put(p.b, 10);
  const stopwatch watch;
  EXPECT_TRUE(reports(c.s(), {{p.a, read}}));
  EXPECT_LT(watch.elapsed(), 1s);
}

void level_repeats_until_drained(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  put(p.writer, 2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  take(p.reader);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  take(p.reader);
  EXPECT_TRUE(silent(c));
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void one_entry_with_the_bits_merged(context& c) {
  const pair_ends p = make_socket_pair();
  put(p.b);
  c.s().add(p.a, read | write);
  const outcome o = c.s().wait(patience);
  EXPECT_EQ(o.events.size(), 1u) << to_string(o);
  EXPECT_TRUE(holds(o, {{p.a, read | write}}));
}

void many_keys_of_both_directions_give_one_entry_each(context& c) {
  std::vector<pair_ends> pairs;
  std::vector<expected_event> expected;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back(make_socket_pair());
    put(pairs.back().b);
    c.s().add(pairs.back().a, read | write);
    expected.push_back({pairs.back().a, read | write});
  }
  EXPECT_TRUE(holds(c.s().wait(patience), expected));
}

// Drives one descriptor through every condition and looks at each entry on the way.
void every_entry_has_a_ready_bit_that_was_asked_for(context& c) {
  for (const interest wanted : {read, write, read | write}) {
    pair_ends p = make_socket_pair();
    c.s().add(p.a, wanted);
    const auto look = [&] {
      for (const event& e : c.s().wait(timeout::zero).events) {
        EXPECT_TRUE(any(e.ready)) << to_string(e);
        EXPECT_FALSE(any(e.ready & ~wanted)) << to_string(e) << " for " << to_string(wanted);
      }
    };
    look();
    put(p.b);
    look();
    ::shutdown(p.b, SHUT_WR);
    look();
    p.b.close();
    look();
    take(p.a);
    look();
    c.s().unregister(p.a);
  }
}

void ready_bits_are_a_subset_of_the_interest(context& c) {
  pair_ends p = make_tcp_pair();
  put(p.b);
  const descriptor reader = duplicate(p.a);
  const descriptor writer = duplicate(p.a);
  c.s().add(reader, read);
  c.s().add(writer, write);
  EXPECT_TRUE(reports(c.s(), {{reader, read}, {writer, write}}));
  reset_connection(p.b);
  EXPECT_TRUE(becomes_true([&] { return pending_error(p.a) != 0; }));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{reader, read}, {writer, write}}));
}

void end_of_file_on_an_empty_pipe_is_read(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  EXPECT_TRUE(silent(c));
  p.writer.close();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(take(p.reader), 0u);
}

void end_of_file_does_not_hide_buffered_data(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  put(p.writer, 3);
  p.writer.close();
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(take(p.reader, 10), 3u);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(take(p.reader), 0u);
}

void writer_of_a_pipe_without_reader_is_writable(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.writer, write);
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
  p.reader.close();
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
}

void writer_of_a_full_pipe_without_reader_is_writable(context& c) {
  pipe_ends p = make_pipe();
  fill(p.writer);
  c.s().add(p.writer, write);
  EXPECT_TRUE(silent(c));
  p.reader.close();
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
}

void hang_up_without_read_interest_is_silence(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.reader, write);
  EXPECT_TRUE(silent(c));
  p.writer.close();
  // One wait may go by while the subject finds out; after it there is nothing but silence.
  EXPECT_TRUE(quiet(c.s()));
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(silent(c));
  // A plain interest in reading brings the hang-up to light again.
  if (c.can(feature::modify)) {
    c.s().modify(p.reader, read);
    EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  }
}

void hang_up_without_read_interest_hides_no_other_key(context& c) {
  pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  c.s().add(p.reader, write);
  c.s().add(other.reader, read);
  p.writer.close();
  for (int i = 0; i < 3; ++i) {
    put(other.writer);
    EXPECT_TRUE(reports(c.s(), {{other.reader, read}}));
    take(other.reader);
    EXPECT_TRUE(silent(c));
  }
}

void error_satisfies_read_only_interest(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.writer, read);
  EXPECT_TRUE(silent(c));
  p.reader.close();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{p.writer, read}}));
}

void error_satisfies_both_directions(context& c) {
  pipe_ends p = make_pipe();
  c.s().add(p.writer, read | write);
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
  p.reader.close();
  EXPECT_TRUE(reports(c.s(), {{p.writer, read | write}}));
}

void full_pipe_is_writable_after_a_page(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.writer, write);
  fill(p.writer);
  EXPECT_TRUE(silent(c));
  take(p.reader, 1);
  EXPECT_TRUE(silent(c));
  take(p.reader, 4096);
  EXPECT_TRUE(reports(c.s(), {{p.writer, write}}));
}

void changes_between_two_waits_are_one_entry(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  for (int i = 0; i < 10; ++i) put(p.writer);
  EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}}));
  EXPECT_EQ(drain(p.reader), 10u);
  EXPECT_TRUE(silent(c));
}

void hang_up_and_error_travel_as_status(context& c) {
  pipe_ends hung = make_pipe();
  pipe_ends broken = make_pipe();
  const pipe_ends fine = make_pipe();
  put(fine.writer);
  c.s().add(hung.reader, read);
  c.s().add(broken.writer, write);
  c.s().add(fine.reader, read);
  hung.writer.close();
  broken.reader.close();
  const outcome o = c.s().wait(patience);
  EXPECT_TRUE(holds(o, {{hung.reader, read}, {broken.writer, write}, {fine.reader, read}}));
  const auto flags = [&](int fd) { return entry_of(o, fd).value_or(event{}).flags; };
  EXPECT_EQ(flags(hung.reader), status::hangup);
  EXPECT_EQ(flags(broken.writer), status::error);
  EXPECT_EQ(flags(fine.reader), status::none);
}

}  // namespace

std::span<const test_case> readiness_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"RDY-01"}, "IdleDescriptorsYieldNothing", idle_descriptors_yield_nothing},
      {{"RDY-01"}, "DataIsReadForThoseWhoAsked", data_is_read_for_those_who_asked},
      {{"RDY-01"}, "DataEndsAWait", data_arriving_during_a_wait_ends_it},
      {{"RDY-02"}, "LevelRepeatsUntilDrained", level_repeats_until_drained},
      {{"RDY-03"}, "OneEntryWithTheBitsMerged", one_entry_with_the_bits_merged},
      {{"RDY-03"},
       "ManyKeysOfBothDirectionsGiveOneEntryEach",
       many_keys_of_both_directions_give_one_entry_each},
      {{"RDY-04", "RDY-05"},
       "EveryEntryHasAReadyBitThatWasAskedFor",
       every_entry_has_a_ready_bit_that_was_asked_for},
      {{"RDY-05"}, "ReadyBitsAreASubsetOfTheInterest", ready_bits_are_a_subset_of_the_interest},
      {{"RDY-06"}, "EndOfFileOnAnEmptyPipeIsRead", end_of_file_on_an_empty_pipe_is_read},
      {{"RDY-07"}, "EndOfFileDoesNotHideBufferedData", end_of_file_does_not_hide_buffered_data},
      {{"RDY-08"}, "WriterOfAPipeWithoutReaderIsWritable", writer_of_a_pipe_without_reader_is_writable},
      {{"RDY-08"},
       "WriterOfAFullPipeWithoutReaderIsWritable",
       writer_of_a_full_pipe_without_reader_is_writable},
      {{"RDY-09"}, "HangUpWithoutReadInterestIsSilence", hang_up_without_read_interest_is_silence},
      {{"RDY-09"},
       "HangUpWithoutReadInterestHidesNoOtherKey",
       hang_up_without_read_interest_hides_no_other_key},
      {{"RDY-10"}, "ErrorSatisfiesReadOnlyInterest", error_satisfies_read_only_interest},
      {{"RDY-10"}, "ErrorSatisfiesBothDirections", error_satisfies_both_directions},
      {{"RDY-31"}, "FullPipeIsWritableAfterAPage", full_pipe_is_writable_after_a_page},
      {{"RDY-32"}, "ChangesBetweenTwoWaitsAreOneEntry", changes_between_two_waits_are_one_entry},
      {{"RDY-33"}, "HangUpAndErrorTravelAsStatus", hang_up_and_error_travel_as_status, status},
  };
  return cases;
}

}  // namespace selectors::conformance
