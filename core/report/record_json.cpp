// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/record_json.hpp"

#include "core/report/gsofa_figures.hpp"
#include "core/report/matrix_of_arrays.hpp"
#include "core/report/phase_rates.hpp"
#include "core/report/profile_bins.hpp"
#include "core/report/record_fields.hpp"
#include "core/report/run_header.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

using codec::decode;
using codec::encode;
using codec::Json;

Json matrix_of_run(const RunRecord& run) {
  if (run.batch.has_value() || run.dense.has_value()) return matrix_of_arrays(run);
  if (!run.matrix.has_value()) return nullptr;
  Json matrix = to_json(*run.matrix);
  matrix["missing_diagonals_added"] = encode(run.missing_diagonals_added);
  return matrix;
}

// No list of chunks is "not known" unless the number of chunks is.
Json memory_of_run(const MemoryRecord& memory) {
  Json json = encode(memory);
  if (!memory.chunks.has_value() && memory.chunk_sizes.empty()) json["chunk_sizes"] = nullptr;
  return json;
}

Json profile_of_run(const RunRecord& run) {
  return run.profile.has_value() ? encode(bin_profile(*run.profile)) : Json(nullptr);
}

template <class T>
T decoded(const Json& json) {
  T value;
  decode(json, value);
  return value;
}

}  // namespace

Json to_json(const PhaseTime& phase) {
  return encode(phase);
}

Json to_json(const Sample& sample) {
  return encode(sample);
}

Json to_json(const UnifiedMemoryRecord& unified) {
  return encode(unified);
}

Json to_json(const DriverMemoryRecord& driver) {
  return encode(driver);
}

Json to_json(const GsofaSources& sources) {
  return encode(sources);
}

Json to_json(const RunRecord& run) {
  Json json = Json::object();
  json["id"] = run.id;
  json["workload"] = run.workload;
  json["mode"] = run.mode;
  json["variant"] = run.variant;
  json["input"] = encode(run.input);
  json["outcome"] = std::string(to_string(run.outcome));
  json["error"] = encode(run.error);
  json["until"] = run.until;
  json["matrix"] = matrix_of_run(run);
  json["pipeline"] = encode(run.pipeline);
  json["peer"] = encode(run.peer);
  json["setup"]["phases"] = encode(run.setup);
  json["samples"] = encode(run.samples);
  json["refactor_samples"] = encode(run.refactor_samples);
  json["sampling"] = encode(run.sampling);
  json["refactoring"] = encode(run.refactoring);
  json["summary"] = summary_json(run.samples);
  json["refactor_summary"] = summary_json(run.refactor_samples);
  json["rates"] = rates_json(phase_rates(run, {}));  // shares of peaks: with the file's
  json["refactor_rates"] = rates_json(refactor_rates(run, {}));
  json["factors"] = encode(run.factors);
  json["memory"] = memory_of_run(run.memory);
  json["unified_memory"] = encode(run.unified_memory);
  json["numeric"] = encode(run.numeric);
  json["gsofa"] = encode(gsofa_with_figures(run));
  json["supernodes"] = encode(run.supernodes);
  json["distribution"] = encode(run.distribution);
  json["systems"] = encode(run.systems);
  json["verification"] = encode(run.verification);
  json["profile"] = profile_of_run(run);
  json["batch"] = encode(run.batch);
  json["dense"] = encode(run.dense);
  json["host_state"] = encode(run.host_state);
  json["warnings"] = encode(run.warnings);
  json["sweep"] = encode(run.sweep);
  json["environment"] = encode(run.environment);
  return json;
}

PhaseTime phase_from_json(const Json& json) {
  return decoded<PhaseTime>(json);
}

Sample sample_from_json(const Json& json) {
  return decoded<Sample>(json);
}

UnifiedMemoryRecord unified_memory_from_json(const Json& json) {
  return decoded<UnifiedMemoryRecord>(json);
}

DriverMemoryRecord driver_memory_from_json(const Json& json) {
  return decoded<DriverMemoryRecord>(json);
}

GsofaSources gsofa_sources_from_json(const Json& json) {
  return decoded<GsofaSources>(json);
}

RunRecord run_from_json(const Json& json) {
  RunRecord run = header_from_json(json);
  decode(json.at("error"), run.error);
  if (json.contains("batch")) decode(json.at("batch"), run.batch);  // not before 2.1
  if (json.contains("dense")) decode(json.at("dense"), run.dense);  // not before 2.2
  if (run.batch.has_value()) {
    run.batch->generator = generator_of_arrays(json.at("matrix"));
  } else if (run.dense.has_value()) {
    run.dense->generator = generator_of_arrays(json.at("matrix"));
  } else if (!json.at("matrix").is_null()) {
    run.matrix = matrix_from_json(json.at("matrix"));
    decode(json.at("matrix").at("missing_diagonals_added"), run.missing_diagonals_added);
  }
  decode(json.at("pipeline"), run.pipeline);
  if (json.contains("peer")) decode(json.at("peer"), run.peer);  // not in the first records
  decode(json.at("setup").at("phases"), run.setup);
  decode(json.at("samples"), run.samples);
  decode(json.at("refactor_samples"), run.refactor_samples);
  decode(json.at("factors"), run.factors);
  decode(json.at("memory"), run.memory);
  decode(json.at("unified_memory"), run.unified_memory);
  decode(json.at("numeric"), run.numeric);
  if (json.contains("gsofa")) decode(json.at("gsofa"), run.gsofa);  // these two not before 2.1
  if (json.contains("supernodes")) decode(json.at("supernodes"), run.supernodes);
  if (json.contains("distribution")) decode(json.at("distribution"), run.distribution);  // 2.2
  decode(json.at("verification"), run.verification);
  decode(json.at("profile"), run.profile);
  if (json.contains("host_state")) decode(json.at("host_state"), run.host_state);  // not in 1.x
  if (json.contains("sampling")) decode(json.at("sampling"), run.sampling);        // not before 2.2
  if (json.contains("refactoring")) decode(json.at("refactoring"), run.refactoring);  // 2.2
  decode(json.at("warnings"), run.warnings);
  if (json.contains("environment")) decode(json.at("environment"), run.environment);  // since 2.2
  return run;
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lufact
