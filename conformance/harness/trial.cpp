#include "trial.hpp"

#include <algorithm>
#include <stdexcept>

#include "claims.hpp"

namespace selectors::conformance {

namespace {

subject_info disguise(const liar& l, const subject_info& honest) {
  return {honest.name, honest.can | l.pretends, honest.fd_limit,
          [&l, &honest] { return l.disguise(honest.make()); }};
}

bool cites(const test_case& c, std::string_view id) {
  return std::ranges::find(c.promises, id) != c.promises.end();
}

}  // namespace

std::string_view chapter_of(std::string_view id) {
  for (const chapter& part : chapters()) {
    if (id.starts_with(part.prefix)) return part.name;
  }
  throw std::invalid_argument("no chapter has the promise " + std::string(id));
}

trial_result try_liar(const liar& l, std::span<const subject_info> honest_subjects) {
  constexpr auto limit = std::chrono::seconds(10);
  // A liar that loses an event need not be waited for as long as an honest subject on a busy machine.
  const auto usual_patience = std::exchange(patience, std::chrono::milliseconds(400));
  const auto start = std::chrono::steady_clock::now();
  trial_result result;
  std::string tried;
  for (const subject_info& honest : honest_subjects) {
    if (!l.over.empty() && l.over != honest.name) continue;
    const subject_info suspect = disguise(l, honest);
    for (const chapter& part : chapters()) {
      for (const test_case& c : part.cases) {
        if (result.caught || !cites(c, l.promise) || !why_not_applicable(c, suspect).empty()) continue;
        const std::string name = honest.name + "/" + std::string(part.name) + "." + std::string(c.name);
        const case_result r = run_isolated(c, suspect, limit);
        result.caught = r.kind == outcome_kind::fail;
        if (result.caught) result.by = name, result.message = r.message;
        tried += "\n  " + name + (r.kind == outcome_kind::error ? " had an error: " + r.message : " passed");
      }
    }
  }
  patience = usual_patience;
  if (!result.caught) {
    result.message = tried.empty()
                         ? "no case cites " + std::string(l.promise) + " and applies to it"
                         : "it survived every case that cites " + std::string(l.promise) + ":" + tried;
  }
  result.duration = std::chrono::steady_clock::now() - start;
  return result;
}

}  // namespace selectors::conformance
