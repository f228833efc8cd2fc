#pragma once

#include <string_view>

#include "json_document.hpp"
#include "problem.hpp"

namespace selectors::gate {

/// The kinds of file the gate knows; the value of "schema" is "selectors-perf-" and the kind's name.
enum class file_kind { measurement, evidence, thresholds, verdict, regret };

inline constexpr int schema_version = 1;

std::string_view to_string(file_kind kind);

/// Checks name, version, and shape against the JSON Schema that was built in from thresholds/schema. Returns
/// whether the document is sound; appends every problem, in reading order, each with its place.
bool check_schema(const json_document& document, file_kind kind, problems& out);

/// The kind a document says it is of; appends a problem and returns nothing when it does not say or is not
/// known.
std::optional<file_kind> kind_of(const json_document& document, problems& out);

}  // namespace selectors::gate
