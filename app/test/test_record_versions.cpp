// SPDX-License-Identifier: BSD-3-Clause
// A record of schema 1.1 beside one that is made now by the same command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "app/test/command_line.hpp"
#include "core/report/record_json.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string older_path = LUFACT_TEST_RECORDS "/schema-1.1.json";

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

TEST(RecordVersions, TheNewSchemaHasEveryKeyOfTheOlderOne) {
  const TemporaryFolder folder;
  const std::set<std::string> before = keys_of(read_json(older_path).at("runs").at(0));
  const std::set<std::string> now = keys_of(made_now(folder).at("runs").at(0));
  std::vector<std::string> gone, added;
  std::ranges::set_difference(before, now, std::back_inserter(gone));
  std::ranges::set_difference(now, before, std::back_inserter(added));
  EXPECT_THAT(gone, testing::IsEmpty());
  EXPECT_THAT(added,
              ElementsAre(".host_state", ".input", ".input.entries", ".input.name", ".input.path",
                          ".input.reading", ".input.sha256", ".variant", ".workload"));
}

TEST(RecordVersions, TheSameKeysMeanTheSame) {
  const TemporaryFolder folder;
  const json before = read_json(older_path), now = made_now(folder);
  EXPECT_EQ(before["schema"]["version"], "1.1.0");
  EXPECT_EQ(now["schema"]["version"], "2.1.0");
  json older = before["runs"][0], newer = now["runs"][0];
  newer["matrix"]["path"] = older["matrix"]["path"];
  for (const char* key :
       {"mode", "outcome", "until", "matrix", "pipeline", "factors", "numeric", "warnings"}) {
    EXPECT_EQ(newer[key], older[key]) << key;
  }
  EXPECT_EQ(newer["samples"].size(), older["samples"].size());
  EXPECT_EQ(newer["refactor_samples"].size(), older["refactor_samples"].size());
}

TEST(RecordVersions, ReadersTakeBoth) {
  const TemporaryFolder folder;
  made_now(folder);
  for (const std::string& path : {older_path, folder / "new.json"}) {
    const Outcome valid = run_program({"validate", path});
    EXPECT_EQ(valid.status, 0) << valid.err;
  }
  const Outcome compared = run_program({"compare", older_path, folder / "new.json"});
  EXPECT_THAT(compared.out, HasSubstr("geometric mean"));
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("only in")));
}

TEST(RecordVersions, AnOlderRunGetsTheHeaderThatItLacked) {
  const json run = read_json(older_path).at("runs").at(0);
  const json read = to_json(run_from_json(run));
  EXPECT_EQ(read["workload"], "sparse");
  EXPECT_EQ(read["variant"], "cpu");
  EXPECT_EQ(read["input"]["sha256"], run["matrix"]["sha256"]);
  EXPECT_EQ(read["input"]["entries"], run["matrix"]["nnz"]);
  EXPECT_EQ(read["factors"], run["factors"]);
}

}  // namespace
}  // namespace lufact::test
