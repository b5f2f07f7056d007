// SPDX-License-Identifier: BSD-3-Clause
// `lufact sweep` from the outside: what it runs, what it refuses, and what accidents cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"

namespace lufact::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

json grid(const std::string& name, int nx) {
  return {{"generate", {{"kind", "grid2d"}, {"name", name}, {"nx", nx}, {"ny", 10}}}};
}

json small_config() {
  return {{"name", "small"},
          {"purpose", "a test"},
          {"options", {{"repetitions", 2}, {"warmup", 0}}},
          {"matrices", {grid("first", 10), grid("second", 12)}},
          {"variants",
           {{{"mode", "cpu"}},
            {{"name", "symbolic"}, {"mode", "cpu"}, {"options", {{"until", "symbolic"}}}}}}};
}

class SweepCommand : public testing::Test {
 protected:
  Outcome sweep(const json& config, const std::vector<std::string>& options = {}) const {
    return run_program(command_of(config, options));
  }

  std::vector<std::string> command_of(const json& config,
                                      const std::vector<std::string>& options) const {
    const std::string path = folder_ / "config.json";
    std::ofstream(path) << config.dump();
    std::vector<std::string> command{"sweep", "--config", path, "--output-dir", folder_ / "out"};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }

  json checked_result(const std::string& name = "small.json") const {
    const json result = read_json(folder_ / "out/" + name);
    EXPECT_THAT(schema_violations(result), testing::IsEmpty());
    EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
    return result;
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  TemporaryFolder folder_;
};

TEST_F(SweepCommand, RunsEveryVariantOnEveryMatrixWithItsOwnOptions) {
  json config = small_config();
  config["matrices"][1]["stand_in_for"] = "Group/published";
  config["exclude"] = {{{"matrix", "first"}, {"variant", "symbolic"}}};
  const Outcome outcome = sweep(config);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[3/3]"));
  const json runs = checked_result().at("runs");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0]["sweep"]["matrix"], "first");
  EXPECT_EQ(runs[0]["until"], "solve");
  EXPECT_TRUE(runs[0]["sweep"]["stand_in_for"].is_null());
  EXPECT_EQ(runs[2]["sweep"]["variant"], "symbolic");
  EXPECT_EQ(runs[2]["until"], "symbolic");
  EXPECT_EQ(runs[2]["sweep"]["options"]["until"], "symbolic");
  EXPECT_EQ(runs[2]["sweep"]["stand_in_for"], "Group/published");
  EXPECT_EQ(runs[2]["matrix"]["generator"]["sizes"]["nx"], 12);
  EXPECT_EQ(runs[2]["samples"].size(), 2u);
  EXPECT_FALSE(exists("out/small.jsonl"));
}

TEST_F(SweepCommand, RecordsAMissingFileAndGoesOn) {
  json config = small_config();
  config["matrices"].push_back({{"file", "Group/absent"}});
  const Outcome first = sweep(config, {"--matrix-dir", folder_ / "nowhere", "--quiet"});
  EXPECT_EQ(first.status, 3);
  EXPECT_THAT(first.err, HasSubstr("lufact: absent cpu: error in read: "));
  const json runs = checked_result().at("runs");
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[3]["outcome"], "ok");
  EXPECT_EQ(runs[4]["error"]["code"], "bad_matrix");
  EXPECT_THAT(runs[4]["error"]["message"].get<std::string>(), HasSubstr("--matrix-dir"));
  // Once it is there, only its runs are to be made.
  std::filesystem::create_directory(folder_ / "nowhere");
  generate(folder_, "nowhere/absent.mtx", {"grid2d", "--nx", "4", "--ny", "4"});
  const Outcome outcome = sweep(config, {"--matrix-dir", folder_ / "nowhere", "--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("4 of 6 runs are done already"));
  EXPECT_EQ(checked_result().at("runs").size(), 6u);
  EXPECT_FALSE(exists("out/small.json.previous"));
}

TEST_F(SweepCommand, TakesAStandInWhereThereIsNoFile) {
  json config = small_config();
  config["matrices"] = {{{"file", "Group/absent"},
                         {"stand_in", {{"kind", "grid2d"}, {"name", "like-it"}, {"nx", 9}}},
                         {"options", {{"timeout", 50}}}}};
  config["exclude"] = {{{"matrix", "absent"}, {"variant", "symbolic"}}};
  const Outcome outcome = sweep(config);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'like-it' is generated and stands in for Group/absent"));
  const json run = checked_result().at("runs").at(0);
  EXPECT_EQ(run["sweep"]["matrix"], "like-it");
  EXPECT_EQ(run["sweep"]["stand_in_for"], "Group/absent");
  EXPECT_EQ(run["sweep"]["options"]["timeout"], "50");
  // With the file there, it is taken.
  generate(folder_, "absent.mtx", {"grid2d", "--nx", "4", "--ny", "4"});
  EXPECT_EQ(sweep(config, {"--matrix-dir", folder_ / "", "--resume"}).status, 0);
  EXPECT_TRUE(checked_result().at("runs").at(0)["sweep"]["stand_in_for"].is_null());
}

TEST_F(SweepCommand, GoesOnInTheCompressionThatItBeganWith) {
  json config = small_config();
  EXPECT_EQ(sweep(config, {"--compress", "xz"}).status, 0);
  EXPECT_EQ(read_result_json(folder_ / "out/small.json.xz").at("runs").size(), 4u);
  const Outcome repeated = sweep(config, {"--compress", "xz"});
  EXPECT_EQ(repeated.status, 2);
  EXPECT_THAT(repeated.err, HasSubstr("small.json.xz holds runs already"));
  config["matrices"].push_back(grid("third", 8));
  const Outcome resumed = sweep(config, {"--resume"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("4 of 6 runs are done already"));
  EXPECT_EQ(read_result_json(folder_ / "out/small.json.xz").at("runs").size(), 6u);
  EXPECT_FALSE(exists("out/small.json"));
  const Outcome other = sweep(config, {"--resume", "--compress", "gz"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--compress gz"), HasSubstr("small.json.xz is there")));
  EXPECT_EQ(sweep(config, {"--compress", "zip"}).status, 2);
}

TEST_F(SweepCommand, DividesTheMatricesIntoSegments) {
  for (const char* segment : {"0", "1"}) {
    EXPECT_EQ(sweep(small_config(), {"--segments", "2", "--segment", segment}).status, 0);
  }
  EXPECT_EQ(checked_result("small.segment-0-of-2.json")["runs"][1]["sweep"]["matrix"], "first");
  EXPECT_EQ(checked_result("small.segment-1-of-2.json")["runs"][0]["sweep"]["matrix"], "second");
  const Outcome outcome = sweep(small_config(), {"--segments", "2", "--segment", "2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--segment 2"), HasSubstr("0 to 1")));
}

TEST_F(SweepCommand, PrintsWhatItWouldDo) {
  const Outcome outcome = sweep(small_config(), {"--dry-run"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("4 runs"), HasSubstr("--until symbolic"), HasSubstr("resident: fits"),
                    HasSubstr("grid2d --nx 12"), HasSubstr("0 of 4 runs have been measured")));
  EXPECT_FALSE(exists("out"));
  EXPECT_EQ(sweep(small_config()).status, 0);
  EXPECT_THAT(sweep(small_config(), {"--dry-run", "--no-forecast"}).out,
              AllOf(HasSubstr("4 of 4 runs have been measured"), HasSubstr("took"),
                    testing::Not(HasSubstr("resident"))));
}

TEST_F(SweepCommand, ForecastsGeneratedMatricesAsTheyWillBeRead) {
  json config = small_config();
  config["matrices"] = {{{"generate", {{"kind", "hex-graph"}, {"name", "mesh"}, {"nx", 9}}}}};
  config["variants"] = {
      {{"name", "cpu"}, {"mode", "cpu"}, {"options", {{"zero-diagonals", 1000}}}}};
  const Outcome outcome = sweep(config, {"--dry-run"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(sweep(config).status, 0);
  const json factors = checked_result().at("runs").at(0).at("factors");
  const auto entries = factors["nnz_l"].get<long>() + factors["nnz_u"].get<long>();
  EXPECT_THAT(outcome.out, HasSubstr("nnz(L+U) " + std::to_string(entries) + ","));
}

TEST_F(SweepCommand, ForecastsAnOrderingOfTheDeviceOnTheHost) {
  json config = small_config();
  config["variants"] = {{{"mode", "cpu"}, {"options", {{"ordering", "nd-gpu"}}}}};
  const Outcome outcome = sweep(config, {"--dry-run"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("2 runs"), HasSubstr("--ordering nd-gpu")));
  EXPECT_THAT(outcome.out + outcome.err, testing::Not(HasSubstr("session")));
}

TEST_F(SweepCommand, NamesTheKeyThatIsWrong) {
  const auto refusal = [&](const std::string& pointer, const json& value) {
    json config = small_config();
    config[json::json_pointer(pointer)] = value;
    const Outcome outcome = sweep(config);
    EXPECT_EQ(outcome.status, 2) << pointer;
    EXPECT_FALSE(exists("out")) << pointer;
    return outcome.err;
  };
  EXPECT_THAT(refusal("/repetitions", 3), AllOf(HasSubstr("'repetitions'"), HasSubstr("variants")));
  EXPECT_THAT(refusal("/name", "a/b"), HasSubstr("name: 'a/b'"));
  EXPECT_THAT(refusal("/matrices/1/generate/nx", "12"), HasSubstr("matrices[1].generate.nx"));
  EXPECT_THAT(refusal("/matrices/1/generate/kind", "teapot"),
              AllOf(HasSubstr("matrices[1].generate"), HasSubstr("circuit")));
  EXPECT_THAT(refusal("/matrices/1/file", "x"), HasSubstr("matrices[1]: needs 'file' or"));
  EXPECT_THAT(refusal("/matrices/1/generate/name", "first"), HasSubstr("'first' occurs twice"));
  EXPECT_THAT(refusal("/variants/1/mod", "cpu"), HasSubstr("variants[1]: unknown key 'mod'"));
  EXPECT_THAT(refusal("/variants/1/mode", "warp"),
              AllOf(HasSubstr("variant 'symbolic'"), HasSubstr("warp"), HasSubstr("ooc")));
  EXPECT_THAT(refusal("/variants/1/options/untill", "solve"), HasSubstr("untill"));
  EXPECT_THAT(refusal("/variants/1/options/until", "dawn"),
              AllOf(HasSubstr("--until"), HasSubstr("symbolic")));
  EXPECT_THAT(refusal("/matrices/1/options", json{{"until", "numeric"}}),
              AllOf(HasSubstr("'until'"), HasSubstr("matrix 'second'")));
  EXPECT_THAT(refusal("/exclude", {{{"matrix", "third"}, {"variant", "cpu"}}}),
              HasSubstr("exclude[0].matrix: 'third'"));
}

// Finished runs by matrix and variant, with the time at which they finished.
std::map<std::string, std::string> finished_runs(const std::string& output) {
  std::map<std::string, std::string> runs;
  const auto take = [&](const json& run) {
    const std::string name = run.at("sweep").at("matrix").get<std::string>() + " " +
                             run.at("sweep").at("variant").get<std::string>();
    const bool interrupted = !run.at("error").is_null();
    if (!interrupted) runs[name] = run.at("id").get<std::string>() + run.at("samples").dump();
  };
  std::ifstream journal(output + "l");
  for (std::string line; std::getline(journal, line) && !journal.eof();) take(json::parse(line));
  if (std::filesystem::exists(output)) {
    const json result = read_json(output);
    for (const json& run : result.at("runs")) take(run);
  }
  return runs;
}

json config_of_many_runs() {
  json config = small_config();
  for (int k = 0; k < 6; ++k) {
    config["matrices"].push_back(grid("more" + std::to_string(k), 40 + 10 * k));
  }
  return config;
}

TEST_F(SweepCommand, KilledAtAnyMomentLosesNoFinishedRun) {
  const json config = config_of_many_runs();
  const std::string output = folder_ / "out/small.json";
  std::mt19937 random(7);
  std::map<std::string, std::string> known;
  int kills = 0;
  for (int attempt = 0; known.size() < 16u && attempt < 60; ++attempt) {
    Running running(folder_, command_of(config, {"--resume", "--quiet"}));
    // Later attempts live longer, so that a slow machine gets there too.
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % (100 + 60 * attempt)));
    kill(running.pid(), SIGKILL);
    kills += running.wait().status == 128 + SIGKILL ? 1 : 0;
    const auto now = finished_runs(output);
    for (const auto& [name, run] : known) {
      ASSERT_TRUE(now.contains(name)) << name;
      EXPECT_EQ(now.at(name), run) << name << " was made again";
    }
    known = now;
  }
  EXPECT_GT(kills, 1);
  EXPECT_EQ(sweep(config, {"--resume", "--quiet"}).status, 0);
  const json result = checked_result();
  EXPECT_EQ(result.at("runs").size(), 16u);
  EXPECT_EQ(finished_runs(output), known);
  EXPECT_FALSE(exists("out/small.jsonl"));
}

TEST_F(SweepCommand, AnInterruptLeavesAValidFileToGoOnFrom) {
  json config = config_of_many_runs();
  config["options"]["repetitions"] = 60;
  const std::string output = folder_ / "out/small.json";
  Running running(folder_, command_of(config, {"--quiet"}));
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  while (finished_runs(output).empty() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(5ms);
  }
  kill(running.pid(), SIGINT);
  EXPECT_EQ(running.wait().status, 130);
  const std::size_t before = finished_runs(output).size();
  EXPECT_GE(before, 1u);
  EXPECT_LT(checked_result().at("runs").size(), 16u);
  EXPECT_EQ(sweep(config, {"--quiet"}).status, 2);  // there are runs, and --resume was not given
  const Outcome outcome = sweep(config, {"--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(std::to_string(before) + " of 16 runs are done already"));
  EXPECT_EQ(checked_result().at("runs").size(), 16u);
}

TEST_F(SweepCommand, MakesAgainWhatAnotherConfigurationMade) {
  EXPECT_EQ(sweep(small_config(), {"--quiet"}).status, 0);
  json config = small_config();
  config["variants"][1]["options"]["repetitions"] = 3;
  const Outcome outcome = sweep(config, {"--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("2 of 4 runs are done already"), HasSubstr("small.json.previous")));
  const json runs = checked_result().at("runs");
  EXPECT_EQ(runs[0]["samples"].size(), 2u);
  EXPECT_EQ(runs[1]["samples"].size(), 3u);
  EXPECT_EQ(read_json(folder_ / "out/small.json.previous").at("runs").size(), 4u);
}

TEST_F(SweepCommand, OverridesTheOptionsOfTheWholeSweepAlone) {
  json config = small_config();
  config["variants"][1]["options"]["repetitions"] = 3;
  EXPECT_EQ(sweep(config, {"--option", "repetitions=1", "--option", "record-profile"}).status, 0);
  const json runs = checked_result().at("runs");
  EXPECT_EQ(runs[0]["samples"].size(), 1u);
  EXPECT_FALSE(runs[0]["profile"].is_null());
  EXPECT_EQ(runs[1]["samples"].size(), 3u);
}

/// Replaces what was timed: sample i of every run takes (1 + i / 100) * `seconds` in `phase`.
void set_phase_seconds(const std::string& path, const std::string& phase, double seconds) {
  json result = read_json(path);
  for (json& run : result.at("runs")) {
    double factor = 1;
    for (json& sample : run.at("samples")) {
      for (json& entry : sample.at("phases")) {
        if (entry.at("name").get<std::string>() == phase) {
          entry["wall_s"] = factor * seconds;
        }
      }
      factor += 0.01;
    }
  }
  std::ofstream(path) << result;
}

TEST(CompareCommand, TellsSlowerFromSameWithIntervals) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "20", "--ny", "20"});
  for (const auto& [name, ordering] : {std::pair{"amd.json", "amd"}, {"natural.json", "natural"}}) {
    const Outcome outcome = run_program({"run", "--matrix", matrix, "--mode", "cpu", "--ordering",
                                         ordering, "--output", folder / name});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  set_phase_seconds(folder / "amd.json", "symbolic", 0.010);
  set_phase_seconds(folder / "natural.json", "symbolic", 0.020);
  const Outcome same = run_program({"compare", folder / "amd.json", folder / "amd.json"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, testing::ContainsRegex("total .* 1\\.000 .* (same|unclear)"));  // if busy
  EXPECT_THAT(same.out, testing::Not(HasSubstr("symbolic")));
  const Outcome slower =
      run_program({"compare", folder / "amd.json", folder / "natural.json", "--phase", "symbolic"});
  EXPECT_EQ(slower.status, 3) << slower.out;
  EXPECT_THAT(slower.out,
              AllOf(HasSubstr("slower"), HasSubstr("   0.500  "), HasSubstr("the factors differ"),
                    testing::Not(HasSubstr("numeric"))));
  EXPECT_EQ(run_program({"compare", folder / "amd.json", matrix}).status, 2);
}

TEST(CompareCommand, FailsWhereNothingWasCompared) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "20", "--ny", "20"});
  const std::string cpu = folder / "cpu.json", fast = folder / "fast.json";
  for (const auto& [file, mode] : {std::pair{cpu, "cpu"}, {fast, "fast-cpu"}}) {
    ASSERT_EQ(run_program({"run", "--matrix", matrix, "--mode", mode, "--output", file}).status, 0);
  }
  const Outcome nothing = run_program({"compare", cpu, fast});
  EXPECT_EQ(nothing.status, 3);
  EXPECT_THAT(nothing.err, HasSubstr("no run of A is in B"));
  const Outcome unknown = run_program({"compare", cpu, cpu, "--phase", "total,nmeric"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("\"nmeric\""), HasSubstr("numeric")));
}

TEST(CompareCommand, HasAThresholdAFloorAndMarkdown) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "20", "--ny", "20"});
  const std::string a = folder / "a.json", b = folder / "b.json";
  for (const std::string& file : {a, b}) {
    ASSERT_EQ(run_program(
                  {"run", "--matrix", matrix, "--mode", "cpu", "--refactor", "5", "--output", file})
                  .status,
              0);
  }
  set_phase_seconds(a, "numeric", 0.100), set_phase_seconds(b, "numeric", 0.110);
  const auto compare = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"compare", a, b, "--phase", "numeric"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  EXPECT_EQ(compare({}).status, 3);
  EXPECT_EQ(compare({"--threshold", "15%"}).status, 0);
  EXPECT_EQ(compare({"--floor", "20ms"}).status, 0);
  for (auto option : {"--threshold", "--floor"}) EXPECT_EQ(compare({option, "15"}).status, 2);
  const Outcome markdown = compare({"--format", "md"});
  EXPECT_EQ(markdown.status, 3);
  EXPECT_THAT(markdown.out, AllOf(HasSubstr("1 slower"), HasSubstr("| g | cpu | numeric |")));
  EXPECT_THAT(run_program({"compare", a, b, "--phase", "all"}).out,
              AllOf(HasSubstr("refactor/numeric"), HasSubstr("symbolic")));
}

}  // namespace
}  // namespace lufact::test
