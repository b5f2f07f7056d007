// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "app/commands/commands.hpp"
#include "app/config/run_options.hpp"
#include "app/run/supervisor.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {

Command add_run_command(CLI::App& app, std::vector<std::string> argv) {
  const auto config = std::make_shared<RunConfig>();
  CLI::App* command = app.add_subcommand("run", "Factor matrices, verify, measure every step");
  add_run_options(*command, *config, accepted_names(make_catalogue()));
  return {command, [command, config, argv = std::move(argv)] {
            complete_config(*command, *config);
            return supervise(*config, argv);
          }};
}

}  // namespace lufact
