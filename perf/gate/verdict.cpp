#include "judge.hpp"

namespace selectors::gate {

std::string_view to_string(outcome o) {
  switch (o) {
    case outcome::inside:
      return "inside";
    case outcome::outside:
      return "outside";
    case outcome::undecided:
      return "undecided";
    case outcome::no_data:
      return "no data";
    case outcome::broken:
      return "broken";
    case outcome::ungated:
      return "ungated";
    case outcome::not_judged:
      break;
  }
  return "not judged";
}

std::string_view to_string(exit_code code) {
  switch (code) {
    case exit_code::pass:
      return "pass";
    case exit_code::outside:
      return "outside limits";
    case exit_code::bad_input:
      return "bad input or no data";
    case exit_code::broken:
      return "measurement broken";
    case exit_code::too_noisy:
      break;
  }
  return "too noisy";
}

bool needs_more(const verdict& v) {
  if (!next_look(v.bursts)) return false;
  bool undecided = false;
  for (const auto& row : v.metrics) {
    // Before the first burst nothing has data, and that is no reason to stop.
    if (v.bursts > 0 && (row.result == outcome::no_data || row.result == outcome::broken)) return false;
    undecided = undecided || row.result == outcome::undecided || v.bursts == 0;
  }
  return undecided;
}

}  // namespace selectors::gate
