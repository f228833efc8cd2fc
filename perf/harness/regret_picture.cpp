#include "harness/regret_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "gate/file_io.hpp"
#include "harness/process.hpp"

namespace selectors::perf {
namespace {

constexpr std::array<std::string_view, 5> columns{"0", "1", "10%", "50%", "all"};
// The label of a tic is a format of printf(3).
constexpr std::array<std::string_view, 5> column_labels{"0", "1", "10%%", "50%%", "all"};

struct place {
  std::size_t column;
  std::size_t row;

  friend auto operator<=>(const place&, const place&) = default;
};
using heat = std::map<place, double>;  // the worst regret of each place

heat heat_of(const regret_report& report, std::string_view arm) {
  heat map;
  for (const auto& cell : report.cells) {
    const auto column = std::find(columns.begin(), columns.end(), cell.ready);
    const auto* const size = std::find(std::begin(grid_sizes), std::end(grid_sizes), cell.n);
    if (cell.arm != arm || column == columns.end() || size == std::end(grid_sizes)) continue;
    auto& worst = map[{static_cast<std::size_t>(column - columns.begin()),
                       static_cast<std::size_t>(size - std::begin(grid_sizes))}];
    worst = std::max(worst, cell.result.regret);
  }
  return map;
}

std::string quoted_axis(const auto& names) {
  std::string text;
  for (std::size_t i = 0; i < std::size(names); ++i)
    text += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", names[i], i);
  return text;
}

constexpr auto settings =
    R"program(set terminal svg size {width},{height} font 'sans-serif,13' background rgb 'white'
set output '{picture}'
set multiplot layout {rows},{columns} title "Regret: time of the adaptive backend / time of the best fixed one (blue: faster than each)" font ',16' margins 0.05,0.97,0.07,0.87 spacing 0.05,0.10
set palette defined (0.6 '#2166ac', 0.85 '#92c5de', 1 '#f7f7f7', 1.1 '#fddbc7', 1.25 '#ef8a62', 1.6 '#b2182b')
set cbrange [0.6:1.6]
unset colorbox
unset key
set tics scale 0 nomirror
set border 0
set xrange [-0.5:4.5]
set yrange [-0.5:8.5]
set xtics ({ready})
set ytics ({sizes})
)program";

std::string panel(std::string_view arm, const heat& map, bool first_of_row, bool last_of_column,
                  std::size_t number) {
  std::string text = fmt::format("$data{} << END\n", number);
  for (const auto& [at, regret] : map) text += fmt::format("{} {} {:.4f}\n", at.column, at.row, regret);
  text += fmt::format("END\nset title '{}' offset 0,-0.5\n", arm);
  text += fmt::format("set ylabel '{}' offset 1\n", first_of_row ? "descriptors" : "");
  text += fmt::format("set xlabel '{}' offset 0,0.5\n", last_of_column ? "ready" : "");
  return text +
         fmt::format(
             "plot $data{0} using 1:2:3 with image pixels, '' using 1:2:(sprintf('%.2f', $3)):"
             "(($3 > 1.35 || $3 < 0.72) ? 0xffffff : 0x202020) with labels font ',11' tc rgb variable\n",
             number);
}

}  // namespace

std::string gnuplot_program(const regret_report& report, const std::filesystem::path& picture) {
  std::vector<std::pair<std::string_view, heat>> panels;
  for (const auto& arm : regret_arms()) {
    if (auto map = heat_of(report, arm.name); !map.empty()) panels.emplace_back(arm.name, std::move(map));
  }
  if (panels.empty()) return {};
  const std::size_t across = std::min<std::size_t>(panels.size(), 4);
  const std::size_t down = (panels.size() + across - 1) / across;
  std::string program =
      fmt::format(settings, fmt::arg("width", 60 + 275 * across), fmt::arg("height", 80 + 330 * down),
                  fmt::arg("picture", picture.string()), fmt::arg("rows", down), fmt::arg("columns", across),
                  fmt::arg("ready", quoted_axis(column_labels)), fmt::arg("sizes", quoted_axis(grid_sizes)));
  for (std::size_t i = 0; i < panels.size(); ++i)
    program += panel(panels[i].first, panels[i].second, i % across == 0, i + across >= panels.size(), i);
  return program + "unset multiplot\n";
}

std::string draw_regret(const regret_report& report, const std::filesystem::path& picture) {
  std::filesystem::remove(picture);
  const auto program = gnuplot_program(report, picture);
  if (program.empty()) return "no cell has a place in it";
  const auto file = std::filesystem::path(picture).replace_extension(".gnuplot");
  gate::write_file_atomically(file, program);
  const auto drawn = run_process({"gnuplot", file.string()}, std::chrono::minutes(1));
  if (!drawn.started) return "no gnuplot on this machine";
  if (!drawn.succeeded()) return "gnuplot failed: " + drawn.errors.substr(0, drawn.errors.find('\n'));
  return {};
}

}  // namespace selectors::perf
