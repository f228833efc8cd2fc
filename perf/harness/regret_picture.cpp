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
set multiplot layout {down},{across} margins {left},{right},{bottom},{top} spacing {between},{below} \
  title "Regret: adaptive / best fixed backend, blue: faster than each" font ',15'
set palette defined (0.6 '#2166ac', 0.85 '#92c5de', 1 '#f7f7f7', 1.1 '#fddbc7', 1.25 '#ef8a62', 1.6 '#b2182b')
set cbrange [0.6:1.6]
unset colorbox
unset key
set style fill solid noborder
set tics scale 0 nomirror
set border 0
set xrange [-0.5:4.5]
set yrange [-0.5:8.5]
set xtics ({ready})
set ytics ({sizes})
)program";

// Pixels.
constexpr double panel_width = 230;
constexpr double panel_height = 270;
constexpr double left = 75;
constexpr double right = 15;
constexpr double top = 75;
constexpr double bottom = 55;
constexpr double between = 55;
constexpr double below = 100;

std::string head(std::size_t across, std::size_t down, const std::filesystem::path& picture) {
  const double width = left + static_cast<double>(across) * (panel_width + between) - between + right;
  const double height = top + static_cast<double>(down) * (panel_height + below) - below + bottom;
  return fmt::format(settings, fmt::arg("width", width), fmt::arg("height", height),
                     fmt::arg("picture", picture.string()), fmt::arg("across", across),
                     fmt::arg("down", down), fmt::arg("left", left / width),
                     fmt::arg("right", 1 - right / width), fmt::arg("bottom", bottom / height),
                     fmt::arg("top", 1 - top / height), fmt::arg("between", between / width),
                     fmt::arg("below", below / height), fmt::arg("ready", quoted_axis(column_labels)),
                     fmt::arg("sizes", quoted_axis(grid_sizes)));
}

std::string panel(std::string_view arm, const heat& map, bool first_of_row, std::size_t number) {
  std::string text = fmt::format("$data{} << END\n", number);
  for (const auto& [at, regret] : map) text += fmt::format("{} {} {:.4f}\n", at.column, at.row, regret);
  text += fmt::format("END\nset title '{}' offset 0,-0.7 font ',14'\n", arm);
  text += fmt::format("set ylabel '{}' offset 0.5\nset xlabel 'ready' offset 0,0.5\n",
                      first_of_row ? "descriptors" : "");
  return text + fmt::format(
                    "plot $data{0} using 1:2:(0.48):(0.47):3 with boxxyerror linecolor palette, \\\n"
                    "  '' using 1:2:(sprintf('%.2f', $3)):($3 > 1.35 || $3 < 0.72 ? 0xffffff : 0x202020) "
                    "with labels font ',11' textcolor rgb variable\n",
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
  auto program = head(across, down, picture);
  for (std::size_t i = 0; i < panels.size(); ++i)
    program += panel(panels[i].first, panels[i].second, i % across == 0, i);
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
