// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/config/command_line.hpp"
#include "app/describe/matrix_options.hpp"
#include "app/describe/matrix_orderer.hpp"
#include "core/base/error.hpp"
#include "core/base/format_count.hpp"
#include "core/base/memory_limit.hpp"
#include "core/generate/output_file.hpp"
#include "core/plot/fill_density.hpp"
#include "core/plot/html_page.hpp"
#include "core/plot/matrix_figures.hpp"
#include "core/report/build_info.hpp"
#include "core/structure/elimination_analysis.hpp"
#include "core/structure/tree_levels.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

struct PlotCommand {
  MatrixOptions matrix;
  std::optional<std::string> output;
};

// The lists of rows that fill is counted from may take this part of the host's memory.
constexpr std::uint64_t part_of_memory = 4;

fs::path make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw UsageError(fmt::format("--output '{}' is no folder and cannot be made: {}",
                                 folder.string(), error ? error.message() : "it is a file"));
  }
  return folder;
}

void write_file(const fs::path& path, const std::string& text) {
  generate::OutputFile file(path.string(), false);
  file.write(text);
  file.commit();
}

std::vector<std::pair<std::string, std::string>> page_facts(const MatrixFacts& facts,
                                                            const OrderedMatrix& ordered,
                                                            const EliminationAnalysis& analysis,
                                                            Offset levels) {
  return {{"Rows", format_count(facts.n)},
          {"Entries", format_count(facts.nnz)},
          {"Structural symmetry", fmt::format("{:.4f}", facts.structural_symmetry)},
          {"Ordering", ordered.chosen},
          {analysis.exact() ? "Entries of L + U" : "Entries of L + U, at most",
           format_count(analysis.nnz_lu())},
          {"Operations of elimination", plot::with_unit(analysis.flops())},
          {"Levels of the elimination tree", format_count(levels)},
          {"SHA-256 of the file", facts.sha256.substr(0, 16)}};
}

// Each part is let go before the next is made: the fill needs the most.
plot::Page make_page(const InputMatrix& input, const MatrixOptions& options) {
  const StageOptions stage = stage_options(options);
  const Catalogue catalogue = make_catalogue();
  const std::string default_ordering = catalogue.mode(catalogue.oracle_mode).stages.ordering;
  const MatrixOrderer orderer(catalogue, input.matrix, stage);
  const OrderedMatrix ordered = orderer.order(ordering_of(options, default_ordering));
  const EliminationAnalysis analysis(*ordered.matrix, stage.threads);
  const std::vector<Index> height = tree_heights(analysis.parent());
  const std::vector<Offset> widths = level_widths(height);
  const plot::DensityGrid b = plot::pattern_density(ordered.matrix->pattern.view());
  plot::Page page{
      .title = input.facts.name,
      .facts = page_facts(input.facts, ordered, analysis, std::ssize(widths)),
      .figures = {},
      .made_by = fmt::format("Made by lufact {} from {}", build_info().version, input.facts.path)};
  page.figures.push_back(plot::input_figure(plot::pattern_density(input.matrix.pattern.view())));
  page.figures.push_back(plot::ordered_figure(b, orderer.scaling(), ordered.chosen));
  page.figures.push_back(plot::factor_figure(
      b, plot::fill_density(analysis.nested_columns(usable_memory() / part_of_memory)),
      analysis.exact()));
  page.figures.push_back(plot::tree_figure(height));
  page.figures.push_back(plot::level_figure(widths));
  page.figures.push_back(plot::front_figure(analysis.fronts(stage.rates.front_path)));
  page.figures.push_back(plot::degree_figure(degrees_of(input.matrix.pattern.view())));
  return page;
}

int run_plot(const PlotCommand& command) {
  check(command.matrix);
  const InputMatrix input = read_matrix(command.matrix);
  const fs::path folder = make_folder(command.output.value_or(input.facts.name + "-plot"));
  const plot::Page page = make_page(input, command.matrix);
  for (const plot::Figure& figure : page.figures) {
    write_file(folder / (figure.name + ".svg"), plot::svg_file(figure));
  }
  write_file(folder / "index.html", plot::html_page(page));
  fmt::print("{}: a page of {} figures, which lie beside it\n", (folder / "index.html").string(),
             page.figures.size());
  return 0;
}

}  // namespace

Command add_plot_command(CLI::App& app) {
  using namespace option_groups;
  const auto command = std::make_shared<PlotCommand>();
  CLI::App* parser = app.add_subcommand(
      "plot", "Pictures of a matrix, its fill, elimination tree and fronts: SVG and one HTML page");
  add_matrix(*parser, command->matrix);
  HelpTexts help = matrix_help("Fill-reducing ordering [amd]");
  visit_options(CommandLine(*parser, std::move(help), true), command->matrix);
  parser
      ->add_option("--output", command->output,
                   "Folder of the files [NAME-plot, NAME being that of the matrix]")
      ->group(output)
      ->type_name("FOLDER");
  parser->footer(
      "Examples:\n"
      "  lufact plot circuit.mtx\n"
      "  lufact plot circuit.mtx --ordering nd-parallel --output pictures");
  return {parser, [command] { return run_plot(*command); }};
}

}  // namespace lufact
