// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"

namespace lufact {
namespace {

bool is_valid(const std::string& path, const Workloads& workloads) {
  const nlohmann::json result(read_result_json(path));
  std::vector<std::string> faults = schema_violations(result);
  if (faults.empty()) faults = consistency_violations(result, facts_of(workloads));
  for (const std::string& fault : faults) fmt::print(stderr, "{}: {}\n", path, fault);
  if (faults.empty()) fmt::print("{}: valid\n", path);
  return faults.empty();
}

int validate_files(const std::vector<std::string>& paths, const Workloads& workloads) {
  bool valid = true;
  for (const std::string& path : paths) valid = is_valid(path, workloads) && valid;
  return valid ? exit_status::ok : exit_status::not_ok;
}

}  // namespace

Command add_validate_command(CLI::App& app, const Workloads& workloads) {
  const auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("validate", "Check result files against the schema");
  command->add_option("results", *paths, "Result files: .json, .json.gz or .json.xz")->required();
  return {command, [paths, &workloads] { return validate_files(*paths, workloads); }};
}

}  // namespace lufact
