#include "harness/regret_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gate/json_facts.hpp"
#include "gate/statistics.hpp"

namespace selectors::perf {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t worst_listed = 5;

std::string_view name_of(backend b) {
  const auto* info = find_backend(b);
  return info == nullptr ? "?" : info->name;
}

std::string limit_text(const std::optional<double>& limit) {
  return limit ? fmt::format("{:.2f}", *limit) : "-";
}

std::string verdict_of(const regret_row& row) {
  if (row.ok()) return "ok";
  return row.worst_ok() ? "MEDIAN" : row.median_ok() ? "WORST" : "BOTH";
}

std::vector<const measured_cell*> worst_first(const regret_report& report, std::string_view arm) {
  std::vector<const measured_cell*> cells;
  for (const auto& cell : report.cells) {
    if (cell.arm == arm) cells.push_back(&cell);
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const auto* a, const auto* b) { return a->result.regret > b->result.regret; });
  return cells;
}

std::string closing_line(const regret_report& report) {
  const auto rows = rows_of(report);
  const auto good = std::count_if(rows.begin(), rows.end(), [](const regret_row& row) { return row.ok(); });
  return fmt::format("{} of {} arms within their limits; {} cells{}", good, rows.size(), report.cells.size(),
                     report.whole_grid ? "" : ", a part of the grid");
}

std::string times_of(const measured_cell& cell) {
  std::string text;
  for (const auto& [id, ns] : cell.median_ns)
    text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", name_of(id), ns);
  return text;
}

double rounded_to(double value, double digit) {
  return std::round(value / digit) * digit;
}

ordered_json to_json(const measured_cell& cell) {
  ordered_json ns;
  for (const auto& [id, median] : cell.median_ns) ns[std::string(name_of(id))] = rounded_to(median, 0.1);
  return {{"arm", cell.arm},
          {"n", cell.n},
          {"ready", cell.ready},
          {"detail", cell.detail},
          {"regret", rounded_to(cell.result.regret, 1e-4)},
          {"best", name_of(cell.result.best)},
          {"rounds", cell.rounds},
          {"median_ns", std::move(ns)}};
}

ordered_json to_json(const regret_row& row) {
  return {{"arm", row.arm.name},
          {"question", row.arm.question},
          {"cells", row.cells},
          {"median", rounded_to(row.median, 1e-4)},
          {"median_limit", row.arm.median_limit ? ordered_json(*row.arm.median_limit) : ordered_json()},
          {"worst", rounded_to(row.worst, 1e-4)},
          {"worst_limit", row.arm.worst_limit},
          {"worst_cell", row.worst_cell},
          {"ok", row.ok()}};
}

}  // namespace

double regret_row::rounded(double ratio) noexcept {
  return std::round(ratio * 100) / 100;
}

measured_cell summary_of(const regret_cell& cell, const cell_times& times) {
  measured_cell m{cell.arm, cell.n, cell.ready, cell.detail, cell.name(), regret_of(times), 0, {}};
  m.rounds = static_cast<int>(times.front().rounds.size());
  for (const auto& t : times) m.median_ns.emplace_back(t.id, gate::median(t.rounds));
  return m;
}

std::vector<regret_row> rows_of(const regret_report& report) {
  std::vector<regret_row> rows;
  for (const auto& arm : regret_arms()) {
    const auto cells = worst_first(report, arm.name);
    if (cells.empty()) continue;
    std::vector<double> regrets;
    for (const auto* cell : cells) regrets.push_back(cell->result.regret);
    rows.push_back(
        {arm, static_cast<int>(cells.size()), gate::median(regrets), regrets.front(), cells.front()->name});
  }
  return rows;
}

bool all_ok(const regret_report& report) {
  const auto rows = rows_of(report);
  return std::all_of(rows.begin(), rows.end(), [](const regret_row& row) { return row.ok(); });
}

std::string to_text(const regret_report& report) {
  constexpr auto line = "{:<10}{:>5} {:>7}{:>6} {:>7}{:>6}  {:<27}{}\n";
  std::string text = "regret = time of the adaptive backend / time of the best fixed one, same round\n";
  text += fmt::format(line, "arm", "cells", "median", "limit", "worst", "limit", "worst cell", "verdict");
  for (const auto& row : rows_of(report)) {
    text += fmt::format(line, row.arm.name, row.cells, fmt::format("{:.2f}", row.median),
                        limit_text(row.arm.median_limit), fmt::format("{:.2f}", row.worst),
                        limit_text(row.arm.worst_limit), row.worst_cell, verdict_of(row));
  }
  return text + closing_line(report) + "\n";
}

std::string to_markdown(const regret_report& report, bool with_picture) {
  std::string text =
      "# Regret\n\nTime of the adaptive backend over the time of the best fixed backend (poll, epoll, ";
  text +=
      "select) at the same work,\nmeasured in the same rounds. Below 1 the adaptive one is faster than each "
      "of them.\n\n";
  text += "| arm | what it does | cells | median | limit | worst | limit | worst cell | |\n";
  text += "|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& row : rows_of(report)) {
    text += fmt::format("| {} | {} | {} | {:.2f} | {} | {:.2f} | {} | {} | {} |\n", row.arm.name,
                        row.arm.question, row.cells, row.median, limit_text(row.arm.median_limit), row.worst,
                        limit_text(row.arm.worst_limit), row.worst_cell, verdict_of(row));
  }
  text += fmt::format("\n{}.\n", closing_line(report));
  if (with_picture) text += "\n![Regret by arm, descriptors and readiness](regret.svg)\n";
  text +=
      "\n## The worst cells of each arm\n\n| arm | cell | regret | best | ns per operation "
      "|\n|---|---|---|---|---|\n";
  for (const auto& row : rows_of(report)) {
    auto cells = worst_first(report, row.arm.name);
    cells.resize(std::min(cells.size(), worst_listed));
    for (const auto* cell : cells) {
      text += fmt::format("| {} | {} | {:.3f} | {} | {} |\n", cell->arm, cell->name, cell->result.regret,
                          name_of(cell->result.best), times_of(*cell));
    }
  }
  text +=
      fmt::format("\nMeasured {} on {}, Linux {}, {} CPUs; {} {}, commit {}{}.\n", report.at,
                  report.machine.cpu_model, report.machine.kernel, report.machine.cpus, report.build.compiler,
                  report.build.type, report.build.commit, report.build.dirty ? " and changes" : "");
  return text;
}

nlohmann::ordered_json to_json(const regret_report& report) {
  auto arms = ordered_json::array();
  for (const auto& row : rows_of(report)) arms.push_back(to_json(row));
  auto cells = ordered_json::array();
  for (const auto& cell : report.cells) cells.push_back(to_json(cell));
  return {{"schema", "selectors-perf-regret"},
          {"schema_version", 1},
          {"at", report.at},
          {"machine", gate::to_json(report.machine)},
          {"build", gate::to_json(report.build)},
          {"whole_grid", report.whole_grid},
          {"ok", all_ok(report)},
          {"arms", std::move(arms)},
          {"cells", std::move(cells)}};
}

}  // namespace selectors::perf
