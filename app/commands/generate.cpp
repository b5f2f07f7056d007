// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/generate.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/config/typed_values.hpp"
#include "core/generate/matrix_market_writer.hpp"

namespace lufact {
namespace {

struct GenerateOptions {
  GeneratorFacts facts;
  std::string output;
};

void add_kind(CLI::App& command, const GeneratorKind& kind, GenerateOptions& options) {
  CLI::App* parser = command.add_subcommand(std::string(kind.name), std::string(kind.description));
  for (const GeneratorSize& size : kind.sizes) {
    const std::string name(size.name);
    parser
        ->add_option_function<Offset>(
            "--" + name,
            [&options, name](Offset value) { options.facts.sizes.emplace_back(name, value); },
            std::string(size.description))
        ->default_str(fmt::format("{}", size.default_value));
  }
  parser->add_option("--seed", options.facts.seed, "Of structure and values")
      ->capture_default_str();
  parser->add_option("--output", options.output, "File to write, .mtx or .mtx.gz")
      ->required()
      ->type_name("FILE");
  parser->callback([&options, name = kind.name] { options.facts.kind = std::string(name); });
}

int run_generate(const GenerateOptions& options) {
  require_writable("--output", options.output);
  const GeneratorFacts facts = complete_generator_facts(options.facts);
  const CsrMatrix matrix = generate_matrix(facts);
  write_matrix_market(options.output, matrix, facts);
  fmt::print("{}: {} x {}, {} entries\n", options.output, matrix.pattern.n_rows,
             matrix.pattern.n_cols, matrix.pattern.nnz());
  return 0;
}

}  // namespace

Command add_generate_command(CLI::App& app) {
  const auto options = std::make_shared<GenerateOptions>();
  options->facts.seed = 1;
  CLI::App* command = app.add_subcommand("generate", "Write a synthetic matrix");
  command->require_subcommand(1);
  for (const GeneratorKind& kind : generator_kinds()) add_kind(*command, kind, *options);
  return {command, [options] { return run_generate(*options); }};
}

}  // namespace lufact
