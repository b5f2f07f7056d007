// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/rates_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "core/base/error.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* schema_name = "lufact-rates";
constexpr const char* what_to_do = "write it again with `lufact calibrate --output FILE`";

[[noreturn]] void reject(const std::string& path, const std::string& fault) {
  throw UsageError(fmt::format("{}: {}; {}", path, fault, what_to_do));
}

const json& member(const json& object, const std::string& key, const std::string& path) {
  if (!object.is_object() || !object.contains(key)) reject(path, fmt::format("no '{}'", key));
  return object.at(key);
}

const RateEntry& find_entry(const std::string& key, const std::string& path) {
  const auto list = rate_list();
  const auto found =
      std::ranges::find_if(list, [&](const RateEntry& entry) { return entry.key() == key; });
  if (found == list.end()) reject(path, fmt::format("'{}' is no rate", key));
  return *found;
}

void read_rate(const std::string& key, const json& rate, const std::string& path, RateSet& set) {
  const RateEntry& entry = find_entry(key, path);
  const json& value = member(rate, "value", path + ": " + key);
  if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>())) {
    reject(path, fmt::format("'{}' is not a number above 0", key));
  }
  entry.of(set.rates) = value.get<double>();
  const json& origin = member(rate, "origin", path + ": " + key);
  const auto parsed = origin.is_string() ? parse_rate_origin(origin.get<std::string>())
                                         : std::optional<RateOrigin>{};
  if (!parsed) reject(path, fmt::format("'{}' has no origin measured, scaled or shipped", key));
  set.origin[key] = *parsed;
}

const RateSet* find_shipped(const std::string& name) {
  for (const RateSet& set : shipped_rates()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

RateSet named_rates(const std::string& name) {
  if (const RateSet* shipped = find_shipped(name)) return *shipped;
  if (std::filesystem::exists(name)) return read_rates(name);
  std::vector<std::string> names;
  for (const RateSet& set : shipped_rates()) names.push_back(set.name);
  throw UsageError(fmt::format("LUFACT_RATES '{}' is no file; accepted beside one: {}", name,
                               fmt::join(names, ", ")));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::optional<std::filesystem::path> user_rates_file() {
  std::filesystem::path folder = environment("XDG_CONFIG_HOME");
  if (folder.empty()) {
    const std::string home = environment("HOME");
    if (home.empty()) return std::nullopt;
    folder = std::filesystem::path(home) / ".config";
  }
  return folder / "lufact" / "rates.json";
}

RateSet load_rates() {
  const std::string wanted = environment("LUFACT_RATES");
  if (!wanted.empty()) return named_rates(wanted);
  const auto file = user_rates_file();
  std::error_code absent;
  if (file && std::filesystem::exists(*file, absent)) return read_rates(file->string());
  return shipped_rates().front();
}

std::string calibration_hint(const RateSet& set) {
  return set.source == RateSet{}.source ? "; lufact calibrate measures this machine's" : "";
}

ordered_json to_json(const RateSet& set) {
  ordered_json groups = ordered_json::object();
  for (const RateEntry& entry : rate_list()) {
    groups[std::string(entry.group)][std::string(entry.name)] = {
        {"value", entry.value(set.rates)},
        {"unit", entry.unit},
        {"origin", to_string(set.origin_of(entry))},
        {"meaning", entry.meaning}};
  }
  return {{"schema", {{"name", schema_name}, {"version", "1.0.0"}}},
          {"name", set.name},
          {"rates", std::move(groups)}};
}

RateSet rate_set_from_json(const json& from, const std::string& path) {
  const json& name = member(member(from, "schema", path), "name", path + ": schema");
  if (name != schema_name) reject(path, fmt::format("'schema.name' is not {}", schema_name));
  const json& own_name = member(from, "name", path);
  if (!own_name.is_string()) reject(path, "'name' is not a text");
  RateSet set{.name = own_name.get<std::string>(), .source = path};
  for (const auto& [group, rates] : member(from, "rates", path).items()) {
    if (!rates.is_object()) reject(path, fmt::format("'rates.{}' is not an object", group));
    for (const auto& [rate, facts] : rates.items()) {
      read_rate(fmt::format("{}.{}", group, rate), facts, path, set);
    }
  }
  return set;
}

RateSet read_rates(const std::string& path) {
  std::ifstream file(path);
  if (!file) reject(path, "cannot be opened");
  const json parsed = json::parse(file, nullptr, false);
  if (parsed.is_discarded()) reject(path, "is not JSON");
  return rate_set_from_json(parsed, path);
}

}  // namespace lufact
