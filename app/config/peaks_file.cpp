// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/peaks_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"

namespace lufact {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* schema_name = "lufact-peaks";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void reject(const fs::path& path, const std::string& fault) {
  throw UsageError(
      fmt::format("{}: {}; remove it and run `lufact doctor --measure`", path.string(), fault));
}

double rate(const ordered_json& entry, const char* key) {
  const double value = entry.at(key).get<double>();
  if (!(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("'{}' is not a number above 0", key));
  }
  return value;
}

ordered_json empty_file() {
  return {{"schema", {{"name", schema_name}, {"version", "1.0.0"}}},
          {"hosts", ordered_json::array()},
          {"devices", ordered_json::array()}};
}

ordered_json read_file(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream) reject(path, "cannot be opened");
  ordered_json file = ordered_json::parse(stream, nullptr, false);
  const bool of_peaks = file.is_object() && file.contains("schema") &&
                        file["schema"].value("name", "") == schema_name && file.contains("hosts") &&
                        file.contains("devices");
  if (!of_peaks) reject(path, fmt::format("is no file of {}", schema_name));
  return file;
}

ordered_json host_key(const Machine& machine) {
  return {{"cpu_model", machine.host.cpu_model}, {"threads", machine.host.threads}};
}

ordered_json device_key(const DeviceFacts& device) {
  return {{"name", device.name}, {"uuid", device.uuid}};
}

// Whether an entry has every member of `key`.
bool has_key(const ordered_json& entry, const ordered_json& key) {
  const auto members = key.items();
  return std::all_of(members.begin(), members.end(),
                     [&](const auto& member) { return entry.at(member.key()) == member.value(); });
}

// The entry of a list that has `key`; null where none has.
const ordered_json* find_entry(const ordered_json& list, const ordered_json& key) {
  for (const ordered_json& entry : list) {
    if (has_key(entry, key)) return &entry;
  }
  return nullptr;
}

// `key` with `facts` in place of the entry of that key.
void replace_entry(ordered_json& list, const ordered_json& key, const ordered_json& facts) {
  ordered_json others = ordered_json::array();
  for (const ordered_json& entry : list) {
    if (!has_key(entry, key)) others.push_back(entry);
  }
  ordered_json entry = key;
  entry.update(facts);
  others.push_back(std::move(entry));
  list = std::move(others);
}

HostPeaks host_from(const ordered_json& entry) {
  return {entry.at("measured_threads").get<int>(), rate(entry, "copy_bytes_per_s"),
          rate(entry, "fp64_flops_per_s"), entry.at("measured_at").get<std::string>()};
}

DevicePeaks device_from(const ordered_json& entry) {
  return {rate(entry, "copy_bytes_per_s"), rate(entry, "fp64_flops_per_s"),
          rate(entry, "fp32_flops_per_s"), entry.at("measured_at").get<std::string>()};
}

ordered_json to_entry(const HostPeaks& host) {
  return {{"measured_threads", host.threads},
          {"copy_bytes_per_s", host.copy_bytes_per_s},
          {"fp64_flops_per_s", host.fp64_flops_per_s},
          {"measured_at", host.measured_at}};
}

ordered_json to_entry(const DevicePeaks& device) {
  return {{"copy_bytes_per_s", device.copy_bytes_per_s},
          {"fp64_flops_per_s", device.fp64_flops_per_s},
          {"fp32_flops_per_s", device.fp32_flops_per_s},
          {"measured_at", device.measured_at}};
}

MachinePeaks peaks_from(const ordered_json& file, const Machine& machine) {
  MachinePeaks peaks;
  if (const auto* host = find_entry(file.at("hosts"), host_key(machine))) {
    peaks.host = host_from(*host);
  }
  if (!machine.device) return peaks;
  if (const auto* device = find_entry(file.at("devices"), device_key(*machine.device))) {
    peaks.device = device_from(*device);
  }
  return peaks;
}

// A reader sees the old file or the new one.
void write_file(const fs::path& path, const ordered_json& file) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const fs::path temporary = fmt::format("{}.tmp.{}", path.string(), ::getpid());
  std::ofstream stream(temporary);
  stream << file.dump(1) << "\n";
  stream.close();
  if (stream) fs::rename(temporary, path, error);
  if (stream && !error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw Error(
      Outcome::error, "cannot_write",
      fmt::format("{}: cannot be written; name another file with LUFACT_PEAKS", path.string()));
}

}  // namespace

std::optional<fs::path> peaks_file() {
  if (const std::string named = environment("LUFACT_PEAKS"); !named.empty()) return named;
  fs::path folder = environment("XDG_CACHE_HOME");
  if (folder.empty()) {
    const std::string home = environment("HOME");
    if (home.empty()) return std::nullopt;
    folder = fs::path(home) / ".cache";
  }
  return folder / "lufact" / "peaks.json";
}

MachinePeaks load_peaks(const Machine& machine) {
  const auto path = peaks_file();
  std::error_code absent;
  const bool named = !environment("LUFACT_PEAKS").empty();
  if (!path) return {};
  if (!fs::exists(*path, absent)) {
    if (!named) return {};
    throw UsageError(fmt::format(
        "{}, named by LUFACT_PEAKS, does not exist; `lufact doctor --measure` writes it",
        path->string()));
  }
  try {
    MachinePeaks peaks = peaks_from(read_file(*path), machine);
    peaks.source = path->string();
    return peaks;
  } catch (const nlohmann::json::exception& fault) {
    reject(*path, fault.what());
  } catch (const std::invalid_argument& fault) {
    reject(*path, fault.what());
  }
}

void store_peaks(const Machine& machine, const MachinePeaks& peaks) {
  const auto path = peaks_file();
  if (!path) throw UsageError("no home folder to keep peaks in; name a file with LUFACT_PEAKS");
  std::error_code absent;
  ordered_json file = fs::exists(*path, absent) ? read_file(*path) : empty_file();
  try {
    if (peaks.host) replace_entry(file["hosts"], host_key(machine), to_entry(*peaks.host));
    if (peaks.device) {
      replace_entry(file["devices"], device_key(machine.device.value()), to_entry(*peaks.device));
    }
  } catch (const nlohmann::json::exception& fault) {
    reject(*path, fault.what());
  }
  write_file(*path, file);
}

}  // namespace lufact
