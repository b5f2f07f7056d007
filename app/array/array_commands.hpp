// SPDX-License-Identifier: BSD-3-Clause
// What the workloads on dense matrices have in common beside their options and inputs.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/config/command_line.hpp"
#include "app/run/supervisor.hpp"
#include "app/workload/workload.hpp"
#include "core/base/error.hpp"

namespace lufact {

// What a command asks of the supervisor; inputs and plan are the caller's.
template <class Config>
SupervisedRuns supervised_runs(const Workload& workload, const Config& config) {
  SupervisedRuns runs{.workload = workload};
  runs.config = to_json(config);
  runs.output = config.output;
  runs.device = config.device;
  runs.seed = config.seed;
  runs.quiet = config.quiet;
  runs.resume = config.resume;
  return runs;
}

// What a command line is, but for its options.
struct CommandTexts {
  const char *name, *description, *examples;
  HelpTexts help;
};

// The command whose options are those of Config; `run` gets what was typed.
template <class Config, class Run>
Command array_command(CLI::App& app, CommandTexts texts, Run run) {
  const auto config = std::make_shared<Config>();
  CLI::App* const command = app.add_subcommand(texts.name, texts.description);
  command->footer(std::string("Examples:\n") + texts.examples);
  visit_options(CommandLine(*command, texts.help, true), *config);
  return {command, [config, run = std::move(run)] { return run(std::as_const(*config)); },
          std::move(texts.help.names)};
}

// What the command makes of `--variant VARIANT` and the options of a sweep. Throws UsageError, also
// for those that are `refused`, with the reason.
template <class Config>
Config swept_config(const std::string& variant, const OptionTexts& options,
                    std::initializer_list<const char*> refused, const std::string& reason) {
  for (const char* const option : refused) {
    if (options.contains(option)) throw UsageError(option + (" " + reason + "; leave it out"));
  }
  Config config;
  config.variants = {variant};
  CLI::App parser;
  visit_options(CommandLine(parser, {}, false), config);
  parse_texts(parser, options);
  return config;
}

// The input of a sweep that `file` names, the end of which is `path`, what is looked for in
// `folders`; `open` makes an input of a name and such a text. `accepted`: the kinds of files, for
// the UsageError where `path` is empty.
FoundInput find_array_file(const std::string& name, const std::string& file,
                           const std::string& path, const std::string& accepted,
                           const std::vector<std::string>& folders,
                           Input (*open)(const std::string& name, const std::string& text));

InputHash hash_of_array_input(const Input& input);

}  // namespace lufact
