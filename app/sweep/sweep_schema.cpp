// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_schema.hpp"

#include <string>

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}

Json list_of(Json items, int least = 0) {
  Json list{{"type", "array"}, {"items", std::move(items)}};
  if (least > 0) list["minItems"] = least;
  return list;
}

Json object_of(Json properties, const Json& required = Json::array()) {
  Json object{{"type", "object"}, {"additionalProperties", false}};
  if (!required.empty()) object["required"] = required;
  object["properties"] = std::move(properties);
  return object;
}

Json described(const char* description, Json schema) {
  Json result{{"description", description}};
  result.update(schema);
  return result;
}

// What both the generators of inputs and those of stand-ins say: sizes have the names that
// `lufact generate KIND` has, and others in other workloads.
Json generator() {
  return {{"type", "object"},
          {"required", {"kind", "name"}},
          {"properties",
           {{"kind", reference("text")},
            {"name", reference("name")},
            {"seed", {{"type", "integer"}, {"minimum", 0}}}}},
          {"additionalProperties",
           described("A size: a number, a range such as 1..32 or a list; the last two make an "
                     "input of each",
                     {{"type", {"integer", "string", "array"}}})}};
}

Json input_of(const std::string& options) {
  Json input = object_of(
      {{"file",
        described("Below a folder of --matrix-dir, with or without its ending", reference("text"))},
       {"generate", reference("generator")},
       {"name", reference("name")},
       {"options", reference(options)},
       {"stand_in",
        described("Takes the place of a file that is not there", reference("generator"))},
       {"stand_in_for",
        described("The published matrix whose place this one takes", reference("text"))}});
  input["oneOf"] = {Json{{"required", Json::array({"file"})}},
                    Json{{"required", Json::array({"generate"})}}};
  return input;
}

Json variant_of(const std::string& options) {
  return object_of(
      {{"name", reference("name")},
       {"mode", described("Default: auto", reference("text"))},
       {"options", reference(options)},
       {"each", described("Lists of values of options: a variant for every value, "
                          "called NAME-VALUE",
                          {{"type", "object"}, {"additionalProperties", {{"type", "array"}}}})}});
}

// A configuration of one workload. `is_first`: the one whose command need not be named.
Json config_of(const Workload& workload, bool is_first) {
  const std::string command(workload.command()), options = command + "_options";
  const std::string inputs(workload.inputs_key());
  Json properties{
      {"$schema", {{"type", "string"}}},
      {"name", described("Names the result file", reference("name"))},
      {"purpose", described("One sentence", {{"type", "string"}})},
      {"command", described("Whose variants run", {{"enum", Json::array({command})}})},
      {"options",
       described("Of every run, where input and variant do not say otherwise", reference(options))},
      {inputs, list_of(reference(command + "_input"), 1)},
      {"variants", list_of(reference(command + "_variant"))},
      {"peers", described("One more variant each, with mode none", list_of(reference("text")))},
      {"exclude", described("Inputs and variants by name whose combinations do not run",
                            list_of(reference("exclusion")))}};
  Json required{"name", inputs};
  if (!is_first) required.push_back("command");
  return object_of(std::move(properties), required);
}

}  // namespace

Json sweep_config_schema(const Workloads& workloads) {
  Json schema{{"$schema", "http://json-schema.org/draft-04/schema#"},
              {"title", "Configuration of lufact sweep"}};
  Json definitions{
      {"text", {{"type", "string"}, {"minLength", 1}}},
      {"name", {{"type", "string"}, {"pattern", "^[A-Za-z0-9_+][A-Za-z0-9._+-]*$"}}},
      {"names", {{"anyOf", {reference("text"), list_of(reference("text"))}}}},
      {"generator", generator()},
      {"exclusion", object_of({{"matrix", reference("names")}, {"variant", reference("names")}},
                              {"matrix", "variant"})}};
  Json configs = Json::array();
  for (const auto& workload : workloads) {
    const std::string command(workload->command());
    definitions[command + "_options"] = object_of(workload->options_schema());
    definitions[command + "_input"] = input_of(command + "_options");
    definitions[command + "_variant"] = variant_of(command + "_options");
    definitions[command + "_config"] = config_of(*workload, configs.empty());
    configs.push_back(reference(command + "_config"));
  }
  schema["definitions"] = std::move(definitions);
  schema["anyOf"] = std::move(configs);
  return schema;
}

}  // namespace lufact
