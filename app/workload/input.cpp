// SPDX-License-Identifier: BSD-3-Clause
#include "app/workload/input.hpp"

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {

using nlohmann::ordered_json;

namespace {

ordered_json generator_to_json(const GeneratorFacts& facts) {
  ordered_json sizes = ordered_json::array();  // whose order survives any parser
  for (const auto& [name, size] : facts.sizes) sizes.push_back(ordered_json::array({name, size}));
  return {{"kind", facts.kind}, {"sizes", sizes}, {"seed", facts.seed}};
}

GeneratorFacts generator_from_json(const ordered_json& json) {
  GeneratorFacts facts;
  facts.kind = json.at("kind").get<std::string>();
  facts.seed = json.at("seed").get<std::uint64_t>();
  for (const ordered_json& size : json.at("sizes")) {
    facts.sizes.emplace_back(size.at(0).get<std::string>(), size.at(1).get<Offset>());
  }
  return facts;
}

}  // namespace

ordered_json to_json(const Input& input) {
  ordered_json json{{"name", input.name}, {"path", input.path}, {"generator", nullptr}};
  if (input.generator) json["generator"] = generator_to_json(*input.generator);
  return json;
}

Input input_from_json(const ordered_json& json) {
  Input input{json.at("name").get<std::string>(), json.at("path").get<std::string>()};
  if (!json.at("generator").is_null()) input.generator = generator_from_json(json.at("generator"));
  return input;
}

InputHash hash_of_file(const std::string& path) {
  try {
    return {sha256_of_file(path), ""};
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

InputHash hash_of_generator(const GeneratorFacts& facts) {
  return {sha256_of_text(generator_to_json(facts).dump()), ""};
}

}  // namespace lufact
