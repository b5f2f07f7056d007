// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/result_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/report/json_codec.hpp"
#include "core/report/phase_rates.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using codec::encode;
using codec::Json;

// A text or a number that a machine did not tell.
template <class T>
Json known_or_null(const T& value) {
  return value == T{} ? Json(nullptr) : Json(value);
}

Json lufact_json(const BuildInfo& build) {
  return {{"version", build.version},
          {"git_sha", build.git_sha},
          {"git_dirty", encode(build.git_dirty)}};
}

Json build_json(const BuildInfo& build) {
  return {{"type", build.type},
          {"cxx_compiler", build.cxx_compiler},
          {"cuda_compiler", encode(build.cuda_compiler)},
          {"cuda_architectures", encode(build.cuda_architectures)},
          {"flags", build.flags},
          {"cuda_flags", encode(build.cuda_flags)}};
}

Json host_json(const HostFacts& host) {
  return {{"cpu_model", known_or_null(host.cpu_model)},
          {"cores", known_or_null(host.cores)},
          {"threads", known_or_null(host.threads)},
          {"memory_bytes", known_or_null(host.memory_bytes)},
          {"os", known_or_null(host.os)}};
}

Json clocks_json(const DeviceClocks& clocks) {
  return {{"sm_mhz", encode(clocks.sm_mhz)}, {"memory_mhz", encode(clocks.memory_mhz)}};
}

Json device_json(const std::optional<DeviceMeta>& device) {
  if (!device.has_value()) return nullptr;
  const DeviceFacts& facts = device->facts;
  return {{"name", known_or_null(facts.name)},
          {"uuid", known_or_null(facts.uuid)},
          {"compute_capability", known_or_null(facts.compute_capability)},
          {"sm_count", known_or_null(facts.sm_count)},
          {"memory_bytes", known_or_null(facts.memory_bytes)},
          {"ecc", encode(facts.ecc)},
          {"driver", known_or_null(facts.driver)},
          {"runtime", known_or_null(facts.runtime)},
          {"clocks_before", clocks_json(device->clocks_before)},
          {"clocks_after", clocks_json(device->clocks_after)},
          {"throttle_reasons", encode(device->throttle_reasons)},
          {"index", facts.index},
          {"free_bytes", facts.free_bytes}};
}

Json devices_json(const std::vector<DeviceFacts>& devices) {
  Json list = Json::array();
  for (const DeviceFacts& device : devices) {
    list.push_back({{"index", device.index},
                    {"name", known_or_null(device.name)},
                    {"uuid", known_or_null(device.uuid)},
                    {"compute_capability", known_or_null(device.compute_capability)},
                    {"sm_count", known_or_null(device.sm_count)},
                    {"memory_bytes", known_or_null(device.memory_bytes)}});
  }
  return list;
}

Json rates_meta_json(const std::optional<RatesMeta>& rates) {
  if (!rates.has_value()) return nullptr;
  return {{"name", rates->name}, {"source", rates->source}, {"sha256", rates->sha256}};
}

Json host_peaks_json(const std::optional<HostPeaks>& host) {
  if (!host.has_value()) return nullptr;
  return {{"threads", host->threads},
          {"copy_bytes_per_s", encode(host->copy_bytes_per_s)},
          {"fp64_flops_per_s", encode(host->fp64_flops_per_s)},
          {"measured_at", host->measured_at}};
}

Json device_peaks_json(const std::optional<DevicePeaks>& device) {
  if (!device.has_value()) return nullptr;
  return {{"copy_bytes_per_s", encode(device->copy_bytes_per_s)},
          {"fp64_flops_per_s", encode(device->fp64_flops_per_s)},
          {"fp32_flops_per_s", encode(device->fp32_flops_per_s)},
          {"measured_at", device->measured_at}};
}

HostPeaks host_peaks_from(const Json& json) {
  return {json.at("threads").get<int>(), json.at("copy_bytes_per_s").get<double>(),
          json.at("fp64_flops_per_s").get<double>(), json.at("measured_at").get<std::string>()};
}

DevicePeaks device_peaks_from(const Json& json) {
  return {json.at("copy_bytes_per_s").get<double>(), json.at("fp64_flops_per_s").get<double>(),
          json.at("fp32_flops_per_s").get<double>(), json.at("measured_at").get<std::string>()};
}

Json run_json(const RunRecord& run, const MachinePeaks& peaks) {
  Json json = to_json(run);
  json["rates"] = rates_json(phase_rates(run, peaks));
  json["refactor_rates"] = rates_json(refactor_rates(run, peaks));
  return json;
}

}  // namespace

Json peaks_json(const MachinePeaks& peaks) {
  if (!peaks.host && !peaks.device) return nullptr;
  return {{"source", peaks.source},
          {"host", host_peaks_json(peaks.host)},
          {"device", device_peaks_json(peaks.device)}};
}

MachinePeaks peaks_of_meta(const Json& meta) {
  MachinePeaks peaks;
  const auto found = meta.find("peaks");
  if (found == meta.end() || found->is_null()) return peaks;
  peaks.source = found->at("source").get<std::string>();
  if (const Json& host = found->at("host"); !host.is_null()) peaks.host = host_peaks_from(host);
  if (const Json& device = found->at("device"); !device.is_null()) {
    peaks.device = device_peaks_from(device);
  }
  return peaks;
}

std::string utc_timestamp(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

Json to_json(const Meta& meta) {
  return {{"argv", meta.argv},
          {"started_at", meta.started_at},
          {"lufact", lufact_json(meta.build)},
          {"build", build_json(meta.build)},
          {"libraries", meta.build.libraries},
          {"host", host_json(meta.host)},
          {"device", device_json(meta.device)},
          {"devices", devices_json(meta.devices)},
          {"rates", rates_meta_json(meta.rates)},
          {"peaks", peaks_json(meta.peaks)}};
}

Json to_json(const ResultFile& file) {
  Json json = {{"schema", {{"name", result_schema_name}, {"version", result_schema_version}}},
               {"meta", to_json(file.meta)},
               {"config", file.config},
               {"runs", Json::array()},
               {"comparisons", Json::array()}};
  for (const RunRecord& run : file.runs) json["runs"].push_back(run_json(run, file.meta.peaks));
  for (const Comparison& comparison : file.comparisons) {
    json["comparisons"].push_back(to_json(comparison));
  }
  return json;
}

}  // namespace lufact
