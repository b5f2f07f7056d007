// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.hpp"
#include "app/config/command_line.hpp"
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

// Opened before the work, so that a wrong path costs nothing.
std::unique_ptr<generate::OutputFile> open_output(const std::optional<std::string>& path) {
  if (!path) return nullptr;
  try {
    return std::make_unique<generate::OutputFile>(*path, false);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--output: {}", error.what()));
  }
}

int run_describe(const DescribeCommand& command) {
  if (command.options.expect_refactorizations < 0) {
    throw UsageError("--expect-refactorizations is out of range; accepted: 0 or more");
  }
  const auto file = open_output(command.output);
  const MatrixDescription description = describe_matrix(command.options);
  const std::string json = dump_json(to_json(description), 2) + "\n";
  fmt::print("{}", command.json ? json : description_text(description));
  if (file) {
    file->write(json);
    file->commit();
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
  add_matrix_options(*parser, options.matrix, "Fill-reducing ordering [each mode's own]");
  CommandLine add(*parser, {}, true);
  add(Option{"--expect-refactorizations", "expect_refactorizations", measuring,
             "Factorizations after the first that times and choices plan for"},
      options.expect_refactorizations, at_least(0, "0 or more"));
  add(Option{"--device", "device", machine, "CUDA device number"}, options.device);
  add(Option{"--device-memory-limit", "device_memory_limit", machine,
             "Device memory that runs may use, such as 16GiB; without a device, that of the card "
             "to plan for"},
      options.device_memory_limit, ByteSize{});
  add(Option{"--host-memory-limit", "host_memory_limit", machine,
             "Host memory that runs may use, such as 8GiB"},
      options.host_memory_limit, ByteSize{});
  parser->add_flag("--json", command->json, "As JSON")->group(output);
  parser->add_option("--output", command->output, "Write the JSON to this file")->group(output);
  parser->footer(
      "Examples:\n"
      "  lufact describe circuit.mtx\n"
      "  lufact describe circuit.mtx --expect-refactorizations 1000 --output circuit.json\n"
      "  lufact describe circuit.mtx --device-memory-limit 16GiB");
  return {parser, [command] { return run_describe(*command); }};
}

}  // namespace lufact
