// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/result_schema.hpp"

#include <algorithm>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "core/report/run_header.hpp"

namespace lufact {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

// {"<root>", "[runs]", "[0]", "[factors]"} becomes "runs[0].factors".
std::string readable_path(const std::vector<std::string>& context) {
  std::string path;
  for (std::size_t k = 1; k < context.size(); ++k) {
    const std::string& step = context[k];
    const std::string name = step.substr(1, step.size() - 2);
    const bool is_number =
        std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number) {
      path += step;
    } else {
      path += (path.empty() ? "" : ".") + name;
    }
  }
  return path.empty() ? "the whole file" : path;
}

// A violation is told again for everything that holds the place where it is.
bool is_echo(const std::string& description) {
  return description.starts_with("Failed to validate against schema associated with property") ||
         description.starts_with("Failed to validate item #");
}

std::vector<std::string> violations(const nlohmann::json& schema_json, const nlohmann::json& json) {
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(NlohmannJsonAdapter(schema_json), schema);
  valijson::ValidationResults results;
  valijson::Validator validator;
  validator.validate(schema, NlohmannJsonAdapter(json), &results);
  std::vector<std::string> lines;
  for (const auto& error : results) {
    if (!is_echo(error.description))
      lines.push_back(readable_path(error.context) + ": " + error.description);
  }
  return lines;
}

bool is_of_first_version(const nlohmann::json& file) {
  const nlohmann::json::json_pointer at("/schema/version");
  return file.contains(at) && file.at(at).is_string() &&
         file.at(at).get<std::string>().starts_with("1.");
}

// A record of schema 1.x is one of 2.0 but for the header that workloads share.
nlohmann::json schema_of(bool first_version) {
  nlohmann::json schema = nlohmann::json::parse(result_schema());
  if (!first_version) return schema;
  schema["properties"]["schema"]["properties"]["version"]["pattern"] = "^1\\.[0-9]+\\.[0-9]+$";
  nlohmann::json& required = schema["definitions"]["run"]["required"];
  for (const char* later : {"workload", "variant", "input", "host_state"}) {
    required.erase(std::find(required.begin(), required.end(), later));
  }
  return schema;
}

}  // namespace

std::vector<std::string> schema_violations(const nlohmann::json& file) {
  return violations(schema_of(is_of_first_version(file)), file);
}

std::vector<std::string> run_schema_violations(const nlohmann::json& run) {
  const auto schema = schema_of(run.is_object() && is_of_first_schema(run));
  return violations({{"$schema", schema.at("$schema")},
                     {"definitions", schema.at("definitions")},
                     {"properties", {{"run", {{"$ref", "#/definitions/run"}}}}}},
                    {{"run", run}});
}

}  // namespace lufact
