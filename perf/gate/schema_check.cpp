#include "schema_check.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <memory>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "metrics.hpp"
#include "schemas.hpp"

namespace selectors::gate {
namespace {

using json = nlohmann::json;
using context = std::vector<std::string>;

constexpr std::array<file_kind, 5> kinds{file_kind::measurement, file_kind::evidence, file_kind::thresholds,
                                         file_kind::verdict, file_kind::regret};

const json& schema_json(file_kind kind) {
  static const std::array<json, 5> parsed{
      json::parse(measurement_schema_text), json::parse(evidence_schema_text),
      json::parse(thresholds_schema_text), json::parse(verdict_schema_text), json::parse(regret_schema_text)};
  return parsed[static_cast<std::size_t>(kind)];
}

const valijson::Schema& compiled_schema(file_kind kind) {
  static std::array<std::unique_ptr<valijson::Schema>, kinds.size()> compiled;
  auto& schema = compiled[static_cast<std::size_t>(kind)];
  if (!schema) {
    schema = std::make_unique<valijson::Schema>();
    valijson::SchemaParser parser;
    const valijson::adapters::NlohmannJsonAdapter adapter(schema_json(kind));
    parser.populateSchema(adapter, *schema);
  }
  return *schema;
}

// A validator reports where it stands as {"<root>", "[limits]", "[3]", "[upper]"}.
std::string step_name(const std::string& step) {
  return step.size() > 2 && step.front() == '[' ? step.substr(1, step.size() - 2) : step;
}

bool is_index(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

std::string path_of(const context& steps) {
  std::string path = "$";
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const auto name = step_name(steps[i]);
    path += is_index(name) ? "[" + name + "]" : "." + name;
  }
  return path;
}

const json* value_at(const json& root, const context& steps) {
  const json* at = &root;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const auto name = step_name(steps[i]);
    if (at->is_array() && is_index(name) && std::stoul(name) < at->size()) {
      at = &(*at)[std::stoul(name)];
    } else if (at->is_object() && at->contains(name)) {
      at = &(*at)[name];
    } else {
      return nullptr;
    }
  }
  return at;
}

const json& resolve(const json& schema, const json& node) {
  if (!node.contains("$ref")) return node;
  const auto reference = node["$ref"].get<std::string>();
  return schema["definitions"][reference.substr(std::string_view("#/definitions/").size())];
}

// The part of the schema that speaks about the place, so that a message can say what was expected there.
const json& rule_at(const json& schema, const context& steps) {
  static const json nothing = json::object();
  const json* at = &schema;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const auto name = step_name(steps[i]);
    const auto& rule = resolve(schema, *at);
    if (is_index(name) && rule.contains("items")) {
      at = &rule["items"];
    } else if (rule.contains("properties") && rule["properties"].contains(name)) {
      at = &rule["properties"][name];
    } else {
      return nothing;
    }
  }
  return resolve(schema, *at);
}

std::string shorten(const json* value) {
  if (value == nullptr) return "nothing";
  auto text = value->dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return value->is_null() ? text : std::string(value->type_name()) + " " + text;
}

std::string type_words(const json& type) {
  if (type.is_string()) return type.get<std::string>();
  std::string out;
  for (const auto& each : type) out += (out.empty() ? "" : " or ") + each.get<std::string>();
  return out;
}

std::string unknown_key_message(const json& rule, const std::string& key) {
  std::vector<std::string> known;
  if (rule.contains("properties")) {
    for (const auto& [name, unused] : rule["properties"].items()) known.push_back(name);
  }
  const auto near = nearest_name(key, known);
  return fmt::format("unknown key \"{}\"{}", key, near ? fmt::format("; did you mean \"{}\"?", *near) : "");
}

std::string quoted_part(const std::string& text) {
  const auto last = text.rfind('\'');
  const auto first = text.rfind('\'', last - 1);
  return text.substr(first + 1, last - first - 1);
}

// The library's texts are turned into ours: they name neither the value that was given nor what was expected.
std::optional<problem> translate(const json_document& document, const json& schema,
                                 const valijson::ValidationResults::Error& error) {
  const auto& text = error.description;
  if (text.starts_with("Failed to validate")) return std::nullopt;  // an outer level repeats its inner one
  const auto path = path_of(error.context);
  const auto& rule = rule_at(schema, error.context);
  const auto* value = value_at(document.root(), error.context);
  const auto name = error.context.size() > 1 ? step_name(error.context.back()) : std::string("the document");
  if (text.find("additionalProperties") != std::string::npos) {
    const auto key = quoted_part(text);
    return document.complain(path + "." + key, "E_UNKNOWN_KEY", unknown_key_message(rule, key));
  }
  if (text.starts_with("Missing required")) {
    return document.complain(path, "E_MISSING_KEY", fmt::format("missing key \"{}\"", quoted_part(text)));
  }
  if (text.find("'type' constraint") != std::string::npos) {
    const auto expected = rule.contains("type") ? type_words(rule["type"]) : std::string("of another type");
    return document.complain(path, "E_TYPE",
                             fmt::format("\"{}\" must be {}, got {}", name, expected, shorten(value)));
  }
  if (rule.contains("enum") || rule.contains("const") || rule.contains("pattern")) {
    const auto* keyword = rule.contains("enum") ? "enum" : rule.contains("const") ? "const" : "pattern";
    return document.complain(
        path, "E_VALUE",
        fmt::format("\"{}\" must be {}, got {}", name, rule[keyword].dump(), shorten(value)));
  }
  return document.complain(path, "E_VALUE", fmt::format("\"{}\": {} Got {}", name, text, shorten(value)));
}

bool check_name_and_version(const json_document& document, file_kind kind, problems& out) {
  const auto said = kind_of(document, out);
  if (!said) return false;
  if (*said != kind) {
    out.push_back(document.complain(
        "$.schema", "E_SCHEMA",
        fmt::format("expected a {} file, got a {} file", to_string(kind), to_string(*said))));
    return false;
  }
  const auto version = document.root().find("schema_version");
  if (version == document.root().end() || !version->is_number_integer())
    return true;  // the schema will say it
  if (*version == schema_version) return true;
  const bool newer = *version > schema_version;
  out.push_back(document.complain(
      "$.schema_version", newer ? "E_SCHEMA_NEWER" : "E_SCHEMA_STALE",
      fmt::format("the file is of version {}, this program reads version {}: {}", version->dump(),
                  schema_version, newer ? "update the program" : "write the file anew")));
  return false;
}

}  // namespace

std::string_view to_string(file_kind kind) {
  switch (kind) {
    case file_kind::measurement:
      return "measurement";
    case file_kind::evidence:
      return "evidence";
    case file_kind::thresholds:
      return "thresholds";
    case file_kind::verdict:
      return "verdict";
    case file_kind::regret:
      break;
  }
  return "regret";
}

std::optional<file_kind> kind_of(const json_document& document, problems& out) {
  const auto& root = document.root();
  if (root.is_object() && root.contains("schema") && root["schema"].is_string()) {
    const auto name = root["schema"].get<std::string>();
    for (const auto kind : kinds) {
      if (name == fmt::format("selectors-perf-{}", to_string(kind))) return kind;
    }
    out.push_back(
        document.complain("$.schema", "E_SCHEMA",
                          fmt::format("\"schema\" is \"{}\", expected "
                                      "selectors-perf-{{measurement,evidence,thresholds,verdict,regret}}",
                                      name)));
  } else {
    out.push_back(document.complain("$", "E_SCHEMA",
                                    "expected an object with a string \"schema\" that names its kind"));
  }
  return std::nullopt;
}

bool check_schema(const json_document& document, file_kind kind, problems& out) {
  if (!check_name_and_version(document, kind, out)) return false;
  const auto& text = schema_json(kind);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter target(document.root());
  if (validator.validate(compiled_schema(kind), target, &results)) return true;
  const auto before = out.size();
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    if (auto p = translate(document, text, error)) out.push_back(std::move(*p));
  }
  if (out.size() == before) out.push_back(document.complain("$", "E_SCHEMA", "does not fit its schema"));
  return false;
}

}  // namespace selectors::gate
