// SPDX-License-Identifier: BSD-3-Clause
// `lufact batch` as a user runs it, with the stage on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "app/array/array_run.hpp"
#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class BatchCommand : public testing::Test {
 protected:
  // With few small matrices and repetitions where `options` do not say otherwise.
  Outcome batch(std::vector<std::string> options, const std::string& name = "batch.json") const {
    const auto add_unless_given = [&](const std::string& option, const std::string& value) {
      if (std::ranges::find(options, option) != options.end()) return;
      options.insert(options.end(), {option, value});
    };
    add_unless_given("--size", "5");
    add_unless_given("--count", "100");
    add_unless_given("--variant", "cpu");
    add_unless_given("--repetitions", "2");
    add_unless_given("--output", folder_ / name);
    options.insert(options.begin(), "batch");
    return run_program(options);
  }

  json valid_runs(const std::string& name = "batch.json") const {
    const Outcome valid = run_program({"validate", folder_ / name});
    EXPECT_EQ(valid.status, 0) << valid.err;
    return read_json(folder_ / name).at("runs");
  }

  // The one run of a batch that must be ok.
  json ok_run(const std::vector<std::string>& options) const {
    const Outcome outcome = batch(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return valid_runs().at(0);
  }

  void expect_usage(const std::vector<std::string>& options, const std::string& text) const {
    const Outcome outcome = batch(options);
    EXPECT_EQ(outcome.status, 2) << outcome.err << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "batch.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(BatchCommand, FactorsVerifiesAndRecords) {
  const Outcome outcome = batch({"--size", "4,7..8"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("random 7"), HasSubstr("Gflop/s"), HasSubstr("GB/s"),
                                 HasSubstr("lu of 100 matrices of order 8")));
  const json runs = valid_runs();
  ASSERT_EQ(runs.size(), 3u);
  const json& run = runs[1];
  EXPECT_EQ(run["workload"], "batch");
  EXPECT_EQ(run["mode"], "batch");
  EXPECT_EQ(run["variant"], "cpu");
  EXPECT_EQ(run["until"], "numeric");
  EXPECT_EQ(run["pipeline"]["numeric"], "cpu");
  EXPECT_EQ(run["pipeline"]["precision"], "double");
  EXPECT_EQ(run["matrix"]["generator"]["kind"], "random");
  EXPECT_EQ(run["matrix"]["generator"]["sizes"]["count"], 100);
  EXPECT_EQ(run["matrix"]["n"], 7);
  EXPECT_EQ(run["input"]["entries"], 4900);
  EXPECT_EQ(run["samples"].size(), 2u);
  EXPECT_EQ(run["samples"][0]["phases"][0]["name"], "numeric");
  const json& section = run["batch"];
  EXPECT_EQ(section["sizes"], json::parse(R"([{"n": 7, "count": 100}])"));
  EXPECT_EQ(section["side"], "host");
  EXPECT_EQ(section["layout"], "contiguous");
  EXPECT_TRUE(section["in_place"]);
  EXPECT_DOUBLE_EQ(section["flops"], 100 * (2.0 * 343 / 3 - 49 / 2.0 + 35 / 6.0));
  EXPECT_EQ(section["useful_bytes"], 100 * (2 * 49 * 8 + 7 * 4 + 4));
  EXPECT_GT(section["bytes_per_s"], 0);
  EXPECT_TRUE(section["copy_fraction"].is_null());
  EXPECT_EQ(run["verification"]["method"], "||PA - LU|| / (n ||A||)");
  EXPECT_EQ(run["verification"]["matrices_checked"], 100);
  EXPECT_EQ(run["verification"]["pivots"]["different"], 0);
  EXPECT_TRUE(run["factors"]["values_sha256"].is_string());
  EXPECT_TRUE(run["factors"]["pivots_sha256"].is_string());
  EXPECT_TRUE(run["numeric"].is_null());
}

TEST_F(BatchCommand, InvertsAndSolvesInEveryLayoutAndPrecision) {
  std::string hash;
  for (const char* layout : {"contiguous", "interleaved", "pointers"}) {
    const json run = ok_run({"--operation", "inverse", "--layout", layout, "--ld", "6"});
    EXPECT_EQ(run["batch"]["layout"], layout);
    EXPECT_FALSE(run["batch"]["in_place"]);
    if (hash.empty()) hash = run["factors"]["values_sha256"];
    EXPECT_EQ(run["factors"]["values_sha256"], hash) << layout;
  }
  const json solved = ok_run({"--operation", "solve", "--rhs", "3", "--precision", "float"});
  EXPECT_EQ(solved["until"], "solve");
  EXPECT_EQ(solved["batch"]["rhs"], 3);
  EXPECT_EQ(solved["samples"][0]["phases"][0]["name"], "solve");
  EXPECT_EQ(solved["pipeline"]["precision"], "float");
}

TEST_F(BatchCommand, ChoosesAVariantAndSaysWhy) {
  const json run = ok_run({"--variant", "auto"});
  const json& choice = run["pipeline"]["choices"][0];
  EXPECT_EQ(choice["stage"], "variant");
  EXPECT_EQ(choice["chosen"], run["variant"]);
  EXPECT_EQ(choice["candidates"], json({"fast", "cpu"}));
  EXPECT_THAT(choice["reason"], HasSubstr("the first that this machine can run"));
}

TEST_F(BatchCommand, ABatchWithSingularMatricesIsOk) {
  const json run = ok_run({"--input", "singular", "--count", "2500", "--operation", "inverse"});
  EXPECT_EQ(run["batch"]["info"]["zero_pivots"], 3);
  EXPECT_EQ(run["batch"]["info"]["first"], 0);
  const json special = ok_run({"--input", "special"});
  EXPECT_GT(special["batch"]["info"]["nonfinite"], 0);
  EXPECT_EQ(special["warnings"][0]["code"], "nonfinite_input");
}

TEST_F(BatchCommand, ABatchOfWhichNothingCanBeJudgedIsNotOk) {
  std::string file("\x93NUMPY\x01\0\x46\0", 10);
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 2), }";
  header.resize(69, ' ');
  file += header + "\n";
  const double values[] = {1, std::numeric_limits<double>::quiet_NaN(), 2, 3};
  file.append(reinterpret_cast<const char*>(values), sizeof values);
  std::ofstream(folder_ / "nan.npy", std::ios::binary) << file;
  const Outcome outcome = batch({"--input", folder_ / "nan.npy", "--size", "auto", "--count", "1"});
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("inaccurate in verify: all have NaN or Inf: nothing was"));
  EXPECT_EQ(valid_runs().at(0)["batch"]["info"]["nonfinite"], 1);
}

TEST_F(BatchCommand, TakesTurnsAndTellsTheBitsApart) {
  ASSERT_EQ(batch({"--variant", "cpu,auto", "--repetitions", "5"}).status, 0);
  const json result = read_json(folder_ / "batch.json");
  EXPECT_EQ(result["comparisons"][0]["phase"], "total_s");
  EXPECT_EQ(ok_run({})["factors"], result["runs"][0]["factors"]);
  const json other = ok_run({"--seed", "2"});
  EXPECT_NE(other["factors"]["values_sha256"], result["runs"][0]["factors"]["values_sha256"]);
  EXPECT_NE(other["id"], result["runs"][0]["id"]);
}

TEST(ArraysBetweenTurns, StayOnTheHostWhereItHasPlenty) {
  EXPECT_TRUE(arrays_may_stay(Side::host, 100, 400));
  EXPECT_FALSE(arrays_may_stay(Side::host, 100, 399));
  EXPECT_FALSE(arrays_may_stay(Side::device, 1, 1'000'000));
  EXPECT_FALSE(arrays_may_stay(Side::host, 1, 0)) << "what is available is not known";
}

// 36 MB for A and as much for A as it was made: the allocator gives arrays of that size back.
TEST_F(BatchCommand, RepetitionsFindTheirArraysMade) {
  const json run = ok_run({"--size", "15", "--count", "20000", "--repetitions", "4"});
  constexpr int page = 4096, bytes = 20000 * 15 * 15 * 8;
  for (const json& sample : run["samples"]) EXPECT_LT(sample["host"]["page_faults"], bytes / page);
}

TEST_F(BatchCommand, RunsThatAreNotVerifiedSaySo) {
  const json run = ok_run({"--verify", "none"});
  EXPECT_EQ(run["verification"]["method"], "none");
  EXPECT_EQ(run["warnings"][0]["code"], "unverified");
  EXPECT_EQ(ok_run({"--verify", "full"})["verification"]["passed"], true);
  EXPECT_EQ(batch({"--threshold", "1e-30"}).status, 3);
  EXPECT_EQ(valid_runs()[0]["outcome"], "inaccurate");
}

TEST_F(BatchCommand, WritesArraysThatItReads) {
  ok_run({"--operation", "inverse", "--write-inverse", folder_ / "x.npy"});
  const json back = ok_run({"--input", folder_ / "x.npy", "--size", "auto", "--operation",
                            "inverse", "--write-inverse", folder_ / "a.npy"});
  EXPECT_EQ(back["batch"]["sizes"], json::parse(R"([{"n": 5, "count": 100}])"));
  EXPECT_EQ(back["input"]["path"], folder_ / "x.npy");
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.npy"),
            std::filesystem::file_size(folder_ / "x.npy"));
  ok_run({"--write-factors", folder_ / "lu.npy", "--write-pivots", folder_ / "p.npy"});
  EXPECT_THAT(read_text(folder_ / "p.npy"), AllOf(HasSubstr("NUMPY"), HasSubstr("(100, 5)")));
}

TEST_F(BatchCommand, RefusesWhatNobodyTakes) {
  expect_usage({"--size", "0"}, "'0' is no order; accepted: 1 to 64");
  expect_usage({"--size", "65"}, "accepted: 1 to 64");
  expect_usage({"--size", "8..4"}, "accepted: 1 to 64");
  expect_usage({"--size", "auto"}, "has no sizes of its own");
  expect_usage({"--count", "0"}, "--count is out of range; accepted: 1 or more");
  expect_usage({"--ld", "4"}, "--ld 4 is below the order 5; accepted: 5 or more");
  expect_usage({"--variant", "teapot"}, "--variant 'teapot' is not known; accepted: auto");
  expect_usage({"--variant", "none"}, "--variant none stands alone");
  expect_usage({"--input", "teapot"}, "accepted: random");
  expect_usage({"--in-place", "off"}, "--in-place off is for --operation inverse");
  expect_usage({"--matrices-per-block", "17"}, "accepted: auto, or 1 to 16");
  expect_usage({"--write-inverse", "x.npy"}, "nothing to write with --operation lu");
  expect_usage({"--write-pivots", "x.npy", "--size", "4,5"}, "takes one size and one variant");
  expect_usage({"--tune"}, "name the file by --tuning FILE");
  expect_usage({"--tune", "--tuning", "t.tsv"}, "cpu does not take --tune; accepted: ");
  expect_usage({"--tune", "--tuning", "t.tsv", "--data", "pinned"}, "--tune is for --data device");
  expect_usage({"--tune", "--tuning", "t.tsv", "--swap", "lazy"}, "leave out");
  expect_usage({"--tuning", "absent.tsv"}, "there is no such file");
  expect_usage({"--operation", "sideways"}, "accepted: lu, inverse, solve");
  expect_usage({"--peer", "teapot"}, "--peer 'teapot' is not known; accepted: ");
}

TEST_F(BatchCommand, AFileThatIsNoArrayIsABadMatrix) {
  std::ofstream(folder_ / "cut.npy") << "\x93NUMPY\x01";
  for (const std::string file : {"cut.npy", "absent.npy"}) {
    const Outcome outcome = batch({"--input", folder_ / file});
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(file));
    EXPECT_EQ(valid_runs()[0]["error"]["code"], "bad_matrix");
  }
}

TEST_F(BatchCommand, EndsWithARecordWhereThereIsNoRoomOrNoDevice) {
  EXPECT_EQ(batch({"--host-memory-limit", "20MiB", "--size", "32", "--count", "20000"}).status, 3);
  EXPECT_EQ(valid_runs()[0]["outcome"], "oom_host");
  const json stages = json::parse(run_program({"list", "--json"}).out).at("array_stages");
  const auto absent = std::ranges::find_if(stages, [](const json& stage) {
    return stage["can_run"] == false && stage["operations"][0] == "lu";
  });
  if (absent == stages.end()) GTEST_SKIP() << "every variant can run here";
  EXPECT_EQ(batch({"--variant", absent->at("name").get<std::string>() + ",cpu"}).status, 3);
  const json runs = valid_runs();
  EXPECT_EQ(runs[0]["outcome"], "unsupported");
  EXPECT_EQ(runs[1]["outcome"], "ok");
}

TEST_F(BatchCommand, ValidateRecomputesEveryNumber) {
  ok_run({});
  const json good = read_json(folder_ / "batch.json");
  const std::vector<std::pair<const char*, json>> mutations = {
      {"flops", 1.0},         {"useful_bytes", 1.0}, {"flops_per_s", 1.0},    {"bytes_per_s", 1.0},
      {"copy_fraction", 0.5}, {"count", 99},         {"flops_per_s", nullptr}};
  for (const auto& [key, value] : mutations) {
    json bad = good;
    bad["runs"][0]["batch"][key] = value;
    std::ofstream(folder_ / "bad.json") << bad.dump();
    const Outcome outcome = run_program({"validate", folder_ / "bad.json"});
    EXPECT_EQ(outcome.status, 3) << key;
    EXPECT_THAT(outcome.err, HasSubstr(key));
  }
}

TEST_F(BatchCommand, IsComparedByMatricesAndVariant) {
  ASSERT_EQ(batch({}, "a.json").status, 0);
  ASSERT_EQ(batch({}, "b.json").status, 0);
  const Outcome outcome = run_program({"compare", folder_ / "a.json", folder_ / "b.json"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("random 5"), HasSubstr("cpu"), HasSubstr("numeric")));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("only in")));
}

TEST_F(BatchCommand, HelpNamesVariantsInputsAndPeers) {
  const std::string help = run_program({"batch", "--help"}).out;
  EXPECT_THAT(help, AllOf(HasSubstr("auto | cpu"), HasSubstr("elements:tet4-elastic"),
                          HasSubstr("cublas"), HasSubstr("Arrays and kernels:")));
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

class BatchSweep : public BatchCommand {
 protected:
  static json config() {
    return {
        {"name", "small"},
        {"purpose", "a test"},
        {"command", "batch"},
        {"options", {{"repetitions", 2}}},
        {"inputs",
         {{{"generate", {{"kind", "random"}, {"name", "random"}, {"n", "3..5"}, {"count", 50}}}},
          {{"generate",
            {{"kind", "ties"}, {"name", "ties"}, {"n", json::array({2, 8})}, {"count", 9}}}}}},
        {"variants",
         {{{"name", "lu"}, {"mode", "cpu"}},
          {{"name", "inverse"}, {"mode", "cpu"}, {"options", {{"operation", "inverse"}}}}}},
        {"exclude", {{{"matrix", "ties-8"}, {"variant", "inverse"}}}}};
  }

  Outcome sweep(const json& config, const std::vector<std::string>& options = {}) const {
    std::ofstream(folder_ / "config.json") << config.dump();
    std::vector<std::string> command{"sweep",        "--config",      folder_ / "config.json",
                                     "--output-dir", folder_ / "out", "--matrix-dir",
                                     folder_.path()};
    command.insert(command.end(), options.begin(), options.end());
    return run_program(command);
  }
};

TEST_F(BatchSweep, ExpandsSizesAndResumes) {
  const Outcome dry = sweep(config(), {"--dry-run"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("5 inputs, 2 variants, 9 runs"), HasSubstr("random-4"),
                             HasSubstr("cpu inverse"), HasSubstr("--n 8 --count 9 --seed 1")));
  EXPECT_EQ(sweep(config(), {"--segments", "2", "--segment", "1"}).status, 0);
  EXPECT_EQ(sweep(config()).status, 0);
  const json runs = valid_runs("out/small.json");
  ASSERT_EQ(runs.size(), 9u);
  EXPECT_EQ(runs[2]["sweep"]["matrix"], "random-4");
  EXPECT_EQ(runs[3]["batch"]["operation"], "inverse");
  json changed = config();
  changed["inputs"][1]["generate"]["seed"] = 7;
  const Outcome again = sweep(changed, {"--resume"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("6 of 9 runs are done already"));
  EXPECT_EQ(valid_runs("out/small.json")[0], runs[0]);
}

TEST_F(BatchSweep, TakesFilesWithOrderAndCountAsOptions) {
  ok_run({"--operation", "inverse", "--write-inverse", folder_ / "x.npy"});
  json of_file = config();
  of_file.erase("exclude");
  of_file["inputs"] = {{{"file", "x.npy"}, {"name", "x"}, {"options", {{"count", 7}}}}};
  EXPECT_EQ(sweep(of_file).status, 0);
  const json runs = valid_runs("out/small.json");
  EXPECT_EQ(runs[0]["batch"]["sizes"], json::parse(R"([{"n": 5, "count": 7}])"));
}

TEST_F(BatchSweep, RefusesWhatTheCommandLineWould) {
  json bad = config();
  bad["inputs"][0]["generate"]["n"] = "60..65";
  EXPECT_THAT(sweep(bad).err, AllOf(HasSubstr("inputs[0].generate"), HasSubstr("--size 65")));
  bad["inputs"][0]["generate"]["n"] = "5..3";
  EXPECT_THAT(sweep(bad).err, HasSubstr("inputs[0].generate.n: '5..3' is no range"));
  bad = config();
  bad["options"]["ld"] = 4;
  const Outcome outcome = sweep(bad);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("random-5"), HasSubstr("--ld 4 is below the order 5")));
  bad = config();
  bad["inputs"][0] = {{"file", "random"}};
  EXPECT_THAT(sweep(bad).err, HasSubstr("give what is generated as 'generate'"));
}

}  // namespace
}  // namespace lufact::test
