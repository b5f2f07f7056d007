// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.hpp"
#include "app/config/command_line.hpp"
#include "app/config/option_values.hpp"
#include "app/config/typed_values.hpp"
#include "app/describe/description_text.hpp"
#include "core/base/error.hpp"
#include "core/generate/output_file.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

struct DescribeCommand {
  DescribeOptions options;
  bool json = false;
  std::optional<std::string> output;
};

int run_describe(const DescribeCommand& command) {
  visit_options(RangeCheck{}, command.options);
  check(command.options.matrix);
  if (command.output) require_writable("--output", *command.output);
  const MatrixDescription description = describe_matrix(command.options);
  const std::string json = dump_json(to_json(description), 2) + "\n";
  fmt::print("{}", command.json ? json : description_text(description));
  if (command.output) {
    generate::OutputFile file(*command.output, false);
    file.write(json);
    file.commit();
  }
  return 0;
}

}  // namespace

Command add_describe_command(CLI::App& app) {
  using namespace option_groups;
  const auto command = std::make_shared<DescribeCommand>();
  CLI::App* parser = app.add_subcommand(
      "describe", "What a matrix is, what every mode will need for it, and which one to take");
  DescribeOptions& options = command->options;
  add_matrix(*parser, options.matrix);
  HelpTexts help = matrix_help("Fill-reducing ordering [each mode's own]");
  visit_options(CommandLine(*parser, std::move(help), true), options);
  parser->add_flag("--json", command->json, "As JSON")->group(output);
  parser->add_option("--output", command->output, "Write the JSON to this file")
      ->group(output)
      ->type_name("FILE");
  parser->footer(
      "Examples:\n"
      "  lufact describe circuit.mtx\n"
      "  lufact describe circuit.mtx --expect-refactorizations 1000 --output circuit.json\n"
      "  lufact describe circuit.mtx --device-memory-limit 16GiB");
  return {parser, [command] { return run_describe(*command); }};
}

}  // namespace lufact
