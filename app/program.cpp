// SPDX-License-Identifier: BSD-3-Clause
#include "app/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"
#include "app/manual/help_page.hpp"
#include "app/manual/usage_message.hpp"
#include "app/run/worker.hpp"
#include "core/base/error.hpp"
#include "core/report/build_info.hpp"
#include "core/report/result_schema.hpp"

namespace lufact {
namespace {

CommandFacts facts_of_program(const CLI::App& app, const std::vector<Command>& commands) {
  AcceptedWords accepted;
  for (const Command& command : commands) accepted[command.parser] = command.accepted;
  return command_facts(app, app.get_name(), accepted);
}

int parse_and_run(int argc, char** argv, const Workloads& workloads) {
  const std::vector<std::string> words(argv, argv + argc);
  CLI::App app("lufact: sparse LU factorization on GPUs, end to end, measured and verified",
               "lufact");
  app.set_version_flag("--version",
                       fmt::format("lufact {} ({})", build_info().version, build_info().git_sha));
  bool print_schema = false;
  app.add_flag("--print-schema", print_schema, "Print the JSON Schema of result files");
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer("lufact COMMAND --help says more of a command; lufact man shows all of it");
  std::vector<Command> commands;
  const auto facts = [&] { return facts_of_program(app, commands); };
  for (const auto& workload : workloads) commands.push_back(workload->add_command(app, words));
  commands.insert(
      commands.end(),
      {add_sweep_command(app, workloads, words), add_list_command(app), add_describe_command(app),
       add_plot_command(app), add_generate_command(app), add_fetch_command(app),
       add_doctor_command(app), add_validate_command(app, workloads), add_compare_command(app),
       add_calibrate_command(app), add_show_command(app, workloads),
       add_completion_command(app, facts), add_man_command(app, facts)});
  check_numbers(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}", usage_message(app, error, words));
    return exit_status::usage;
  }
  if (print_schema) {
    fmt::print("{}\n", result_schema());
    return exit_status::ok;
  }
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.run();
  }
  fmt::print("{}", app.help());
  return exit_status::usage;
}

// The worker is no command of the user's: it is started by the supervisor alone.
bool is_worker(int argc, char** argv) {
  return argc == 2 && std::string(argv[1]) == "worker";
}

}  // namespace

int run_program(int argc, char** argv, const Workloads& workloads) {
  try {
    return is_worker(argc, argv) ? run_worker(workloads) : parse_and_run(argc, argv, workloads);
  } catch (const UsageError& error) {
    fmt::print(stderr, "lufact: {}\n", error.what());
    return exit_status::usage;
  } catch (const Error& error) {
    fmt::print(stderr, "lufact: {}\n", error.what());
    const bool unreadable = error.code() == "bad_matrix" || error.code() == "bad_result" ||
                            error.code() == "bad_permutation";
    if (unreadable) return exit_status::no_input;
    return error.outcome() == Outcome::error ? exit_status::internal : exit_status::not_ok;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lufact: internal error: {}\n", error.what());
    return exit_status::internal;
  }
}

}  // namespace lufact
