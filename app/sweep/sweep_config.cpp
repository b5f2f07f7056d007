// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>

#include "app/config/run_options.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw UsageError(fmt::format("{}: {}", where, why));
}

// A member of the configuration and its place in it, for messages.
class Place {
 public:
  Place(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  const Json& json() const noexcept { return json_; }
  const std::string& where() const noexcept { return where_; }
  bool has(const char* key) const { return json_.contains(key); }

  Place operator[](const char* key) const {
    if (!has(key)) refuse(where_, fmt::format("'{}' is missing", key));
    return {json_.at(key), where_.empty() ? key : fmt::format("{}.{}", where_, key)};
  }

  std::vector<Place> items() const {
    if (!json_.is_array()) refuse(where_, "must be a list");
    std::vector<Place> places;
    for (std::size_t k = 0; k < json_.size(); ++k) {
      places.emplace_back(json_[k], fmt::format("{}[{}]", where_, k));
    }
    return places;
  }

  std::string text() const {
    if (!json_.is_string() || json_.get<std::string>().empty()) refuse(where_, "must be a text");
    return json_.get<std::string>();
  }

  // A text, or a list of them.
  std::vector<std::string> texts() const {
    if (!json_.is_array()) return {text()};
    std::vector<std::string> texts;
    for (const Place& item : items()) texts.push_back(item.text());
    return texts;
  }

  void accept_only(const std::vector<std::string_view>& keys) const {
    if (!json_.is_object()) refuse(where_, "must be an object");
    for (const auto& item : json_.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
        refuse(where_.empty() ? "the configuration" : where_,
               fmt::format("unknown key '{}'; accepted: {}", item.key(), fmt::join(keys, ", ")));
      }
    }
  }

 private:
  const Json& json_;
  std::string where_;
};

// A name becomes part of file names and of tables.
std::string checked_name(const Place& place) {
  const std::string name = place.text();
  const bool good = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._+-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!good || name.front() == '.' || name.front() == '-') {
    refuse(place.where(), fmt::format("'{}' is no name; accepted: letters, digits and . _ + -, "
                                      "not beginning with . or -",
                                      name));
  }
  return name;
}

std::string option_text(const Place& place) {
  const Json& value = place.json();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_array()) refuse(place.where(), "must be a text, a number, true, false or a list");
  std::string joined;
  for (const Place& item : place.items()) {
    joined += (joined.empty() ? "" : ",") + option_text(item);
  }
  return joined;
}

OptionTexts parse_options(const Place& owner) {
  OptionTexts options;
  if (!owner.has("options")) return options;
  const Place place = owner["options"];
  if (!place.json().is_object()) refuse(place.where(), "must be an object of options");
  for (const auto& item : place.json().items()) {
    options[item.key()] = option_text(place[item.key().c_str()]);
  }
  return options;
}

GeneratorFacts parse_generator(const Place& place) {
  if (!place.json().is_object()) refuse(place.where(), "must be an object with 'kind' and sizes");
  GeneratorFacts facts;
  facts.seed = 1;
  facts.kind = place["kind"].text();
  for (const auto& item : place.json().items()) {
    if (item.key() == "kind" || item.key() == "name") continue;
    if (!item.value().is_number_integer()) {
      refuse(fmt::format("{}.{}", place.where(), item.key()), "must be a whole number");
    }
    if (item.key() == "seed") {
      facts.seed = item.value().get<std::uint64_t>();
    } else {
      facts.sizes.emplace_back(item.key(), item.value().get<Offset>());
    }
  }
  try {
    return complete_generator_facts(facts);
  } catch (const UsageError& error) {
    refuse(place.where(), error.what());
  }
}

// "group/name.mtx.gz" is called "name".
std::string name_of_file(const std::string& file) {
  std::string name = file.substr(file.find_last_of('/') + 1);
  return name.substr(0, name.find(".mtx"));
}

SweepMatrix parse_generated(const Place& place) {
  SweepMatrix matrix;
  matrix.generator = parse_generator(place);
  matrix.name = checked_name(place["name"]);
  return matrix;
}

SweepMatrixEntry parse_matrix_entry(const Place& place) {
  place.accept_only({"file", "generate", "name", "options", "stand_in", "stand_in_for"});
  if (place.has("file") == place.has("generate")) {
    refuse(place.where(), "needs 'file' or 'generate', and not both");
  }
  SweepMatrixEntry entry;
  if (place.has("generate")) {
    entry.matrix = parse_generated(place["generate"]);
    if (place.has("stand_in_for")) entry.matrix.stand_in_for = place["stand_in_for"].text();
  } else {
    entry.matrix.file = place["file"].text();
    entry.matrix.name =
        place.has("name") ? checked_name(place["name"]) : name_of_file(entry.matrix.file);
  }
  entry.matrix.options = parse_options(place);
  if (place.has("stand_in")) {
    entry.stand_in = parse_generated(place["stand_in"]);
    entry.stand_in->options = entry.matrix.options;
    entry.stand_in->stand_in_for = entry.matrix.file;
  }
  return entry;
}

SweepVariant parse_variant_entry(const Place& place) {
  place.accept_only({"name", "mode", "options"});
  SweepVariant variant;
  variant.mode = place.has("mode") ? place["mode"].text() : "auto";
  variant.name = place.has("name") ? checked_name(place["name"]) : variant.mode;
  variant.options = parse_options(place);
  return variant;
}

using Names = std::set<std::string>;

void add_unique(Names& names, const std::string& name, const std::string& where) {
  if (names.insert(name).second) return;
  refuse(where, fmt::format("the name '{}' occurs twice; give one of them a 'name'", name));
}

void require_known(const Names& names, const std::string& name, const std::string& where) {
  if (!names.contains(name)) refuse(where, fmt::format("'{}' is not in this configuration", name));
}

Names matrix_names(const SweepConfig& config) {
  Names names;
  for (const SweepMatrixEntry& entry : config.matrices) {
    add_unique(names, entry.matrix.name, "matrices");
    if (entry.stand_in) add_unique(names, entry.stand_in->name, "matrices");
  }
  return names;
}

Names variant_names(const SweepConfig& config) {
  Names names;
  for (const SweepVariant& variant : config.variants) add_unique(names, variant.name, "variants");
  return names;
}

void parse_exclusions(const Place& place, const Names& matrices, const Names& variants,
                      SweepConfig& config) {
  place.accept_only({"matrix", "variant"});
  for (const std::string& matrix : place["matrix"].texts()) {
    require_known(matrices, matrix, place.where() + ".matrix");
    for (const std::string& variant : place["variant"].texts()) {
      require_known(variants, variant, place.where() + ".variant");
      config.exclude.emplace_back(matrix, variant);
    }
  }
}

}  // namespace

bool SweepConfig::excludes(const SweepMatrixEntry& entry, const SweepVariant& variant) const {
  return std::find(exclude.begin(), exclude.end(), std::pair(entry.matrix.name, variant.name)) !=
         exclude.end();
}

SweepConfig parse_sweep_config(const Json& json) {
  const Place root(json, "");
  root.accept_only({"name", "purpose", "options", "matrices", "variants", "peers", "exclude"});
  SweepConfig config;
  config.text = json;
  config.name = checked_name(root["name"]);
  config.purpose = root["purpose"].text();
  config.options = parse_options(root);
  for (const Place& entry : root["matrices"].items()) {
    config.matrices.push_back(parse_matrix_entry(entry));
  }
  if (root.has("variants")) {
    for (const Place& entry : root["variants"].items()) {
      config.variants.push_back(parse_variant_entry(entry));
    }
  }
  if (root.has("peers")) {
    for (const Place& entry : root["peers"].items()) {
      config.variants.push_back({checked_name(entry), "none", {{"peer", entry.text()}}});
    }
  }
  if (config.matrices.empty()) refuse("matrices", "the list is empty");
  if (config.variants.empty()) refuse("variants", "neither a variant nor a peer is given");
  const Names matrices = matrix_names(config), variants = variant_names(config);
  if (root.has("exclude")) {
    for (const Place& entry : root["exclude"].items())
      parse_exclusions(entry, matrices, variants, config);
  }
  return config;
}

SweepConfig read_sweep_config(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("--config {}: cannot be read", path));
  try {
    return parse_sweep_config(Json::parse(file));
  } catch (const Json::parse_error& error) {
    throw UsageError(fmt::format("--config {}: {}", path, error.what()));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--config {}: {}", path, error.what()));
  }
}

OptionTexts options_of_run(const SweepConfig& config, const SweepMatrix& matrix,
                           const SweepVariant& variant) {
  OptionTexts options = config.options;
  for (const auto& [key, value] : matrix.options) {
    if (variant.options.contains(key)) {
      throw UsageError(
          fmt::format("option '{}' is set by matrix '{}' and by variant '{}'; exclude "
                      "the pair or leave one of them out",
                      key, matrix.name, variant.name));
    }
    options[key] = value;
  }
  for (const auto& [key, value] : variant.options) options[key] = value;
  std::erase_if(options, [](const auto& option) { return option.second == "false"; });
  return options;
}

RunConfig run_config_of(const std::string& mode, const OptionTexts& options) {
  RunConfig config;
  config.modes = {mode};
  CLI::App parser;
  add_variant_options(parser, config);
  std::vector<std::string> words;
  for (const auto& [key, value] : options) {
    if (key == "write-solution") throw UsageError("write-solution names one file; leave it out");
    words.push_back(value == "true" ? "--" + key : fmt::format("--{}={}", key, value));
  }
  try {
    parser.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  complete_config(parser, config);
  return config;
}

}  // namespace lufact
