// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/run/worker.hpp"
#include "core/base/error.hpp"
#include "core/report/build_info.hpp"
#include "core/report/result_schema.hpp"

namespace lufact {
namespace {

int parse_and_run(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  CLI::App app("lufact: sparse LU factorization on GPUs, end to end, measured and verified",
               "lufact");
  app.set_version_flag("--version",
                       fmt::format("lufact {} ({})", build_info().version, build_info().git_sha));
  bool print_schema = false;
  app.add_flag("--print-schema", print_schema, "Print the JSON Schema of result files");
  app.require_subcommand(0, 1);
  const std::vector<Command> commands{add_run_command(app, words), add_sweep_command(app, words),
                                      add_list_command(app),       add_describe_command(app),
                                      add_generate_command(app),   add_doctor_command(app),
                                      add_validate_command(app),   add_compare_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_status::ok : exit_status::usage;
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
}  // namespace lufact

int main(int argc, char** argv) {
  using namespace lufact;
  try {
    return is_worker(argc, argv) ? run_worker() : parse_and_run(argc, argv);
  } catch (const UsageError& error) {
    fmt::print(stderr, "lufact: {}\n", error.what());
    return exit_status::usage;
  } catch (const Error& error) {
    fmt::print(stderr, "lufact: {}\n", error.what());
    const bool unreadable = error.code() == "bad_matrix" || error.code() == "bad_result";
    if (unreadable) return exit_status::no_input;
    return error.outcome() == Outcome::error ? exit_status::internal : exit_status::not_ok;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lufact: internal error: {}\n", error.what());
    return exit_status::internal;
  }
}
