// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <set>

#include "core/report/consistency.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/test/sample_records.hpp"
#include "core/report/test/written_file.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using test::Mutation;
using test::written_file;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void erase_keys(json& from, std::initializer_list<const char*> keys) {
  for (const char* key : keys) from.erase(key);
}

TEST(ResultFile, WhatIsWrittenFitsTheSchemaAndItself) {
  const json file = written_file();
  EXPECT_THAT(schema_violations(file), IsEmpty());
  EXPECT_THAT(consistency_violations(file, {sparse_facts()}), IsEmpty());
  EXPECT_THAT(file["comparisons"], Not(IsEmpty()));
}

TEST(ResultFile, AFileOfAMachineThatIsNotKnownFitsTheSchema) {
  ResultFile file = test::file_of({});
  file.meta.host = HostFacts{};
  file.meta.device.reset();
  EXPECT_THAT(schema_violations(to_json(file)), IsEmpty());
  file.meta.device = DeviceMeta{};
  EXPECT_THAT(schema_violations(to_json(file)), IsEmpty());
  EXPECT_TRUE(to_json(file)["meta"]["device"]["name"].is_null());
}

TEST(ResultFile, AJournalLineFitsTheSchemaOfARun) {
  EXPECT_THAT(run_schema_violations(to_json(test::full_run())), IsEmpty());
  EXPECT_THAT(run_schema_violations(to_json(test::failed_run())), IsEmpty());
  EXPECT_THAT(run_schema_violations(json::object()), Not(IsEmpty()));
}

TEST(ResultFile, SaysWhatItWasBuiltFrom) {
  const json meta = to_json(test::file_of({}).meta);
  EXPECT_THAT(meta["lufact"]["git_sha"].get<std::string>(),
              testing::MatchesRegex("[0-9a-f]{40}|unknown"));
  EXPECT_EQ(meta["lufact"]["git_sha"] == "unknown", meta["lufact"]["git_dirty"].is_null());
  EXPECT_FALSE(meta["lufact"]["version"].get<std::string>().empty());
  for (const char* library : {"fmt", "CLI11", "zlib", "SuiteSparse AMD"}) {
    EXPECT_TRUE(meta["libraries"].contains(library)) << library;
  }
}

TEST(ResultFile, TimesAreUtc) {
  const auto time = std::chrono::system_clock::from_time_t(1769850300);
  EXPECT_EQ(utc_timestamp(time), "2026-01-31T09:05:00Z");
}

TEST(ResultSchema, NamesTheVersionThatIsWritten) {
  const json schema = json::parse(result_schema());
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(written_file()["schema"], (json{{"name", "lufact-result"}, {"version", "2.4.0"}}));
}

TEST(ResultSchema, AcceptsAdditionalKeys) {
  json file = written_file();
  file["runs"][0]["factors"]["new_figure"] = 7;
  file["runs"][0]["unified_memory"] = {{"gpu_page_fault_groups", 1},
                                       {"gpu_page_fault_records", 1},
                                       {"fault_service_s", nullptr},
                                       {"bytes_htod", 4096},
                                       {"bytes_dtoh", 0},
                                       {"unavailable_reason", nullptr}};
  EXPECT_THAT(schema_violations(file), IsEmpty());
}

TEST(ResultSchema, SaysWhereAFileIsWrong) {
  json file = written_file();
  file["runs"][1]["factors"].erase("nnz_l");
  EXPECT_THAT(schema_violations(file),
              ElementsAre(testing::AllOf(HasSubstr("runs[1].factors: "), HasSubstr("nnz_l"))));
}

TEST(ResultSchema, ListsEveryViolationAndNoneTwice) {
  json file = written_file();
  file["meta"]["started_at"] = "yesterday";
  file["runs"][0]["outcome"] = "fine";
  file["runs"][0]["samples"][0]["phases"][0]["wall_s"] = -1;
  file["runs"][0]["samples"][0].erase("total_s");
  file["runs"][0]["matrix"].erase("n");
  file["runs"][0]["matrix"].erase("name");
  file["runs"][1]["factors"] = "none";
  EXPECT_THAT(schema_violations(file),
              ElementsAre(HasSubstr("meta.started_at: \"yesterday\" breaks \"pattern\": \"^[0-9]"),
                          "runs[0].matrix: lacks \"name\", \"n\"",
                          HasSubstr("runs[0].outcome: \"fine\" breaks \"enum\": [\"ok\","),
                          "runs[0].samples[0].phases[0].wall_s: -1 breaks \"minimum\": 0",
                          "runs[0].samples[0]: lacks \"total_s\"",
                          "runs[1].factors: \"none\" breaks \"type\": [\"object\",\"null\"]"));
  EXPECT_THAT(schema_violations(json::array()),
              ElementsAre("the whole file: an array breaks \"type\": \"object\""));
}

TEST(ResultSchema, EndsTheListSomewhere) {
  json file = written_file();
  file["meta"]["argv"] = std::vector<int>(most_violations + 1, 7);
  EXPECT_EQ(schema_violations(file).size(), most_violations);
}

// What `schema` and the schemas in it say: {"type", "items", ...} and all values of "$ref".
void collect_keywords(const json& schema, std::set<std::string>& keywords,
                      std::set<std::string>& references) {
  for (const auto& [keyword, value] : schema.items()) {
    keywords.insert(keyword);
    if (keyword == "$ref") references.insert(value.get<std::string>());
    if (keyword == "properties" || keyword == "definitions") {
      for (const json& part : value) collect_keywords(part, keywords, references);
    }
    if (keyword == "items" || keyword == "additionalProperties") {
      collect_keywords(value, keywords, references);
    }
  }
}

// RapidJSON passes over keywords that it does not know (const, if, contains, propertyNames and
// every other one of draft 6 and 7) and over references that lead nowhere: a schema that used one
// would accept too much in silence. A keyword is added here with a violation of it in
// RejectsWrongTypesAndUnknownNames.
TEST(ResultSchema, UsesOnlyWhatTheValidatorHonours) {
  const std::set<std::string> honoured = {
      "type",        "enum",  "minimum",  "maximum",    "minLength",
      "pattern",     "items", "required", "properties", "additionalProperties",
      "definitions", "$ref"};
  const std::set<std::string> notes = {"$schema", "title", "description"};
  const json schema = json::parse(result_schema());
  std::set<std::string> keywords, references;
  collect_keywords(schema, keywords, references);
  for (const std::string& keyword : keywords) {
    EXPECT_TRUE(honoured.contains(keyword) || notes.contains(keyword)) << keyword;
  }
  for (const std::string& reference : references) {
    ASSERT_TRUE(reference.starts_with("#/definitions/")) << reference;
    EXPECT_TRUE(schema.contains(json::json_pointer(reference.substr(1)))) << reference;
  }
}

// Every key of the contract, taken away one at a time, is missed.
void expect_every_key_missed(const json& whole, const json::json_pointer& at) {
  for (const auto& [key, value] : whole.at(at).items()) {
    json file = whole;
    file.at(at).erase(key);
    EXPECT_THAT(schema_violations(file), Not(IsEmpty())) << at.to_string() << " without " << key;
  }
}

TEST(ResultSchema, MissesEveryKeyOfTheContract) {
  json whole = json::parse(
      dump_json(to_json(test::file_of({test::full_run(), test::scaled_run("0002", "cpu", 2)}))));
  erase_keys(whole["runs"][0]["matrix"],
             {"file_bytes", "field", "file_symmetry", "duplicates_summed", "explicit_zeros_dropped",
              "zero_diagonals_replaced", "missing_diagonals"});
  whole["runs"][0]["verification"].erase("message");
  whole["runs"][0]["profile"].erase("sources");
  erase_keys(whole["runs"][0],
             {"peer", "sweep", "gsofa", "supernodes", "distribution", "systems", "batch", "dense",
              "sampling", "refactoring", "environment", "rates", "refactor_rates"});
  erase_keys(whole["runs"][0]["host_state"],
             {"watched_s", "other_processors", "other_processors_elsewhere"});
  whole["runs"][1]["sampling"].erase("turn_warmups");
  erase_keys(whole["runs"][1]["samples"][0]["host"], {"page_faults", "core_before", "core_after"});
  whole["comparisons"][0].erase("paired");
  whole["runs"][0]["samples"][0].erase("host");
  whole["runs"][0]["factors"].erase("pivots_sha256");
  erase_keys(whole["runs"][0]["memory"], {"driver", "factors_host_bytes", "factors_parts"});
  for (const char* later : {"matrices_checked", "worst_matrix", "pivots"}) {
    whole["runs"][0]["verification"].erase(later);
  }
  for (const char* addition : {"max_parallel_blocks", "pivoting", "exchanged_rows", "replans",
                               "delayed_pivots", "suspect_pivots"}) {
    whole["runs"][0]["numeric"].erase(addition);
  }
  EXPECT_THAT(schema_violations(whole), IsEmpty());
  for (const char* at : {"",
                         "/schema",
                         "/meta/lufact",
                         "/meta/host",
                         "/runs/0",
                         "/runs/0/input",
                         "/runs/0/matrix",
                         "/runs/0/matrix/generator",
                         "/runs/0/pipeline",
                         "/runs/0/pipeline/choices/0",
                         "/runs/0/setup",
                         "/runs/0/samples/0",
                         "/runs/0/samples/0/phases/0",
                         "/runs/0/host_state",
                         "/runs/1/sampling",
                         "/runs/1/refactoring",
                         "/runs/1/samples/0/host",
                         "/runs/1/samples/1/host/core_before",
                         "/runs/0/summary/total_s",
                         "/runs/0/factors",
                         "/runs/0/factors/levels_by_rule",
                         "/runs/0/memory",
                         "/runs/0/numeric",
                         "/runs/0/numeric/level_kernel_counts",
                         "/runs/0/verification",
                         "/runs/0/profile",
                         "/runs/0/profile/levels",
                         "/runs/0/profile/frontier",
                         "/runs/0/profile/frontier/parts",
                         "/runs/0/warnings/0",
                         "/comparisons/0"}) {
    expect_every_key_missed(whole, json::json_pointer(at));
  }
}

TEST(ResultSchema, RejectsWrongTypesAndUnknownNames) {
  const std::vector<Mutation> mutations = {
      {"/schema/version", "3.0.0"},
      {"/schema/version", "1x1.0"},
      {"/schema/name", "another"},
      {"/meta/started_at", "yesterday"},
      {"/meta/started_at", "2026-01-31 09:05:00Z"},
      {"/meta/lufact/git_sha", ""},
      {"/meta/libraries/fmt", 9},
      {"/meta/argv", "lufact run"},
      {"/runs/0/outcome", "fine"},
      {"/runs/0/outcome", nullptr},
      {"/runs/0/workload", ""},
      {"/runs/0/variant", nullptr},
      {"/runs/0/input/sha256", "abc"},
      {"/runs/0/until", "end"},
      {"/runs/0/id", ""},
      {"/runs/0/matrix/n", "600"},
      {"/runs/0/matrix/n", -1},
      {"/runs/0/matrix/n", 1.5},
      {"/runs/0/matrix/sha256", "abc"},
      {"/runs/0/matrix/sha256", std::string(65, 'a')},
      {"/runs/0/matrix/generator/sizes/nx", "24"},
      {"/runs/0/matrix/symmetry", "mirror"},
      {"/runs/0/matrix/structural_symmetry", 1.5},
      {"/runs/0/pipeline/precision", "half"},
      {"/runs/0/pipeline/postorder", "on"},
      {"/runs/0/samples/0/total_s", nullptr},
      {"/runs/0/samples/0/total_s", "1 s"},
      {"/runs/0/samples/0/phases/0/wall_s", -1.0},
      {"/runs/0/samples/0/phases/0/name", "preprocess"},
      {"/runs/0/samples/0/phases/0/name", "symbolic//count"},
      {"/runs/0/samples/0/phases/0/bytes_h2d", nullptr},
      {"/runs/0/summary/numeric/n", 0},
      {"/runs/0/factors/pattern", "approximate"},
      {"/runs/0/verification/passed", nullptr},
      {"/runs/0/verification/passed", 1},
      {"/runs/0/verification/pivots", {{"checked", 1}}},
      {"/runs/0/batch", {{"operation", "lu"}}},
      {"/runs/0/profile/levels/columns/0", "x"},
      {"/runs/1/sweep/environment", "0 to f"},
      {"/runs/1/sweep/options", {{"rhs", 2}}},
      {"/runs/2/error/message", ""},
      {"/runs/4/peer/threads", -1},
      {"/runs/4/peer/settings/pivot_tolerance", 0.001},
      {"/comparisons/0/verdict", "better"},
  };
  for (const auto& [pointer, value] : mutations) {
    json file = written_file();
    file.at(json::json_pointer(pointer)) = value;
    EXPECT_THAT(schema_violations(file), Not(IsEmpty())) << pointer << " = " << value;
  }
}

TEST(ResultSchema, ANumberThatIsNotFiniteNeverGetsThrough) {
  RunRecord run = test::full_run();
  run.samples[0].phases[0].wall_s = std::numeric_limits<double>::quiet_NaN();
  const std::string text = dump_json(to_json(test::file_of({run})));
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_THAT(schema_violations(json::parse(text)),
              Contains(HasSubstr("runs[0].samples[0].phases[0].wall_s")));
}

}  // namespace
}  // namespace lufact
