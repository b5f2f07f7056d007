// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "app/test/occurrences.hpp"

namespace lufact::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Program, ExplainsItself) {
  const Outcome help = run_program({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, testing::AllOf(HasSubstr("run"), HasSubstr("doctor"), HasSubstr("list")));
  EXPECT_EQ(run_program({"run", "--help"}).status, 0);
  EXPECT_EQ(run_program({"--version"}).status, 0);
  EXPECT_EQ(run_program({}).status, 2);
}

TEST(Program, HelpIsACommandToo) {
  EXPECT_EQ(run_program({"help"}).out, run_program({"--help"}).out);
  EXPECT_EQ(run_program({"help", "run"}).out, run_program({"run", "--help"}).out);
  EXPECT_THAT(run_program({"help"}).out, HasSubstr("Examples:\n  lufact doctor\n"));
}

// Runs a line of the shell in which $0 is the program; standard error goes to `folder`/err.
int shell(const TemporaryFolder& folder, const std::string& line) {
  const std::string command = "cd " + folder.path() + " && sh -c '{ " + line + "; } 2>err' " +
                              located(LUFACT_BINARY_VARIABLE, LUFACT_BINARY);
  return WEXITSTATUS(std::system(command.c_str()));
}

TEST(Program, AReaderThatHasSeenEnoughIsNoFault) {
  const TemporaryFolder folder;
  EXPECT_EQ(shell(folder, R"({ "$0" list; echo $? > status; } | head -c 1 > first)"), 0);
  EXPECT_EQ(read_text(folder / "first"), "m");
  EXPECT_EQ(read_text(folder / "status"), "0\n");
  EXPECT_EQ(read_text(folder / "err"), "");
}

TEST(Program, SaysThatWhatItPrintsIsLost) {
  const TemporaryFolder folder;
  // The second is short enough to wait in a buffer to the end.
  for (const char* line :
       {R"("$0" completion bash > /dev/full)", R"("$0" --version > /dev/full)"}) {
    EXPECT_EQ(shell(folder, line), 1) << line;
    EXPECT_EQ(read_text(folder / "err"),
              "lufact: cannot write to standard output: No space left on device\n");
  }
}

TEST(Program, WritesItsFileWhereTablesAreLost) {
  const TemporaryFolder folder;
  const std::string run = R"("$0" batch --size 3 --count 9 --variant cpu --output r.json > )";
  EXPECT_EQ(shell(folder, run + "/dev/full"), 1);
  EXPECT_THAT(read_text(folder / "err"), HasSubstr("cannot write to standard output: No space"));
  EXPECT_EQ(run_program({"validate", folder / "r.json"}).status, 0);
  EXPECT_EQ(shell(folder, "{ " + run + "/dev/stdout; echo $? > status; } | head -c 1 > first"), 0);
  EXPECT_EQ(read_text(folder / "status"), "0\n");
}

TEST(Program, PrintsItsSchema) {
  const Outcome schema = run_program({"--print-schema"});
  EXPECT_EQ(schema.status, 0);
  EXPECT_TRUE(nlohmann::json::parse(schema.out).contains("$schema"));
}

TEST(ListCommand, NamesEveryStageOfTheModes) {
  const Outcome outcome = run_program({"list", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto list = nlohmann::json::parse(outcome.out);
  std::vector<std::string> names;
  for (const auto& stage : list.at("stages")) {
    names.push_back(stage.at("name"));
    if (!stage.at("can_run").get<bool>()) {
      EXPECT_FALSE(stage.at("reason").get<std::string>().empty());
    }
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"mc64", "none", "amd", "colamd", "btf-amd", "natural",
                                            "metis", "cpu-gp-pruned", "gpu-ooc", "cpu",
                                            "gpu-host-loop", "gpu-binary-search"}));
  EXPECT_THAT(names,
              testing::IsSupersetOf({"gpu-ooc-naive", "gpu-um", "gpu-um-prefetch", "gpu-in-core"}));
  const std::string text = run_program({"list"}).out;
  EXPECT_THAT(text, testing::AllOf(HasSubstr("mode ooc"), HasSubstr("mode ooc-naive"),
                                   HasSubstr("mode um"), HasSubstr("mode um-prefetch"),
                                   HasSubstr("mode glu3"), HasSubstr("mode glu3-cpu")));
}

TEST(ListCommand, ShowsAPartOfIt) {
  const Outcome modes = run_program({"list", "modes"});
  EXPECT_EQ(modes.status, 0) << modes.err;
  EXPECT_THAT(modes.out, AllOf(HasSubstr("mode cpu"), testing::Not(HasSubstr("\nordering")),
                               testing::Not(HasSubstr("\npeer"))));
  const std::string orderings = run_program({"list", "orderings"}).out;
  EXPECT_THAT(orderings, AllOf(HasSubstr("ordering  amd"), testing::Not(HasSubstr("symbolic"))));
  EXPECT_THAT(run_program({"list", "stages"}).out,
              AllOf(HasSubstr("ordering  amd"), HasSubstr("cpu-gp-pruned"),
                    testing::Not(HasSubstr("exec:COMMAND"))));
  EXPECT_THAT(run_program({"list", "peers"}).out,
              AllOf(HasSubstr("klu"), testing::Not(HasSubstr("cpu-gp-pruned"))));
  const auto json = nlohmann::json::parse(run_program({"list", "orderings", "--json"}).out);
  EXPECT_EQ(json.size(), 1u);
  EXPECT_GE(json.at("orderings").size(), 5u);
  const Outcome wrong = run_program({"list", "mode"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'modes'?"));
}

TEST(DoctorCommand, SaysWhatThisMachineCanRun) {
  const Outcome outcome = run_program({"doctor", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto doctor = nlohmann::json::parse(outcome.out);
  EXPECT_GE(doctor.at("host").at("threads").get<int>(), 1);
  EXPECT_NE(doctor.at("device").is_null(), doctor.at("device_absent_reason").is_null());
  const std::size_t others = doctor.at("other_devices").size();
  EXPECT_EQ(doctor.at("links").size(), others * (others + 1));
  for (const auto& mode : doctor.at("modes")) {
    EXPECT_EQ(mode.at("reason").is_null(), mode.at("can_run").get<bool>());
    EXPECT_TRUE(mode.at("name") != "cpu" || mode.at("can_run").get<bool>());
  }
  EXPECT_THAT(run_program({"doctor"}).out, HasSubstr("device"));
}

// What many cannot do for one reason is said once, not in every line.
TEST(DoctorCommand, TellsAReasonOnce) {
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  if (!doctor.at("device").is_null()) GTEST_SKIP() << "there is a device";
  const auto why = doctor.at("device_absent_reason").get<std::string>();
  const std::string text = run_program({"doctor"}).out;
  EXPECT_EQ(occurrences(text, why), 1U) << text;
  EXPECT_EQ(occurrences(text, "\nmode "), 2U) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("mode    fast-cpu, cpu, glu3-cpu: can run here"),
                          HasSubstr("cannot run here without a device")));
  const std::string stages = run_program({"list", "stages"}).out;
  EXPECT_EQ(occurrences(stages, why), 1U) << stages;
}

TEST(DescribeCommand, TellsFactsAndForecast) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx.gz", {"grid2d", "--nx", "10", "--ny", "10"});
  const Outcome outcome = run_program({"describe", matrix, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto facts = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(facts.at("n"), 100);
  EXPECT_GT(facts.at("forecast").at("nnz_lu").get<int>(), 460);
  for (const auto& mode : facts.at("forecast").at("modes")) {
    const auto& work = mode.at("symbolic_work");
    const std::string name = mode.at("mode");
    ASSERT_EQ(work.is_null(),
              name == "cpu" || name.starts_with("fast") || name.starts_with("glu3"));
    if (work.is_null()) continue;
    // For each of 100 rows 100 tags and a queue of 99 entries, in words. GSoFa's rows have two
    // words for what is below the row alone.
    const int words = name == "gsofa" ? 100 : 199;
    EXPECT_GE(work.at("all_rows_bytes").get<int>(), 100 * 4 * words) << name;
    EXPECT_LE(work.at("least_bytes").get<int>(), work.at("all_rows_bytes").get<int>()) << name;
    EXPECT_EQ(work.at("memory") == "managed", name.starts_with("um")) << name;
  }
  EXPECT_THAT(run_program({"describe", matrix}).out, HasSubstr("mode cpu"));
  EXPECT_EQ(run_program({"describe", folder / "absent.mtx"}).status, 4);
}

TEST(GenerateCommand, IsReproducible) {
  const TemporaryFolder folder;
  for (const char* kind :
       {"grid2d", "grid3d", "fem3d", "cfd", "circuit", "planar", "hex", "random"}) {
    const std::string first = generate(folder, "a.mtx", {kind, "--seed", "5"});
    const std::string second = generate(folder, "b.mtx", {kind, "--seed", "5"});
    EXPECT_EQ(read_text(first), read_text(second)) << kind;
  }
}

TEST(ValidateCommand, AcceptsARecordAndRejectsADamagedOne) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output", output});
  EXPECT_EQ(run_program({"validate", output}).status, 0);
  auto result = read_json(output);
  result.at("runs").at(0).erase("factors");
  std::ofstream(folder / "damaged.json") << result;
  const Outcome damaged = run_program({"validate", folder / "damaged.json"});
  EXPECT_EQ(damaged.status, 3);
  EXPECT_THAT(damaged.err, HasSubstr("factors"));
  EXPECT_EQ(run_program({"validate", folder / "absent.json"}).status, 4);
}

TEST(ValidateCommand, TakesSeveralFiles) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string good = folder / "good.json", bad = folder / "bad.json";
  ASSERT_EQ(run_program({"run", matrix, "--mode", "cpu", "--output", good}).status, 0);
  std::ofstream(bad) << "{}";
  EXPECT_EQ(run_program({"validate", good, good}).status, 0);
  const Outcome outcome = run_program({"validate", bad, good});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, HasSubstr("good.json: valid"));
  EXPECT_THAT(outcome.err, HasSubstr("bad.json: "));
}

TEST(ValidateCommand, ReadsCompressedRecordsAndSaysWhenOneIsCut) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  for (const char* ending : {".json.gz", ".json.xz"}) {
    const std::string output = folder / (std::string("out") + ending);
    run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output", output});
    EXPECT_FALSE(nlohmann::json::accept(read_text(output))) << ending;
    EXPECT_EQ(run_program({"validate", output}).status, 0) << ending;
    EXPECT_EQ(run_program({"compare", output, output}).status, 0) << ending;
    std::filesystem::resize_file(output, std::filesystem::file_size(output) / 2);
    const Outcome cut = run_program({"validate", output});
    EXPECT_EQ(cut.status, 4) << ending;
    EXPECT_THAT(cut.err, AllOf(HasSubstr(output), HasSubstr("end too early"))) << ending;
    const Outcome compared = run_program({"compare", output, output});
    EXPECT_EQ(compared.status, 2) << ending;
    EXPECT_THAT(compared.err, HasSubstr("end too early")) << ending;
  }
}

}  // namespace
}  // namespace lufact::test
