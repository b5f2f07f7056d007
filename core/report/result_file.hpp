// SPDX-License-Identifier: BSD-3-Clause
// The result file as a whole: one JSON object with meta, config, runs and comparisons.
#pragma once
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/machine.hpp"
#include "core/pipeline/record.hpp"
#include "core/rates/peaks.hpp"
#include "core/report/build_info.hpp"
#include "core/report/comparisons.hpp"

namespace lufact {

inline constexpr std::string_view result_schema_name = "lufact-result";
inline constexpr std::string_view result_schema_version = "2.4.0";

// The device with what changed while the runs went on.
struct DeviceMeta {
  DeviceFacts facts;
  DeviceClocks clocks_before, clocks_after;
  std::optional<std::string> throttle_reasons;
};

// The rates that choices were made by.
struct RatesMeta {
  std::string name, source, sha256;
};

struct Meta {
  std::vector<std::string> argv;
  std::string started_at;          // utc_timestamp()
  BuildInfo build = build_info();  // `lufact`, `build` and `libraries` of the file
  HostFacts host;
  std::optional<DeviceMeta> device;
  std::vector<DeviceFacts> devices;  // all of the host, by number
  std::optional<RatesMeta> rates;
  MachinePeaks peaks;
};

struct ResultFile {
  Meta meta;
  nlohmann::ordered_json config = nlohmann::ordered_json::object();
  std::vector<RunRecord> runs;
  std::vector<Comparison> comparisons;  // compare_runs(runs)
};

// ISO 8601 in UTC: "2026-01-31T09:05:00Z".
std::string utc_timestamp(std::chrono::system_clock::time_point time);

nlohmann::ordered_json to_json(const Meta& meta);
// {source, host, device}; null where nothing is known.
nlohmann::ordered_json peaks_json(const MachinePeaks& peaks);
// Those of a file's `meta`; nothing where it has none, as before 2.2.
MachinePeaks peaks_of_meta(const nlohmann::ordered_json& meta);
// The rates of its runs have shares of the peaks in meta.
nlohmann::ordered_json to_json(const ResultFile& file);

}  // namespace lufact
