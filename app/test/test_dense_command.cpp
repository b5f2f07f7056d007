// SPDX-License-Identifier: BSD-3-Clause
// `lufact dense` as a user runs it, with the stage on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class DenseCommand : public testing::Test {
 protected:
  // With a small matrix and few repetitions where `options` do not say otherwise.
  Outcome dense(std::vector<std::string> options) const {
    const auto has = [&](const std::string& option) {
      return std::ranges::find(options, option) != options.end();
    };
    const auto add_unless_given = [&](const std::string& option, const std::string& value) {
      if (!has(option)) options.insert(options.end(), {option, value});
    };
    if (!has("--rows") && !has("--columns") && !has("no-size")) add_unless_given("--n", "40");
    std::erase(options, "no-size");
    add_unless_given("--variant", "cpu");
    add_unless_given("--repetitions", "2");
    add_unless_given("--threads", "1");
    add_unless_given("--output", folder_ / "dense.json");
    options.insert(options.begin(), "dense");
    return run_program(options);
  }

  json valid_runs() const {
    const Outcome valid = run_program({"validate", folder_ / "dense.json"});
    EXPECT_EQ(valid.status, 0) << valid.err << valid.out;
    return read_json(folder_ / "dense.json").at("runs");
  }

  json ok_run(const std::vector<std::string>& options) const {
    const Outcome outcome = dense(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json run = valid_runs().at(0);
    EXPECT_EQ(run.at("outcome"), "ok");
    return run;
  }

  void expect_usage(const std::vector<std::string>& options, const std::string& text) const {
    const Outcome outcome = dense(options);
    EXPECT_EQ(outcome.status, 2) << outcome.err << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "dense.json"));
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(DenseCommand, FactorsVerifiesAndRecords) {
  const Outcome outcome = dense({"--n", "30,65"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("random 65"), HasSubstr("Gflop/s"),
                                 HasSubstr("lu of a matrix of 65 x 65")));
  const json runs = valid_runs();
  ASSERT_EQ(runs.size(), 2u);
  const json& run = runs.at(1);
  EXPECT_EQ(run.at("workload"), "dense");
  EXPECT_EQ(run.at("pipeline").at("numeric"), "cpu");
  EXPECT_EQ(run.at("verification").at("pivots").at("equal"), 65);
  const json& dense = run.at("dense");
  EXPECT_EQ(dense.at("pivoting"), "partial");
  EXPECT_EQ(dense.at("arithmetic"), "double");
  EXPECT_EQ(dense.at("block"), 64);
  EXPECT_EQ(dense.at("info"), 0);
  EXPECT_DOUBLE_EQ(dense.at("flops").get<double>(), 2.0 * 65 * 65 * 65 / 3);
  EXPECT_GT(dense.at("flops_per_s").get<double>(), 0.0);
}

TEST_F(DenseCommand, WithoutPivotingTheMatrixIsDominant) {
  const json run = ok_run({"--pivoting", "none"});
  EXPECT_EQ(run.at("input").at("name"), "dominant 40");
  EXPECT_EQ(run.at("dense").at("pivoting"), "none");
  EXPECT_TRUE(run.at("verification").at("pivots").is_null());
}

TEST_F(DenseCommand, TallAndWideMatrices) {
  EXPECT_EQ(ok_run({"--rows", "90", "--columns", "20"}).at("dense").at("m"), 90);
  EXPECT_EQ(ok_run({"--rows", "20", "--columns", "90"}).at("dense").at("n"), 90);
}

TEST_F(DenseCommand, SolvesInEveryPrecisionOfTheHost) {
  for (const char* precision : {"double", "float", "mixed-float"}) {
    const json run = ok_run({"--operation", "solve", "--rhs", "3", "--precision", precision});
    EXPECT_EQ(run.at("dense").at("rhs"), 3);
    const bool mixed = std::string(precision) == "mixed-float";
    EXPECT_EQ(run.at("dense").at("refinement").is_null(), !mixed);
    EXPECT_EQ(run.at("pipeline").at("precision"), mixed ? "double" : precision);
    EXPECT_EQ(run.at("dense").at("arithmetic"), mixed ? "float" : precision);
  }
}

TEST_F(DenseCommand, WhatCannotBeSolvedIsSaid) {
  Outcome outcome = dense({"--input", "singular:7"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  json run = valid_runs().at(0);
  EXPECT_EQ(run.at("outcome"), "singular_numeric");
  EXPECT_EQ(run.at("dense").at("info"), 7);
  outcome = dense({"--input", "special:nan", "--operation", "solve", "--precision", "mixed-float"});
  run = valid_runs().at(0);
  EXPECT_EQ(run.at("outcome"), "inaccurate");
  EXPECT_TRUE(run.at("dense").at("nonfinite").get<bool>());
}

TEST_F(DenseCommand, GrowthThatSpoilsAResultIsInaccurate) {
  dense({"--input", "growth", "--n", "200"});
  const json run = valid_runs().at(0);
  EXPECT_GT(run.at("dense").at("growth").get<double>(), 1e50);
}

TEST_F(DenseCommand, MatricesOfFiles) {
  write("array.mtx", "%%MatrixMarket matrix array real general\n2 2\n4\n1\n2\n3\n");
  write("sparse.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 3\n3 3 4\n1 3 1\n");
  for (const char* name : {"array.mtx", "sparse.mtx"}) {
    const json run = ok_run({"no-size", "--input", folder_ / name});
    EXPECT_EQ(run.at("dense").at("n"), std::string(name) == "array.mtx" ? 2 : 3);
    EXPECT_FALSE(run.at("input").at("sha256").is_null());
  }
  const json run = ok_run({"no-size", "--input", "front:" + (folder_ / "sparse.mtx")});
  EXPECT_GE(run.at("dense").at("n").get<int>(), 1);
}

TEST_F(DenseCommand, WritesWhatItHasFound) {
  ok_run({"--n", "3", "--write-factors", folder_ / "lu.npy", "--write-pivots", folder_ / "p.npy"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "lu.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "p.npy"));
  // What was written can be read.
  EXPECT_EQ(ok_run({"no-size", "--input", folder_ / "lu.npy"}).at("dense").at("m"), 3);
}

TEST_F(DenseCommand, TheSameBitsInEveryRun) {
  const auto hash = [&](const char* threads) {
    return ok_run({"--n", "150", "--threads", threads}).at("factors").at("values_sha256");
  };
  EXPECT_EQ(hash("1"), hash("2"));
}

TEST_F(DenseCommand, BadInputIsRefusedWithWhatIsAccepted) {
  expect_usage({"--n", "0"}, "accepted: 1 to 65536");
  expect_usage({"--n", "-3"}, "accepted");
  expect_usage({"--n", "99999999999999"}, "accepted");
  expect_usage({"--n", "70000"}, "accepted: 1 to 65536");
  expect_usage({"no-size"}, "accepted: --n, or --rows and --columns");
  expect_usage({"--rows", "5"}, "go together");
  expect_usage({"--rows", "0", "--columns", "5"}, "1 or more");
  expect_usage({"--rows", "70000", "--columns", "70000"}, "the smaller size up to 65536");
  expect_usage({"--rows", "5", "--columns", "6", "--operation", "solve"}, "not square");
  expect_usage({"--operation", "inverse"}, "inverse");
  expect_usage({"--block", "0"}, "accepted: auto, or 1 to 1024");
  expect_usage({"--block", "2000"}, "accepted: auto, or 1 to 1024");
  expect_usage({"--block", "7"}, "cpu does not take --block 7; accepted: 8, 16, ... to 256");
  expect_usage({"--rhs", "0", "--operation", "solve"}, "1 or more");
  expect_usage({"--precision", "mixed-float"}, "accepted with lu: double, float");
  expect_usage({"--precision", "mixed-half", "--operation", "solve"}, "accepted: own, float");
  expect_usage({"--input", "nothing"}, "accepted: dominant, random");
  expect_usage({"--input", "singular:41"}, "accepted: 1 to 40");
  expect_usage({"--variant", "nothing"}, "accepted: auto, cpu, ");
  expect_usage({"--write-solution", "x.npy"}, "nothing to write");
  expect_usage({"--input", "file.npy"}, "leave out --n");
}

TEST_F(DenseCommand, SettingsThatAVariantDoesNotTakeAreRefused) {
  expect_usage({"--depth", "1"}, "cpu does not take --depth; accepted: --block");
  expect_usage({"--variant", "mkr", "--block", "8"},
               "mkr does not take --block; accepted: --blocks, --threads-per-block");
  expect_usage({"--variant", "skr", "--blocks", "0"}, "accepted: half, or 1 to 65536");
  expect_usage({"--variant", "skr", "--threads-per-block", "33"}, "accepted: 32, 64, ... to 1024");
  expect_usage({"--variant", "mkr-graph", "--product", "own"}, "mkr-graph does not take --product");
  expect_usage({"--variant", "skr", "--pivoting", "partial"}, "accepted: none");
  expect_usage({"--variant", "recursive", "--depth", "1"}, "recursive does not take --depth");
  expect_usage({"--variant", "hybrid", "--depth", "6", "--block", "8"},
               "for order 40 in blocks of 8; accepted: max, or 0 to 5");
  expect_usage({"--variant", "mkr", "--operation", "solve"}, "accepted: lu");
  expect_usage({"--variant", "mkr", "--operation", "solve", "--precision", "mixed-float"},
               "accepted");
}

TEST_F(DenseCommand, AFileThatIsNotSquareIsNotSolvedWith) {
  write("tall.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  const Outcome outcome =
      dense({"no-size", "--operation", "solve", "--input", folder_ / "tall.mtx"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(valid_runs().at(0).at("outcome"), "unsupported");
}

TEST_F(DenseCommand, ASweepNamesItsMatrices) {
  write("config.json", R"({
    "name": "small", "purpose": "a test", "command": "dense",
    "inputs": [{"generate": {"kind": "random", "name": "square", "n": [20, 33]}},
               {"generate": {"kind": "random", "name": "tall", "m": 80, "n": 9}}],
    "options": {"repetitions": 1, "warmup": 0, "threads": 1},
    "variants": [{"name": "cpu", "mode": "cpu"},
                 {"name": "block", "mode": "cpu", "each": {"block": [16, 24]}}],
    "exclude": [{"matrix": "square-20", "variant": "block"},
                {"matrix": "square-33", "variant": "block-24"}]})");
  const Outcome outcome = run_program({"sweep", "--config", folder_ / "config.json", "--output-dir",
                                       folder_ / "out", "--matrix-dir", folder_.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Outcome valid = run_program({"validate", folder_ / "out/small.json"});
  EXPECT_EQ(valid.status, 0) << valid.err;
  const json runs = read_json(folder_ / "out/small.json").at("runs");
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[2]["sweep"]["variant"], "block-16");
  EXPECT_EQ(runs[5]["dense"]["m"], 80);
  EXPECT_EQ(runs[5]["dense"]["block"], 24);
}

}  // namespace
}  // namespace lufact::test
