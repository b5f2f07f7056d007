// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <string_view>

#include "app/config/run_options.hpp"
#include "app/sweep/config_place.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/report/json_fault.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

// A name becomes part of file names and of tables.
std::string named(std::string name, const std::string& where) {
  const bool good = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._+-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!good || name.front() == '.' || name.front() == '-') {
    refuse(where, fmt::format("'{}' is no name; accepted: letters, digits and . _ + -, "
                              "not beginning with . or -",
                              name));
  }
  return name;
}

std::string checked_name(const Place& place) {
  return named(place.text(), place.where());
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

constexpr Offset most_values = 100'000;  // of a range, each of which makes an input

// "1..32": both ends are in it.
std::vector<Offset> parse_range(const Place& place) {
  const std::string text = place.text();
  const std::size_t dots = text.find("..");
  Offset first = 0, last = -1;
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (dots != std::string::npos &&
      std::from_chars(begin, begin + dots, first).ptr == begin + dots) {
    if (std::from_chars(begin + dots + 2, end, last).ptr != end) last = first - 1;
  }
  if (last < first) refuse(place.where(), fmt::format("'{}' is no range such as 1..32", text));
  if (last - first >= most_values) {
    refuse(place.where(), fmt::format("'{}' has more than {} values", text, most_values));
  }
  std::vector<Offset> values(static_cast<std::size_t>(last - first + 1));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// A whole number; or several, as a range or a list, each of which makes an input of its own.
std::vector<Offset> parse_sizes(const Place& place) {
  if (place.json().is_number_integer()) return {place.json().get<Offset>()};
  if (place.json().is_string()) return parse_range(place);
  if (!place.json().is_array()) {
    refuse(place.where(), "must be a whole number, a range such as 1..32 or a list");
  }
  std::vector<Offset> values;
  for (const Place& item : place.items()) {
    for (const Offset value : parse_sizes(item)) values.push_back(value);
  }
  return values;
}

// What is to be generated, and what is added to its name where there are several.
struct Generated {
  std::string suffix;
  GeneratorFacts facts;
};

std::vector<Generated> with_size(const std::vector<Generated>& all, const std::string& name,
                                 const Place& place) {
  const std::vector<Offset> values = parse_sizes(place);
  std::vector<Generated> result;
  for (const Generated& one : all) {
    for (const Offset value : values) {
      Generated& next = result.emplace_back(one);
      next.facts.sizes.emplace_back(name, value);
      if (!place.json().is_number()) next.suffix += fmt::format("-{}", value);
    }
  }
  return result;
}

std::vector<Generated> parse_generators(const Place& place, const Workload& workload) {
  if (!place.json().is_object()) refuse(place.where(), "must be an object with 'kind' and sizes");
  std::vector<Generated> all(1);
  all.front().facts.kind = place["kind"].text();
  all.front().facts.seed = 1;
  for (const auto& item : place.json().items()) {
    const Place value = place[item.key().c_str()];
    if (item.key() == "kind" || item.key() == "name") continue;
    if (item.key() != "seed") {
      all = with_size(all, item.key(), value);
      continue;
    }
    if (!item.value().is_number_unsigned()) {
      refuse(value.where(), "must be a whole number, 0 or more");
    }
    for (Generated& one : all) one.facts.seed = item.value().get<std::uint64_t>();
  }
  try {
    for (Generated& one : all) one.facts = workload.complete(one.facts);
  } catch (const UsageError& error) {
    refuse(place.where(), error.what());
  }
  return all;
}

// "group/name.mtx.gz" is called "name".
std::string name_of_file(const std::string& file) {
  std::string name = file.substr(file.find_last_of('/') + 1);
  return name.substr(0, name.find(".mtx"));
}

std::vector<SweepInput> parse_generated(const Place& place, const Workload& workload) {
  const std::string name = checked_name(place["name"]);
  std::vector<SweepInput> inputs;
  for (Generated& one : parse_generators(place, workload)) {
    SweepInput& input = inputs.emplace_back();
    input.name = name + one.suffix;
    input.generator = std::move(one.facts);
  }
  return inputs;
}

SweepInput parse_stand_in(const Place& place, const Workload& workload) {
  std::vector<SweepInput> inputs = parse_generated(place, workload);
  if (inputs.size() != 1) refuse(place.where(), "must be one input");
  return std::move(inputs.front());
}

std::vector<SweepInputEntry> parse_generated_entries(const Place& place, const Workload& workload) {
  std::vector<SweepInputEntry> entries;
  for (SweepInput& input : parse_generated(place["generate"], workload)) {
    SweepInputEntry& entry = entries.emplace_back();
    entry.input = std::move(input);
    entry.input.options = parse_options(place);
    if (place.has("stand_in_for")) entry.input.stand_in_for = place["stand_in_for"].text();
  }
  return entries;
}

// One entry, or one for each size of what is to be generated.
std::vector<SweepInputEntry> parse_input_entries(const Place& place, const Workload& workload) {
  place.accept_only({"file", "generate", "name", "options", "stand_in", "stand_in_for"});
  if (place.has("file") == place.has("generate")) {
    refuse(place.where(), "needs 'file' or 'generate', and not both");
  }
  if (place.has("generate")) return parse_generated_entries(place, workload);
  SweepInputEntry entry;
  entry.input.file = place["file"].text();
  entry.input.name =
      place.has("name") ? checked_name(place["name"]) : name_of_file(entry.input.file);
  entry.input.options = parse_options(place);
  if (place.has("stand_in")) {
    entry.stand_in = parse_stand_in(place["stand_in"], workload);
    entry.stand_in->options = entry.input.options;
    entry.stand_in->stand_in_for = entry.input.file;
  }
  return {std::move(entry)};
}

// Of each variant one for every value that `place`, a list, has for an option.
std::vector<SweepVariant> with_values(const std::vector<SweepVariant>& all,
                                      const std::string& option, const Place& place) {
  std::vector<SweepVariant> result;
  for (const SweepVariant& one : all) {
    if (one.options.contains(option)) refuse(place.where(), "is among the options as well");
    for (const Place& value : place.items()) {
      SweepVariant& variant = result.emplace_back(one);
      variant.options[option] = option_text(value);
      variant.name = named(one.name + "-" + variant.options[option], value.where());
    }
  }
  if (result.empty()) refuse(place.where(), "the list is empty");
  return result;
}

// One variant, or one for each value, or combination of values, of `each`.
std::vector<SweepVariant> parse_variant_entry(const Place& place) {
  place.accept_only({"name", "mode", "options", "each"});
  SweepVariant variant;
  variant.mode = place.has("mode") ? place["mode"].text() : "auto";
  variant.name = place.has("name") ? checked_name(place["name"]) : variant.mode;
  variant.entry = variant.name;
  variant.options = parse_options(place);
  std::vector<SweepVariant> all{std::move(variant)};
  if (!place.has("each")) return all;
  const Place each = place["each"];
  if (!each.json().is_object()) refuse(each.where(), "must be an object of options and lists");
  for (const auto& item : each.json().items()) {
    all = with_values(all, item.key(), each[item.key().c_str()]);
  }
  return all;
}

using Names = std::set<std::string>;

void add_unique(Names& names, const std::string& name, const std::string& where) {
  if (names.insert(name).second) return;
  refuse(where, fmt::format("the name '{}' occurs twice; give one of them a 'name'", name));
}

void require_known(const Names& names, const std::string& name, const std::string& where) {
  if (!names.contains(name)) refuse(where, fmt::format("'{}' is not in this configuration", name));
}

Names input_names(const SweepConfig& config) {
  const std::string where(config.workload->inputs_key());
  Names names;
  for (const SweepInputEntry& entry : config.inputs) {
    add_unique(names, entry.input.name, where);
    if (entry.stand_in) add_unique(names, entry.stand_in->name, where);
  }
  return names;
}

// Of variants, and of the entries that stand for several.
Names variant_names(const SweepConfig& config) {
  Names names;
  Names entries;
  for (const SweepVariant& variant : config.variants) {
    add_unique(names, variant.name, "variants");
    if (variant.entry != variant.name) entries.insert(variant.entry);
  }
  for (const std::string& entry : entries) add_unique(names, entry, "variants");
  return names;
}

void parse_exclusions(const Place& place, const Names& inputs, const Names& variants,
                      SweepConfig& config) {
  place.accept_only({"matrix", "variant"});
  for (const std::string& matrix : place["matrix"].texts()) {
    require_known(inputs, matrix, place.where() + ".matrix");
    for (const std::string& name : place["variant"].texts()) {
      require_known(variants, name, place.where() + ".variant");
      for (const SweepVariant& variant : config.variants) {
        if (variant.name != name && variant.entry != name) continue;
        config.exclude.emplace_back(matrix, variant.name);
      }
    }
  }
}

const Workload& workload_of(const Place& root, const Workloads& workloads) {
  if (!root.json().is_object()) refuse("the configuration", "must be an object");
  if (!root.has("command")) return *workloads.front();
  try {
    return workload_of_command(workloads, root["command"].text());
  } catch (const UsageError& error) {
    refuse("command", error.what());
  }
}

void parse_variants(const Place& root, SweepConfig& config) {
  if (root.has("variants")) {
    for (const Place& entry : root["variants"].items()) {
      for (SweepVariant& variant : parse_variant_entry(entry)) {
        config.variants.push_back(std::move(variant));
      }
    }
  }
  if (!root.has("peers")) return;
  for (const Place& entry : root["peers"].items()) {
    const std::string name = checked_name(entry);
    config.variants.push_back({name, "none", {{"peer", entry.text()}}, name});
  }
}

}  // namespace

bool SweepConfig::excludes(const SweepInputEntry& entry, const SweepVariant& variant) const {
  return std::find(exclude.begin(), exclude.end(), std::pair(entry.input.name, variant.name)) !=
         exclude.end();
}

SweepConfig parse_sweep_config(const Json& json, const Workloads& workloads) {
  const Place root(json, "");
  SweepConfig config;
  config.workload = &workload_of(root, workloads);
  const std::string inputs_key(config.workload->inputs_key());
  root.accept_only({"$schema", "name", "purpose", "command", "options", inputs_key, "variants",
                    "peers", "exclude"});
  config.text = json;
  config.name = checked_name(root["name"]);
  if (root.has("purpose")) config.purpose = root["purpose"].text();
  config.options = parse_options(root);
  for (const Place& entry : root[inputs_key.c_str()].items()) {
    for (SweepInputEntry& input : parse_input_entries(entry, *config.workload)) {
      config.inputs.push_back(std::move(input));
    }
  }
  parse_variants(root, config);
  if (config.inputs.empty()) refuse(inputs_key, "the list is empty");
  if (config.variants.empty()) refuse("variants", "neither a variant nor a peer is given");
  const Names inputs = input_names(config), variants = variant_names(config);
  if (root.has("exclude")) {
    for (const Place& entry : root["exclude"].items())
      parse_exclusions(entry, inputs, variants, config);
  }
  return config;
}

SweepConfig read_sweep_config(const std::string& path, const Workloads& workloads) {
  if (std::filesystem::is_directory(path)) {
    throw UsageError(fmt::format("--config {}: is a folder, not a configuration", path));
  }
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("--config {}: {}", path, std::strerror(errno)));
  try {
    return parse_sweep_config(Json::parse(file), workloads);
  } catch (const Json::parse_error& error) {
    throw UsageError(
        fmt::format("--config {}: cannot be read as JSON: {}", path, json_fault(error)));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--config {}: {}", path, error.what()));
  }
}

OptionTexts options_of_run(const SweepConfig& config, const SweepInput& input,
                           const SweepVariant& variant) {
  OptionTexts options = config.options;
  for (const auto& [key, value] : input.options) {
    if (variant.options.contains(key)) {
      throw UsageError(
          fmt::format("option '{}' is set by matrix '{}' and by variant '{}'; exclude "
                      "the pair or leave one of them out",
                      key, input.name, variant.name));
    }
    options[key] = value;
  }
  for (const auto& [key, value] : variant.options) options[key] = value;
  std::erase_if(options, [](const auto& option) { return option.second == "false"; });
  return options;
}

}  // namespace lufact
