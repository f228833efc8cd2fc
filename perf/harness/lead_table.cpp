#include "harness/lead_table.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "gate/metrics.hpp"

namespace selectors::perf {
namespace {

constexpr int title_width = 14;
constexpr int column_width = 11;

std::optional<double> at(const rates& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) return std::nullopt;
  return found->second;
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || !(*b > 0)) return std::nullopt;
  return *a / *b;
}

class builder {
 public:
  builder(const rates& seed, const std::optional<rates>& python, const rates& lab)
      : seed_(seed), python_(python.value_or(rates{})), lab_(lab) {
    table_.columns = {"seed", "Python"};
    for (const auto& b : gate::backends()) table_.columns.emplace_back(b.name);
  }

  // `library` names the arm of each backend; "{}" stands for the backend, "{raw}" for its system call.
  lead_table::row row(std::string title, const std::string& theirs, const std::string& library) const {
    lead_table::row r{std::move(title), false, {at(seed_, theirs), at(python_, theirs)}};
    for (const auto& b : gate::backends()) r.values.push_back(at(lab_, arm_name(library, b)));
    return r;
  }

  void add_section(std::string title, std::vector<lead_table::row> rows) {
    table_.sections.push_back({std::move(title), std::move(rows)});
  }

  // One row for each number of descriptors; "{n}" in the names stands for it.
  void add_sizes(const std::string& title, const std::string& theirs, const std::string& library) {
    std::vector<lead_table::row> rows;
    for (const int n : gate::sizes()) {
      rows.push_back(
          row(fmt::format("N = {}", n), fmt::format("{}/{}", theirs, n), replaced(library, "{n}", n)));
    }
    add_section(title, std::move(rows));
  }

  lead_table::row ratio(std::string title, const lead_table::row& a, const lead_table::row& b) const {
    lead_table::row r{std::move(title), true, {}};
    for (std::size_t i = 0; i < a.values.size(); ++i) r.values.push_back(quotient(a.values[i], b.values[i]));
    return r;
  }

  lead_table take() { return std::move(table_); }

 private:
  static std::string replaced(std::string text, const std::string& mark, int n) {
    if (const auto position = text.find(mark); position != std::string::npos)
      text.replace(position, mark.size(), std::to_string(n));
    return text;
  }
  static std::string arm_name(std::string pattern, const gate::backend& b) {
    if (const auto mark = pattern.find("{raw}"); mark != std::string::npos)
      return b.raw_call.empty() ? std::string() : pattern.replace(mark, 5, b.raw_call);
    if (const auto mark = pattern.find("{}"); mark != std::string::npos) pattern.replace(mark, 2, b.name);
    return pattern;
  }

  const rates& seed_;
  const rates python_;
  const rates& lab_;
  lead_table table_;
};

std::string cell(const std::optional<double>& value, bool is_ratio) {
  if (!value) return "-";
  if (is_ratio) return fmt::format("{:.2f}x", *value);
  std::string digits = fmt::format("{:.0f}", *value);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

void insert_all(rates& into, const nlohmann::json& file, const std::string& arm) {
  for (const auto& [n, value] : file.at(arm).items()) into[arm + "/" + n] = value.get<double>();
}

}  // namespace

rates rates_of_seed(const nlohmann::json& seed) {
  rates all;
  for (const auto* arm : {"recreate", "reuse", "select", "empty"}) insert_all(all, seed, arm);
  return all;
}

rates rates_of_python(const nlohmann::json& python) {
  rates all;
  for (const auto& [name, arm] : python.at("arms").items())
    all[name] = arm.at("ops_per_second").get<double>();
  return all;
}

rates rates_of_lab(const nlohmann::json& google_benchmark) {
  rates all;
  for (const auto& run : google_benchmark.at("benchmarks")) {
    if (run.value("aggregate_name", "") != "median") continue;
    auto name = run.at("run_name").get<std::string>();
    // Google Benchmark appends how it ran: "/iterations:2000/real_time".
    name.resize(std::min(name.size(), name.find("/iterations:")));
    all[name] = run.at("ops/s").get<double>();
  }
  if (all.empty())
    throw std::runtime_error("the lab's file holds no medians; run selectors-lab with repetitions");
  return all;
}

lead_table make_lead_table(const rates& seed, const std::optional<rates>& python, const rates& lab) {
  builder b(seed, python, lab);
  b.add_sizes("a selector for each wait: create, register N, wait, close", "recreate", "recreate/{}/{n}");
  b.add_sizes("a selector that is kept", "reuse", "reuse/{}/{n}/all");
  b.add_sizes("the system call by hand (seed, Python: select.select)", "select", "raw_reuse/{raw}/{n}/all");
  b.add_section("nothing registered", {b.row("selector", "empty/selector", "empty/{}"),
                                       b.row("by hand", "empty/select", "raw_empty/{raw}")});

  const auto recreate = b.row("", "recreate/32", "recreate/{}/32");
  const auto reuse = b.row("", "reuse/32", "reuse/{}/32/all");
  const auto select = b.row("", "select/32", "raw_reuse/select/32/all");
  b.add_section("how many times as fast, N = 32",
                {b.ratio("kept/new", reuse, recreate), b.ratio("select/new", select, recreate),
                 b.ratio("select/kept", select, reuse)});
  return b.take();
}

std::string to_text(const lead_table& table) {
  std::string text = fmt::format("{:{}}", "", title_width);
  for (const auto& column : table.columns) text += fmt::format("{:>{}}", column, column_width);
  text += '\n';
  for (const auto& section : table.sections) {
    text += section.title + '\n';
    for (const auto& row : section.rows) {
      text += fmt::format("{:{}}", "  " + row.title, title_width);
      for (const auto& value : row.values)
        text += fmt::format("{:>{}}", cell(value, row.is_ratio), column_width);
      text += '\n';
    }
  }
  return text;
}

nlohmann::json to_json(const lead_table& table) {
  auto sections = nlohmann::json::array();
  for (const auto& section : table.sections) {
    auto rows = nlohmann::json::array();
    for (const auto& row : section.rows) {
      nlohmann::json values;
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        values[table.columns[i]] = row.values[i] ? nlohmann::json(*row.values[i]) : nlohmann::json();
      rows.push_back({{"title", row.title},
                      {"unit", row.is_ratio ? "ratio" : "operations per second"},
                      {"values", std::move(values)}});
    }
    sections.push_back({{"title", section.title}, {"rows", std::move(rows)}});
  }
  return sections;
}

}  // namespace selectors::perf
