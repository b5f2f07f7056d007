// SPDX-License-Identifier: BSD-3-Clause
#include "core/plot/matrix_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/format_count.hpp"
#include "core/plot/bar_chart.hpp"
#include "core/plot/bins.hpp"
#include "core/plot/density_chart.hpp"
#include "core/plot/svg_writer.hpp"

namespace lufact::plot {
namespace {

constexpr double first_top = 36;       // of a plot, below the heading
constexpr double first_bars_top = 60;  // that has the name of its axis above
constexpr double bars_height = 150, between_panels = 34;
constexpr double tree_height = 300;
constexpr std::size_t most_level_bins = 50;
constexpr Index most_tree_columns = 200, most_tree_rows = 150;

std::string cells_text(const CellAxis& axis) {
  return axis.cells == axis.size
             ? std::string("Every cell is one entry.")
             : fmt::format("A cell is {} rows by as many columns.",
                           format_count((axis.size + axis.cells - 1) / axis.cells));
}

// Draws the pattern with its row and column numbers at the corners.
void draw_pattern(Figure& figure, const DensityGrid& grid,
                  const std::vector<DensityLayer>& layers) {
  SvgWriter svg;
  const double bottom = draw_density(svg, grid, layers, first_top, plot_width);
  svg.label(plot_left - 6, first_top + 12, "end", "1");
  svg.label(plot_left - 6, first_top + plot_width, "end",
            with_unit(static_cast<double>(grid.rows.size)));
  figure.content = std::move(svg).take();
  figure.height = bottom;
}

bool every_cell(Index, Index) {
  return true;
}

Figure pattern_figure(std::string name, std::string title, const std::string& what,
                      const DensityGrid& grid) {
  Figure figure{.name = std::move(name), .title = std::move(title)};
  figure.description =
      fmt::format("{}: {} rows and {} entries. {}", what, format_count(grid.rows.size),
                  format_count(grid.total()), cells_text(grid.rows));
  draw_pattern(figure, grid, {{"entry", "Entries", every_cell}});
  return figure;
}

std::vector<Bar> bars_of(std::span<const Bin> bins, const std::string& of_what) {
  std::vector<Bar> bars;
  for (const Bin& bin : bins) {
    bars.push_back({with_unit(static_cast<double>(bin.first)), static_cast<double>(bin.count),
                    fmt::format("{} {}: {}", of_what, text_of(bin), format_count(bin.count))});
  }
  return bars;
}

std::vector<std::vector<std::string>> rows_of(std::span<const Bin> bins) {
  std::vector<std::vector<std::string>> rows;
  for (const Bin& bin : bins) rows.push_back({text_of(bin), format_count(bin.count)});
  return rows;
}

// The fronts by order, with the share of all operations that each bin has.
struct FrontBins {
  std::vector<Bin> orders;
  std::vector<double> share;
  Offset fronts = 0, largest = 0;
};

FrontBins bins_of(const Supernodes& fronts) {
  std::vector<Offset> orders;
  std::vector<double> flops;
  for (Index f = 0; f < fronts.count(); ++f) {
    const Offset pivots = fronts.first[at(f) + 1] - fronts.first[at(f)];
    orders.push_back(pivots + fronts.rows[at(f)]);
    flops.push_back(front_flops(pivots, fronts.rows[at(f)]));
  }
  FrontBins bins{.orders = histogram(orders), .share = {}};
  bins.fronts = std::ssize(orders);
  bins.largest = orders.empty() ? 0 : *std::ranges::max_element(orders);
  bins.share.assign(bins.orders.size(), 0);
  const double all = std::max(1.0, std::accumulate(flops.begin(), flops.end(), 0.0));
  for (std::size_t f = 0; f < orders.size(); ++f) {
    bins.share[bin_of(bins.orders, orders[f])] += flops[f] / all;
  }
  return bins;
}

}  // namespace

double front_flops(Offset pivots, Offset rows) noexcept {
  // below + 2 below^2 for below = rows .. rows + pivots - 1.
  const auto p = static_cast<double>(pivots), r = static_cast<double>(rows);
  const double sum = p * r + p * (p - 1) / 2;
  const double squares = p * r * r + r * p * (p - 1) + p * (p - 1) * (2 * p - 1) / 6;
  return sum + 2 * squares;
}

Figure input_figure(const DensityGrid& a) {
  return pattern_figure("pattern", "The matrix as it is", "Entries of A", a);
}

Figure ordered_figure(const DensityGrid& b, const std::string& matching,
                      const std::string& ordering) {
  return pattern_figure("ordered", fmt::format("Matched by {}, ordered by {}", matching, ordering),
                        "Entries of A with rows and columns permuted, its diagonal complete", b);
}

Figure factor_figure(const DensityGrid& b, const DensityGrid& factors, bool exact) {
  Figure figure{.name = "factors",
                .title = exact ? "L + U with fill" : "L + U with fill (at most)"};
  figure.description = fmt::format(
      "Entries of L + U: {}, {:.2f} times those of the permuted matrix. {} {}",
      format_count(factors.total()),
      static_cast<double>(factors.total()) / static_cast<double>(std::max<Offset>(1, b.total())),
      exact ? "The counts are exact."
            : "They are those of A + A', a bound of the pattern, which is not symmetric.",
      cells_text(factors.rows));
  const auto has_entries = [&b](Index r, Index c) { return b.at_cell(r, c) > 0; };
  const auto has_none = [&b](Index r, Index c) { return b.at_cell(r, c) == 0; };
  draw_pattern(figure, factors,
               {{"entry", "L + U where the matrix has entries", has_entries},
                {"fill", "Fill alone", has_none}});
  return figure;
}

Figure tree_figure(std::span<const Index> height) {
  const DensityGrid grid = tree_density(height, most_tree_columns, most_tree_rows);
  Figure figure{.name = "tree", .title = "Elimination tree by height"};
  figure.description = fmt::format(
      "Columns from left to right in postorder, so that every subtree is a range; the leaves are "
      "at the bottom, the highest of {} levels is at the top. A branch that goes far up alone is a "
      "chain of columns that wait for one another.",
      format_count(grid.rows.size));
  SvgWriter svg;
  figure.height =
      draw_density(svg, grid, {{"entry", "Columns", every_cell}}, first_top, tree_height);
  svg.label(plot_left - 6, first_top + 12, "end", with_unit(static_cast<double>(grid.rows.size)));
  svg.label(plot_left - 6, first_top + tree_height, "end", "1");
  figure.content = std::move(svg).take();
  return figure;
}

Figure level_figure(std::span<const Offset> widths) {
  const std::vector<Bin> bins = sums_of_neighbours(widths, most_level_bins);
  const Offset widest = widths.empty() ? 0 : *std::ranges::max_element(widths);
  const Offset each = bins.empty() ? 1 : bins.front().last - bins.front().first + 1;
  Figure figure{.name = "levels", .title = "Columns of each level"};
  figure.description = fmt::format(
      "Columns of one level of the elimination tree do not wait for one another. There are {} "
      "levels; the widest has {} columns.",
      format_count(std::ssize(widths)), format_count(widest));
  figure.table = {{"Levels from the leaves", "Columns"}, rows_of(bins)};
  SvgWriter svg;
  const std::string value_name =
      each == 1 ? std::string("Columns") : fmt::format("Columns of {} levels", each);
  figure.height = draw_bars(svg, bars_of(bins, "Levels"),
                            {.value_name = value_name, .bar_name = "Level, from the leaves"},
                            first_bars_top, bars_height);
  figure.content = std::move(svg).take();
  return figure;
}

Figure front_figure(const Supernodes& fronts) {
  const FrontBins bins = bins_of(fronts);
  Figure figure{.name = "fronts", .title = "Front sizes"};
  figure.description = fmt::format(
      "Fronts are the dense matrices that the front modes factor: {} of them, the largest of order "
      "{}. Above how many there are of each order, below which of them have the operations.",
      format_count(bins.fronts), format_count(bins.largest));
  figure.table.head = {"Order", "Fronts", "Share of operations"};
  std::vector<Bar> shares;
  for (std::size_t k = 0; k < bins.orders.size(); ++k) {
    const std::string percent = fmt::format("{:.2f}%", 100 * bins.share[k]);
    figure.table.rows.push_back(
        {text_of(bins.orders[k]), format_count(bins.orders[k].count), percent});
    shares.push_back({with_unit(static_cast<double>(bins.orders[k].first)), bins.share[k],
                      fmt::format("Order {}: {}", text_of(bins.orders[k]), percent)});
  }
  SvgWriter svg;
  const double middle =
      draw_bars(svg, bars_of(bins.orders, "Order"), {.value_name = "Fronts", .bar_name = "Order"},
                first_bars_top, bars_height);
  figure.height = draw_bars(svg, shares,
                            {.value_name = "Share of operations",
                             .bar_name = "Order",
                             .css_class = "fill",
                             .percent = true},
                            middle + between_panels, bars_height);
  figure.content = std::move(svg).take();
  return figure;
}

Figure degree_figure(const Degrees& degrees) {
  const std::vector<Bin> rows = histogram(degrees.of_rows);
  const std::vector<Bin> columns = histogram(degrees.of_columns);
  Figure figure{.name = "degrees", .title = "Entries of rows and columns"};
  const auto most = [](const std::vector<Offset>& list) {
    return list.empty() ? Offset{0} : *std::ranges::max_element(list);
  };
  figure.description = fmt::format(
      "How many rows and columns have how many entries. The fullest row has {}, the "
      "fullest column {}.",
      format_count(most(degrees.of_rows)), format_count(most(degrees.of_columns)));
  figure.table.head = {"Entries", "Rows or columns"};
  for (const auto& [name, bins] : {std::pair{"of a row: ", &rows}, {"of a column: ", &columns}}) {
    for (std::vector<std::string> row : rows_of(*bins)) {
      row.front() = name + row.front();
      figure.table.rows.push_back(std::move(row));
    }
  }
  SvgWriter svg;
  const double middle = draw_bars(svg, bars_of(rows, "Rows of"),
                                  {.value_name = "Rows", .bar_name = "Entries of a row"},
                                  first_bars_top, bars_height);
  figure.height = draw_bars(svg, bars_of(columns, "Columns of"),
                            {.value_name = "Columns", .bar_name = "Entries of a column"},
                            middle + between_panels, bars_height);
  figure.content = std::move(svg).take();
  return figure;
}

}  // namespace lufact::plot
