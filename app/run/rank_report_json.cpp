// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/rank_report_json.hpp"

#include "core/report/gsofa_fields.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

RankFailure failure_of(const Json& from) {
  return {parse_outcome(from.at("outcome").get<std::string>()).value_or(Outcome::error),
          from.at("code").get<std::string>(), from.at("message").get<std::string>()};
}

}  // namespace

std::string text_of_report(const RankReport& report) {
  Json json{{"gsofa", codec::encode(report.notes.gsofa)},
            {"gsofa_sources", codec::encode(report.notes.gsofa_sources)},
            {"chunk_sizes", report.notes.chunk_sizes},
            {"bytes_per_source", codec::encode(report.notes.bytes_per_source)},
            {"slices", codec::encode(report.slices)},
            {"slice_entries", report.slice_entries},
            {"supernodes", report.supernodes},
            {"host_peak_bytes", report.host_peak_bytes}};
  if (const auto& failure = report.failure) {
    json["failure"] = {{"outcome", to_string(failure->outcome)},
                       {"code", failure->code},
                       {"message", failure->message}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RankReport report_of_text(const std::string& text) {
  const Json json = Json::parse(text);
  RankReport report;
  if (json.contains("failure")) report.failure = failure_of(json.at("failure"));
  codec::decode(json.at("gsofa"), report.notes.gsofa);
  codec::decode(json.at("gsofa_sources"), report.notes.gsofa_sources);
  codec::decode(json.at("chunk_sizes"), report.notes.chunk_sizes);
  codec::decode(json.at("bytes_per_source"), report.notes.bytes_per_source);
  codec::decode(json.at("slices"), report.slices);
  codec::decode(json.at("slice_entries"), report.slice_entries);
  codec::decode(json.at("supernodes"), report.supernodes);
  codec::decode(json.at("host_peak_bytes"), report.host_peak_bytes);
  return report;
}

}  // namespace lufact
