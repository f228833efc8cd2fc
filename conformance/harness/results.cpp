#include "results.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "contract.hpp"

namespace selectors::conformance {

namespace {

using json_value = nlohmann::ordered_json;

double milliseconds(std::chrono::nanoseconds d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

json_value machine() {
  utsname u{};
  ::uname(&u);
  return {{"system", u.sysname},
          {"release", u.release},
          {"architecture", u.machine},
          {"processors", std::thread::hardware_concurrency()}};
}

json_value header(const std::vector<subject_info>& subjects, const std::string& filter) {
  json_value rows = json_value::array();
  for (const subject_info& s : subjects) rows.push_back({{"name", s.name}, {"features", names_of(s.can)}});
  return {
      {"format", 1},      {"kit", SELECTORS_KIT_VERSION}, {"promises", contract().size()}, {"filter", filter},
      {"subjects", rows}, {"machine", machine()}};
}

}  // namespace

std::string_view to_string(outcome_kind kind) {
  switch (kind) {
    case outcome_kind::pass:
      return "pass";
    case outcome_kind::fail:
      return "fail";
    case outcome_kind::not_applicable:
      return "not_applicable";
    case outcome_kind::error:
      return "error";
  }
  return "error";
}

void results::add(const subject_info& s, const chapter& part, const test_case& c, const case_result& r) {
  cases_.push_back(
      {s.name, std::string(part.name), std::string(c.name), {c.promises.begin(), c.promises.end()}, r});
}

void results::add(const liar& l, const trial_result& r) {
  liars_.push_back({std::string(l.name), std::string(l.promise), r});
}

std::size_t results::count(std::string_view subject, outcome_kind kind) const {
  return static_cast<std::size_t>(std::ranges::count_if(cases_, [&](const case_row& row) {
    return (subject.empty() || row.subject == subject) && row.result.kind == kind;
  }));
}

std::set<std::string> results::covered() const {
  std::set<std::string> ids;
  for (const case_row& row : cases_) {
    if (row.result.kind == outcome_kind::pass || row.result.kind == outcome_kind::fail) {
      ids.insert(row.promises.begin(), row.promises.end());
    }
  }
  return ids;
}

bool results::good() const noexcept {
  return std::ranges::none_of(cases_,
                              [](const case_row& row) {
                                return row.result.kind == outcome_kind::fail ||
                                       row.result.kind == outcome_kind::error;
                              }) &&
         std::ranges::all_of(liars_, [](const liar_row& row) { return row.result.caught; });
}

std::string results::json(const std::vector<subject_info>& subjects) const {
  json_value cases = json_value::array();
  for (const case_row& row : cases_) {
    cases.push_back({{"subject", row.subject},
                     {"chapter", row.chapter},
                     {"name", row.name},
                     {"promises", row.promises},
                     {"verdict", to_string(row.result.kind)},
                     {"milliseconds", milliseconds(row.result.duration)},
                     {"message", row.result.message}});
  }
  json_value liars = json_value::array();
  for (const liar_row& row : liars_) {
    liars.push_back({{"name", row.name},
                     {"promise", row.promise},
                     {"verdict", row.result.caught ? "caught" : "survived"},
                     {"by", row.result.by},
                     {"milliseconds", milliseconds(row.result.duration)},
                     {"message", row.result.message}});
  }
  const auto caught = std::ranges::count_if(liars_, [](const liar_row& row) { return row.result.caught; });
  const json_value footer{{"complete", true},
                          {"pass", count("", outcome_kind::pass)},
                          {"fail", count("", outcome_kind::fail)},
                          {"error", count("", outcome_kind::error)},
                          {"not_applicable", count("", outcome_kind::not_applicable)},
                          {"promises_covered", covered().size()},
                          {"liars_caught", caught},
                          {"liars_survived", static_cast<std::ptrdiff_t>(liars_.size()) - caught}};
  const json_value whole{
      {"header", header(subjects, filter_)}, {"cases", cases}, {"liars", liars}, {"footer", footer}};
  // A message may quote bytes that are no UTF-8; they must not cost the report.
  return whole.dump(1, ' ', false, json_value::error_handler_t::replace) + "\n";
}

std::string results::summary() const {
  std::string text;
  std::vector<std::string> subjects;
  for (const case_row& row : cases_) {
    if (std::ranges::find(subjects, row.subject) == subjects.end()) subjects.push_back(row.subject);
  }
  for (const std::string& s : subjects) {
    const std::size_t failed = count(s, outcome_kind::fail) + count(s, outcome_kind::error);
    text += "cases     " + s + ": " + std::to_string(count(s, outcome_kind::pass)) + " passed, " +
            std::to_string(failed) + " failed, " + std::to_string(count(s, outcome_kind::not_applicable)) +
            " not applicable\n";
  }
  if (!cases_.empty()) {
    text += "promises  " + std::to_string(covered().size()) + " of " + std::to_string(contract().size()) +
            " covered\n";
  }
  if (!liars_.empty()) {
    const auto caught = std::ranges::count_if(liars_, [](const liar_row& row) { return row.result.caught; });
    text += "liars     " + std::to_string(caught) + " of " + std::to_string(liars_.size()) + " caught\n";
  }
  return text;
}

namespace {

[[noreturn]] void give_up(const std::string& file, const std::string& temporary) {
  const std::string reason = std::strerror(errno);
  std::remove(temporary.c_str());
  throw std::runtime_error("cannot write " + file + ": " + reason);
}

}  // namespace

void write_file(const std::string& file, std::string_view text) {
  const std::string temporary = file + ".part";
  std::ofstream out(temporary, std::ios::binary);
  if (!out) give_up(file, temporary);
  out << text;
  out.close();
  if (!out) give_up(file, temporary);
  if (std::rename(temporary.c_str(), file.c_str()) != 0) give_up(file, temporary);
}

void check_writable(const std::string& file) {
  const std::string temporary = file + ".part";
  if (!std::ofstream(temporary)) give_up(file, temporary);
  std::remove(temporary.c_str());
}

}  // namespace selectors::conformance
