// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"

namespace lufact {
namespace {

int validate_file(const std::string& path, const Workloads& workloads) {
  const nlohmann::json result(read_result_json(path));
  std::vector<std::string> faults = schema_violations(result);
  if (faults.empty()) faults = consistency_violations(result, facts_of(workloads));
  for (const std::string& fault : faults) fmt::print(stderr, "{}: {}\n", path, fault);
  if (faults.empty()) fmt::print("{}: valid\n", path);
  return faults.empty() ? exit_status::ok : exit_status::not_ok;
}

}  // namespace

Command add_validate_command(CLI::App& app, const Workloads& workloads) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("validate", "Check a result file against the schema");
  command->add_option("result", *path, "Result file: .json, .json.gz or .json.xz")->required();
  return {command, [path, &workloads] { return validate_file(*path, workloads); }};
}

}  // namespace lufact
