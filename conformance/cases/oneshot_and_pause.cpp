// MOD, second part: keys that are silent for a while, because their one shot is fired or because they are paused.
#include <gtest/gtest.h>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void oneshot_is_reported_once(context& c) {
  pair_ends p = make_socket_pair();
  c.s().register_fd(p.a, read, user_data{8}, trigger::oneshot);
  put(p.b);
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{8}}}));
  EXPECT_TRUE(silent(c, 10ms));
  put(p.b);
  EXPECT_TRUE(silent(c, 10ms)) << "new data";
  EXPECT_TRUE(accepted([&] { c.s().modify(p.a, read); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{8}}})) << "armed again with the same interest";
  p.b.close();
  EXPECT_TRUE(silent(c)) << "a hang-up";
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(p.a, read); }));
  EXPECT_TRUE(accepted([&] { c.s().modify(p.a, read, user_data{9}, trigger::oneshot); }));
  EXPECT_TRUE(reports(c.s(), {{p.a, read, user_data{9}}})) << "what is pending";
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(accepted([&] { c.s().unregister(p.a); }));
  EXPECT_TRUE(silent(c, 10ms));
}

void oneshot_that_is_ready_at_once_is_reported(context& c) {
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  std::vector<expected_event> all;
  for (const pipe_ends& p : pipes) {
    c.s().add(p.reader, read, trigger::oneshot);
    all.push_back({p.reader, read});
  }
  EXPECT_TRUE(holds(c.s().wait(patience), all));
  EXPECT_TRUE(silent(c, 10ms));
  for (const pipe_ends& p : pipes) EXPECT_TRUE(accepted([&] { c.s().unregister(p.reader); }));
  for (const pipe_ends& p : pipes) EXPECT_TRUE(accepted([&] { c.s().add(p.reader, read); }));
  EXPECT_TRUE(reports(c.s(), all));
  EXPECT_TRUE(reports(c.s(), all)) << "level by now";
}

void one_report_uses_up_both_directions(context& c) {
  const pair_ends p = make_socket_pair();
  c.s().add(p.a, read | write, trigger::oneshot);
  EXPECT_TRUE(reports(c.s(), {{p.a, write}}));
  put(p.b);
  EXPECT_TRUE(silent(c, 10ms));
  c.s().modify(p.a, read | write);
  EXPECT_TRUE(reports(c.s(), {{p.a, read | write}}));
  EXPECT_TRUE(silent(c, 10ms));
}

void disarmed_oneshot_never_spins(context& c) {
  pair_ends t = make_tcp_pair();
  pair_ends u = make_socket_pair();
  pipe_ends p = make_pipe();
  const pipe_ends good = make_pipe();
  for (const int fd : {t.a.get(), u.a.get(), p.writer.get()}) c.s().add(fd, write, trigger::oneshot);
  c.s().add(good.reader, read);
  EXPECT_TRUE(holds(c.s().wait(patience), {{t.a, write}, {u.a, write}, {p.writer, write}}));
  reset_connection(t.b);
  u.b.close();
  p.reader.close();
  EXPECT_TRUE(silent(c));
  put(good.writer);
  EXPECT_TRUE(reports(c.s(), {{good.reader, read}}));
  take(good.reader);
  EXPECT_TRUE(silent(c));
  c.s().modify(t.a, write);
  EXPECT_TRUE(reports(c.s(), {{t.a, write}}));
  EXPECT_TRUE(silent(c));
}

// What may befall a descriptor while nobody wants to know.
void paused_key_is_silent(context& c) {
  pair_ends reset = make_tcp_pair();
  pair_ends closed = make_socket_pair();
  pipe_ends full = make_pipe();
  const pipe_ends data = make_pipe();
  const interest both = read | write;
  c.s().add(reset.a, both, user_data{1});
  c.s().add(closed.a, both, user_data{2});
  c.s().add(full.writer, write, user_data{3});
  c.s().add(data.reader, read, user_data{4});
  const int all[] = {reset.a, closed.a, full.writer, data.reader};
  for (const int fd : all) c.s().pause(fd);
  EXPECT_TRUE(silent(c));
  reset_connection(reset.b);
  closed.b.close();
  full.reader.close();
  put(data.writer);
  EXPECT_TRUE(silent(c, 40ms));
  for (const int fd : all) EXPECT_TRUE(accepted([&] { c.s().resume(fd); }));
  EXPECT_TRUE(reports(c.s(), {{reset.a, both, user_data{1}},
                              {closed.a, both, user_data{2}},
                              {full.writer, write, user_data{3}},
                              {data.reader, read, user_data{4}}}));
}

void paused_key_stays_registered(context& c) {
  const pipe_ends p = make_pipe();
  const key k = c.s().add(p.reader, read, user_data{7});
  EXPECT_FALSE(k.paused);
  const key paused = c.s().pause(p.reader);
  EXPECT_TRUE(paused.paused);
  EXPECT_EQ(c.s().get_key(p.reader), paused);
  EXPECT_EQ(paused.data, user_data{7});
  EXPECT_EQ(paused.wanted, read);
  EXPECT_EQ(paused.generation, k.generation);
  EXPECT_TRUE(refused(std::errc::file_exists, [&] { c.s().add(p.reader, read); }));
  EXPECT_EQ(c.s().resume(p.reader), k);
  c.s().pause(p.reader);
  EXPECT_TRUE(accepted([&] { c.s().unregister(p.reader); }));
  EXPECT_TRUE(accepted([&] { c.s().add(p.reader, read); }));
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}})) << "a pause does not outlive its key";
}

void paused_edge_and_oneshot_report_after_resume(context& c) {
  for (const trigger mode : {trigger::oneshot, trigger::edge}) {
    if (mode == trigger::edge && !c.can(feature::edge)) continue;
    const pipe_ends p = make_pipe();
    c.s().add(p.reader, read, mode);
    c.s().pause(p.reader);
    put(p.writer);
    EXPECT_TRUE(silent(c, 10ms));
    c.s().resume(p.reader);
    EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
    c.s().unregister(p.reader);
  }
}

void pause_and_resume_are_idempotent(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  const key k = c.s().add(p.reader, read, user_data{2});
  EXPECT_EQ(c.s().resume(p.reader), k) << "never paused";
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(accepted([&] { EXPECT_TRUE(c.s().pause(p.reader).paused); }));
  EXPECT_TRUE(silent(c, 10ms));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(accepted([&] { EXPECT_EQ(c.s().resume(p.reader), k); }));
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

void resume_arms_a_fired_oneshot(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read, trigger::oneshot);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(silent(c, 10ms));
  c.s().resume(p.reader);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(silent(c, 10ms));
  c.s().pause(p.reader);
  EXPECT_TRUE(silent(c, 10ms)) << "fired, then paused";
  c.s().resume(p.reader);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(silent(c, 10ms));
}

void modify_resumes(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read, user_data{1});
  c.s().pause(p.reader);
  const key k = c.s().modify(p.reader, read);
  EXPECT_FALSE(k.paused);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read, user_data{1}}})) << "with the same interest";
  c.s().pause(p.reader);
  c.s().modify(p.reader, read, user_data{2}, trigger::level);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read, user_data{2}}}));
}

}  // namespace

std::span<const test_case> oneshot_and_pause_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"MOD-11"},
       "OneshotIsReportedOnce",
       oneshot_is_reported_once,
       oneshot | modify | user_data | names_errors},
      {{"MOD-11"}, "OneshotThatIsReadyAtOnceIsReported", oneshot_that_is_ready_at_once_is_reported, oneshot},
      {{"MOD-12"}, "OneReportUsesUpBothDirections", one_report_uses_up_both_directions, oneshot | modify},
      {{"MOD-13", "MOD-11"}, "DisarmedOneshotNeverSpins", disarmed_oneshot_never_spins, oneshot | modify},
      {{"MOD-14"}, "PausedKeyIsSilent", paused_key_is_silent, pause | user_data},
      {{"MOD-14"},
       "PausedKeyStaysRegistered",
       paused_key_stays_registered,
       pause | get_key | user_data | names_errors},
      {{"MOD-14"},
       "PausedEdgeAndOneshotReportAfterResume",
       paused_edge_and_oneshot_report_after_resume,
       pause | oneshot},
      {{"MOD-20"}, "PauseAndResumeAreIdempotent", pause_and_resume_are_idempotent, pause | user_data},
      {{"MOD-20"}, "ResumeArmsAFiredOneshot", resume_arms_a_fired_oneshot, pause | oneshot},
      {{"MOD-20"}, "ModifyResumes", modify_resumes, pause | modify | user_data},
  };
  return cases;
}

}  // namespace selectors::conformance
