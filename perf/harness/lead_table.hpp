// The published table: the original write-up, the same lab in Python here, this library here.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace selectors::perf {

// Operations per second by arm. Python's and the write-up's arms are "recreate/8", "reuse/8", "select/8",
// "empty/selector" and "empty/select"; the library's are those of the metric table.
using rates = std::map<std::string, double>;

// From the files in which they come. Throw std::runtime_error that says what is missing.
rates rates_of_seed(const nlohmann::json& seed);
rates rates_of_python(const nlohmann::json& python);
rates rates_of_lab(const nlohmann::json& google_benchmark);  // medians of the repetitions

struct lead_table {
  struct row {
    std::string title;
    bool is_ratio = false;
    std::vector<std::optional<double>> values;  // one for each column; nothing where nobody measured
  };
  struct section {
    std::string title;
    std::vector<row> rows;
  };
  std::vector<std::string> columns;
  std::vector<section> sections;
};

lead_table make_lead_table(const rates& seed, const std::optional<rates>& python, const rates& lab);

// At most 80 columns as long as there are at most four backends.
std::string to_text(const lead_table& table);
nlohmann::json to_json(const lead_table& table);

}  // namespace selectors::perf
