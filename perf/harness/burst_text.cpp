#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gate/json_facts.hpp"
#include "harness/burst.hpp"

namespace selectors::perf {

std::string to_text(const burst& b) {
  auto rounds = nlohmann::json::array();
  for (const auto& times : b.rounds.rounds) {
    auto row = nlohmann::json::array();
    for (const double t : times) row.push_back(std::round(t * 100) / 100);
    rounds.push_back(std::move(row));
  }
  const nlohmann::json whole = {{"arms", b.arms},
                                {"build", gate::to_json(b.build)},
                                {"burst",
                                 {{"at", b.rounds.at},
                                  {"load", b.rounds.load},
                                  {"involuntary_switches", b.rounds.involuntary_switches},
                                  {"rounds", std::move(rounds)}}}};
  return whole.dump();
}

burst parse_burst(const std::string& text) {
  try {
    const auto whole = nlohmann::json::parse(text);
    const auto& record = whole.at("burst");
    burst b;
    b.arms = whole.at("arms").get<std::vector<std::string>>();
    b.build = gate::build_from(whole.at("build"));
    record.at("at").get_to(b.rounds.at);
    record.at("load").get_to(b.rounds.load);
    record.at("involuntary_switches").get_to(b.rounds.involuntary_switches);
    record.at("rounds").get_to(b.rounds.rounds);
    for (const auto& round : b.rounds.rounds) {
      if (round.size() != b.arms.size())
        throw std::runtime_error(
            fmt::format("a round holds {} times for {} arms", round.size(), b.arms.size()));
    }
    return b;
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(
        fmt::format("a burst must be one JSON object as selectors-burst prints it: {}", e.what()));
  }
}

}  // namespace selectors::perf
