// SPDX-License-Identifier: BSD-3-Clause
// Records of schema 1.1 and 2.0 beside one that is made now by the same command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "app/test/command_line.hpp"
#include "core/report/record_json.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string path_1_1 = LUFACT_TEST_RECORDS "/schema-1.1.json";
const std::string path_2_0 = LUFACT_TEST_RECORDS "/schema-2.0.json";

// What meta.argv of the older file says, on the same matrix.
json made_now(const TemporaryFolder& folder) {
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "cpu", "--repetitions", "2", "--warmup",
                   "0", "--refactor", "1", "--quiet", "--output", folder / "new.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return read_json(folder / "new.json");
}

// Every key by its path; the entries of a list share one.
void collect_keys(const json& node, const std::string& path, std::set<std::string>& keys) {
  if (node.is_array()) {
    for (const json& item : node) collect_keys(item, path + "[]", keys);
  } else if (node.is_object()) {
    for (const auto& [key, value] : node.items()) {
      keys.insert(path + "." + key);
      collect_keys(value, path + "." + key, keys);
    }
  }
}

std::set<std::string> keys_of(const json& node) {
  std::set<std::string> keys;
  collect_keys(node, "", keys);
  return keys;
}

// Without the members that `older` lacks, at every depth.
json as_old_as(const json& older, json newer) {
  if (older.is_array() && newer.is_array() && older.size() == newer.size()) {
    for (std::size_t k = 0; k < older.size(); ++k) newer[k] = as_old_as(older[k], newer[k]);
    return newer;
  }
  if (!older.is_object() || !newer.is_object()) return newer;
  const json all = newer;
  for (const auto& [key, value] : all.items()) {
    if (!older.contains(key)) {
      newer.erase(key);
    } else {
      newer[key] = as_old_as(older[key], value);
    }
  }
  return newer;
}

// What a busy host adds is left out.
json without_quality(const json& warnings) {
  json left = json::array();
  for (const json& warning : warnings) {
    constexpr std::string_view codes[] = {"host_busy", "host_shared", "noisy", "outliers"};
    if (std::ranges::find(codes, warning.at("code")) == std::end(codes)) left.push_back(warning);
  }
  return left;
}

std::vector<std::string> without(const std::set<std::string>& keys,
                                 const std::set<std::string>& others) {
  std::vector<std::string> left;
  std::ranges::set_difference(keys, others, std::back_inserter(left));
  return left;
}

// What is inside a section that the older ones lack, or have as null; or inside a warning, which a
// busy host adds.
bool is_inside_new_section(const std::string& key) {
  constexpr std::string_view sections[] = {
      ".host_state.", ".sampling.", ".samples[].host.", ".refactor_samples[].host.",
      ".warnings[].", ".rates.",    ".refactor_rates.", ".refactoring."};
  return std::ranges::any_of(sections, [&](auto section) { return key.starts_with(section); });
}

TEST(RecordVersions, TheNewSchemaHasEveryKeyOfTheOlderOnes) {
  const TemporaryFolder folder;
  const std::set<std::string> first = keys_of(read_json(path_1_1).at("runs").at(0));
  const std::set<std::string> second = keys_of(read_json(path_2_0).at("runs").at(0));
  std::set<std::string> now = keys_of(made_now(folder).at("runs").at(0));
  EXPECT_THAT(without(first, second), testing::IsEmpty());
  EXPECT_THAT(without(second, now), testing::IsEmpty());
  EXPECT_THAT(without(second, first),
              ElementsAre(".host_state", ".input", ".input.entries", ".input.name", ".input.path",
                          ".input.reading", ".input.sha256", ".variant", ".workload"));
  EXPECT_TRUE(now.contains(".host_state.waited_share") && now.contains(".sampling.ended_by"));
  std::erase_if(now, is_inside_new_section);
  EXPECT_THAT(
      without(now, second),
      ElementsAre(".batch", ".dense", ".distribution", ".environment", ".factors.pivots_sha256",
                  ".gsofa", ".memory.driver", ".memory.factors_host_bytes", ".memory.factors_parts",
                  ".numeric.delayed_pivots", ".numeric.replans", ".numeric.suspect_pivots",
                  ".rates", ".refactor_rates", ".refactor_samples[].host", ".refactoring",
                  ".samples[].host", ".sampling", ".supernodes", ".systems",
                  ".verification.matrices_checked", ".verification.pivots",
                  ".verification.worst_matrix"));
}

class OlderRecord : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Versions, OlderRecord, testing::Values(path_1_1, path_2_0));

TEST_P(OlderRecord, TheSameKeysMeanTheSame) {
  const TemporaryFolder folder;
  const json before = read_json(GetParam()), now = made_now(folder);
  EXPECT_NE(before["schema"]["version"], now["schema"]["version"]);
  EXPECT_EQ(now["schema"]["version"], "2.4.0");
  json older = before["runs"][0];
  json newer = as_old_as(older, now["runs"][0]);
  newer["matrix"]["path"] = older["matrix"]["path"];
  newer["warnings"] = without_quality(newer["warnings"]);
  for (const char* key :
       {"mode", "outcome", "until", "matrix", "pipeline", "factors", "numeric", "warnings"}) {
    EXPECT_EQ(newer[key], older[key]) << key;
  }
  EXPECT_EQ(newer["samples"].size(), older["samples"].size());
  EXPECT_EQ(newer["refactor_samples"].size(), older["refactor_samples"].size());
}

TEST_P(OlderRecord, IsReadByEveryCommand) {
  const TemporaryFolder folder;
  made_now(folder);
  for (const std::string& path : {GetParam(), folder / "new.json"}) {
    const Outcome valid = run_program({"validate", path});
    EXPECT_EQ(valid.status, 0) << valid.err;
  }
  const Outcome compared = run_program({"compare", GetParam(), folder / "new.json"});
  EXPECT_THAT(compared.out, HasSubstr("\ngrid "));
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("only in")));
}

TEST_P(OlderRecord, GetsWhatItLacked) {
  const json run = read_json(GetParam()).at("runs").at(0);
  const json read = to_json(run_from_json(run));
  EXPECT_EQ(read["workload"], "sparse");
  EXPECT_EQ(read["variant"], "cpu");
  EXPECT_EQ(read["input"]["sha256"], run["matrix"]["sha256"]);
  EXPECT_EQ(read["input"]["entries"], run["matrix"]["nnz"]);
  EXPECT_TRUE(read["batch"].is_null());
  EXPECT_EQ(as_old_as(run, read), run);
}

}  // namespace
}  // namespace lufact::test
