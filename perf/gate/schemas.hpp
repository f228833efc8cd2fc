#pragma once

#include <string_view>

namespace selectors::gate {

/// The files of thresholds/schema, built in, so that the installed program needs none of them at run time.
extern const std::string_view measurement_schema_text;
extern const std::string_view evidence_schema_text;
extern const std::string_view thresholds_schema_text;
extern const std::string_view verdict_schema_text;
extern const std::string_view regret_schema_text;

}  // namespace selectors::gate
