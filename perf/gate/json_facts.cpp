#include "json_facts.hpp"

namespace selectors::gate {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json to_json(const machine_facts& machine) {
  return {{"arch", machine.arch},
          {"cpu_model", machine.cpu_model},
          {"cpu_family", machine.cpu_family},
          {"cpu_model_number", machine.cpu_model_number},
          {"kernel", machine.kernel},
          {"virtualization", machine.virtualization},
          {"cpus", machine.cpus}};
}

ordered_json to_json(const build_facts& build) {
  return {{"type", build.type},
          {"compiler", build.compiler},
          {"libc", build.libc},
          {"commit", build.commit},
          {"dirty", build.dirty},
          {"sanitizers", build.sanitizers},
          {"binary_sha256", build.binary_sha256}};
}

ordered_json to_json(const protocol_facts& protocol) {
  return {
      {"id", protocol.id}, {"rounds_per_burst", protocol.rounds_per_burst}, {"batch_us", protocol.batch_us}};
}

ordered_json to_json(const std::vector<counted>& counts) {
  auto out = ordered_json::array();
  for (const auto& c : counts) out.push_back({{"metric", c.metric}, {"value", c.value}});
  return out;
}

machine_facts machine_from(const json& j) {
  return {j["arch"],   j["cpu_model"],      j["cpu_family"], j["cpu_model_number"],
          j["kernel"], j["virtualization"], j["cpus"]};
}

build_facts build_from(const json& j) {
  return {j["type"], j["compiler"], j["libc"], j["commit"], j["dirty"], j["sanitizers"], j["binary_sha256"]};
}

protocol_facts protocol_from(const json& j) {
  return {j["id"], j["rounds_per_burst"], j["batch_us"]};
}

std::vector<counted> counts_from(const json& j) {
  std::vector<counted> out;
  for (const auto& c : j) out.push_back({c["metric"], c["value"]});
  return out;
}

std::string dump_by_line(const ordered_json& object) {
  const auto flat = [](const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  std::string out = "{";
  const char* separator = "\n  ";
  for (const auto& [key, value] : object.items()) {
    out += separator + ordered_json(key).dump() + ": ";
    separator = ",\n  ";
    if (!value.is_array() || value.empty() || !value.front().is_structured()) {
      out += flat(value);
      continue;
    }
    const char* between = "[\n    ";
    for (const auto& element : value) {
      out += between + flat(element);
      between = ",\n    ";
    }
    out += "\n  ]";
  }
  return out + "\n}\n";
}

}  // namespace selectors::gate
