// SPDX-License-Identifier: BSD-3-Clause
#include "app/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"
#include "app/manual/help_page.hpp"
#include "app/manual/usage_message.hpp"
#include "app/run/worker.hpp"
#include "app/terminal/terminal.hpp"
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

// `lufact help COMMAND` is `lufact COMMAND --help`, as with other programs.
std::vector<std::string> typed_words(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

int parse_and_run(const std::vector<std::string>& words, const Workloads& workloads) {
  CLI::App app("lufact: sparse LU factorization on GPUs, end to end, measured and verified",
               "lufact");
  app.set_version_flag("--version",
                       fmt::format("lufact {} ({})", build_info().version, build_info().git_sha));
  bool print_schema = false;
  app.add_flag("--print-schema", print_schema, "Print the JSON Schema of result files");
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "Examples:\n"
      "  lufact doctor\n"
      "  lufact describe matrix.mtx\n"
      "  lufact run matrix.mtx --peer klu,umfpack --output mine.json\n"
      "  lufact show mine.json\n\n"
      "lufact COMMAND --help says more of a command; lufact man shows all of it");
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
    // The parser takes the words behind the program from the last on.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::Success& asked_for_help) {
    if (const auto unknown = unknown_command_message(app, words)) {
      fmt::print(stderr, "{}", *unknown);
      return exit_status::usage;
    }
    std::ostringstream text;
    const int status = app.exit(asked_for_help, text, text);
    fmt::print("{}", text.str());
    return status;
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

// What is to be said of standard output that takes no more.
int lost_output(int reason, int status) {
  if (nobody_reads(reason)) return status;
  fmt::print(stderr, "lufact: cannot write to standard output: {}\n", std::strerror(reason));
  return exit_status::internal;
}

// What is printed last waits in a buffer, so that a full disk may show here alone.
int after_output(int status) {
  return std::fflush(stdout) == 0 ? status : lost_output(errno, status);
}

// The worker is no command of the user's: it is started by the supervisor alone.
bool is_worker(int argc, char** argv) {
  return argc == 2 && std::string(argv[1]) == "worker";
}

}  // namespace

int run_program(int argc, char** argv, const Workloads& workloads) {
  try {
    if (is_worker(argc, argv)) return run_worker(workloads);
    return after_output(parse_and_run(typed_words(argc, argv), workloads));
  } catch (const UsageError& error) {
    fmt::print(stderr, "lufact: {}\n", error.what());
    return exit_status::usage;
  } catch (const Error& error) {
    fmt::print(stderr, "lufact: {}\n", error.what());
    const bool unreadable = error.code() == "bad_matrix" || error.code() == "bad_result" ||
                            error.code() == "bad_permutation";
    if (unreadable) return exit_status::no_input;
    return error.outcome() == Outcome::error ? exit_status::internal : exit_status::not_ok;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return lost_output(error.code().value(), exit_status::ok);
    fmt::print(stderr, "lufact: internal error: {}\n", error.what());
    return exit_status::internal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lufact: internal error: {}\n", error.what());
    return exit_status::internal;
  }
}

}  // namespace lufact
