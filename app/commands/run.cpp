// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "app/commands/commands.hpp"
#include "app/config/run_options.hpp"
#include "app/run/supervisor.hpp"

namespace lufact {

Command add_run_command(CLI::App& app, std::vector<std::string> argv) {
  const auto config = std::make_shared<RunConfig>();
  CLI::App* command = app.add_subcommand("run", "Factor matrices, verify, measure every step");
  command->add_option("--matrix", config->matrices, "Matrix Market file(s), comma-separated")
      ->required()
      ->delimiter(',');
  command
      ->add_option("--mode", config->modes,
                   "Preset(s) of stages: auto | ooc | cpu; none: peers only")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--output", config->output,
                      "Result file: F.json, F.json.gz or F.json.xz; - for standard output");
  command->add_flag("--quiet", config->quiet, "No table, no progress; errors are still told");
  add_variant_options(*command, *config);
  return {command, [command, config, argv = std::move(argv)] {
            complete_config(*command, *config);
            return supervise(*config, argv);
          }};
}

}  // namespace lufact
