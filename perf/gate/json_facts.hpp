#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "measurement.hpp"

/// The parts that measurement, evidence, thresholds and verdict files share. The readers expect JSON that has
/// passed its schema.
namespace selectors::gate {

nlohmann::ordered_json to_json(const machine_facts& machine);
nlohmann::ordered_json to_json(const build_facts& build);
nlohmann::ordered_json to_json(const protocol_facts& protocol);
nlohmann::ordered_json to_json(const std::vector<counted>& counts);

machine_facts machine_from(const nlohmann::json& j);
build_facts build_from(const nlohmann::json& j);
protocol_facts protocol_from(const nlohmann::json& j);
std::vector<counted> counts_from(const nlohmann::json& j);

/// One line per member of the top object and per element of its arrays: large files that still diff well.
std::string dump_by_line(const nlohmann::ordered_json& object);

}  // namespace selectors::gate
