// SPDX-License-Identifier: BSD-3-Clause
// What the program answers to those who type something wrong: what it was, what is accepted, and
// what they may have meant; before any work, and without a result file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WrongUsage : public testing::Test {
 protected:
  void SetUp() override {
    matrix_ = generate(folder_, "g.mtx", {"grid2d", "--nx", "6", "--ny", "6"});
  }

  std::string refused(const std::vector<std::string>& words, int status = 2) const {
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.status, status) << testing::PrintToString(words) << outcome.err;
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(words);
    return outcome.err;
  }

  // `lufact run MATRIX` and what is wrong.
  std::string refused_run(std::vector<std::string> words, int status = 2) const {
    words.insert(words.begin(), {"run", matrix_});
    return refused(words, status);
  }

  TemporaryFolder folder_;
  std::string matrix_;
};

TEST_F(WrongUsage, MatricesNeedNoOption) {
  EXPECT_EQ(run_program({"run", matrix_, "--mode", "cpu", "--quiet"}).status, 0);
  EXPECT_THAT(refused({"run", "--mode", "cpu"}),
              HasSubstr("FILE is missing: Matrix Market file(s)"));
}

TEST_F(WrongUsage, OptionsMayBeMistyped) {
  EXPECT_THAT(refused({"run", "--matrix", matrix_, "--mod", "cpu"}),
              AllOf(HasSubstr("lufact: unknown option '--mod' (did you mean '--mode'?)"),
                    HasSubstr("lufact run --help"), Not(HasSubstr("cpu --mod"))));
  EXPECT_THAT(refused_run({"--repetitons=3"}), HasSubstr("(did you mean '--repetitions'?)"));
  // The wrong one is told, not that the right one is missing.
  EXPECT_THAT(refused({"run", "--mtrix=" + matrix_}), HasSubstr("did you mean '--matrix'?"));
  EXPECT_THAT(refused_run({"--teapot"}), AllOf(HasSubstr("unknown option '--teapot'\n")));
  EXPECT_THAT(refused_run({"--group", "variant"}),
              HasSubstr("unknown option '--group' (lufact show has it)"));
}

TEST_F(WrongUsage, CommandsMayBeMistyped) {
  EXPECT_THAT(refused({"runn", "--matrix", "a"}),
              AllOf(HasSubstr("unknown command 'runn' (did you mean 'run'?); commands: run, "),
                    HasSubstr("doctor")));
  EXPECT_THAT(refused({"fly"}), HasSubstr("unknown command 'fly'; commands: run"));
  EXPECT_THAT(refused({"describe", "a.mtx", "b.mtx"}), HasSubstr("'b.mtx' was not expected"));
  EXPECT_THAT(refused({"version"}), HasSubstr("(did you mean '--version'?)"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"help", "runn"}, {"runn", "--help"}}) {
    EXPECT_THAT(refused(words), HasSubstr("unknown command 'runn' (did you mean 'run'?)"));
  }
}

TEST_F(WrongUsage, WhatIsMissingIsSaidInWords) {
  EXPECT_THAT(refused({"compare", "a.json"}),
              HasSubstr("b is missing: Result file that is judged"));
  EXPECT_THAT(refused({"show"}), HasSubstr("files is missing: Result files: .json"));
  EXPECT_THAT(refused({"plot"}), HasSubstr("matrix is missing: Matrix Market file"));
  EXPECT_THAT(refused({"generate", "grid2d"}), HasSubstr("--output is missing: File to write"));
}

TEST_F(WrongUsage, NamesOfAnotherKindAreToldApart) {
  EXPECT_THAT(refused_run({"--mode", "klu"}),
              HasSubstr("--mode 'klu' is a foreign solver: --peer klu runs it"));
  EXPECT_THAT(refused_run({"--peer", "mkl"}),
              HasSubstr("--peer 'mkl' is not known (a library of lufact batch and lufact dense)"));
  EXPECT_THAT(refused({"dense", "--n", "8", "--peer", "klu"}),
              HasSubstr("--peer 'klu' is not known (a solver of lufact run)"));
}

TEST_F(WrongUsage, AFileOfAnotherKindIsToldApart) {
  for (const char* command : {"show", "validate"}) {
    EXPECT_THAT(refused({command, matrix_}, 4), HasSubstr("is a matrix, not a result file"));
  }
  const std::string config = folder_ / "cut.json";
  std::ofstream(config) << "{\"name\": \"x\",\n";
  EXPECT_THAT(refused({"sweep", config}),
              AllOf(HasSubstr("cannot be read as JSON: line 2"), Not(HasSubstr("json.exception"))));
}

TEST_F(WrongUsage, AWordAloneMayBeAMatrixOfTheCollection) {
  EXPECT_THAT(refused({"run", "memplus"}, 4),
              AllOf(HasSubstr("memplus: there is no such file"),
                    HasSubstr("lufact fetch --search name=memplus")));
}

TEST_F(WrongUsage, GenerateLooksAtItsOutputFirst) {
  EXPECT_THAT(refused({"generate", "grid2d", "--output", "/nonexist/x.mtx"}),
              HasSubstr("--output /nonexist/x.mtx: cannot be written: No such file"));
}

TEST_F(WrongUsage, KindsOfMatricesAreNamed) {
  EXPECT_THAT(refused({"generate", "foo"}),
              AllOf(HasSubstr("unknown kind 'foo'; kinds: "), HasSubstr("grid2d")));
  EXPECT_THAT(refused({"generate", "circiut", "--n", "3"}), HasSubstr("did you mean 'circuit'?"));
  EXPECT_THAT(refused({"generate"}), HasSubstr("a kind is missing; kinds: "));
}

TEST_F(WrongUsage, NumbersSayWhatIsAccepted) {
  EXPECT_THAT(refused_run({"--repetitions", "five"}),
              HasSubstr("--repetitions: 'five' is no value of it; accepted: 1 or more"));
  EXPECT_THAT(refused_run({"--timeout", "soon"}), HasSubstr("accepted: seconds above 0"));
  EXPECT_THAT(refused_run({"--device", "x"}),
              HasSubstr("'x' is no value of it; accepted: 0 or more"));
  EXPECT_THAT(refused_run({"--seed", "x"}), HasSubstr("'x' is no value of it; accepted: a whole"));
  EXPECT_THAT(refused({"sweep", "--config", "c.json", "--segments", "many"}),
              HasSubstr("--segments: 'many' is no value of it; accepted: a whole number"));
}

TEST_F(WrongUsage, NamesOfAClosedSetAreSuggested) {
  EXPECT_THAT(refused_run({"--verify", "ful"}),
              HasSubstr("--verify: 'ful' is not known (did you mean 'full'?); accepted: residual, "
                        "full, none"));
  EXPECT_THAT(refused_run({"--mode", "cpux"}),
              HasSubstr("'cpux' is not known (did you mean 'cpu'?)"));
  EXPECT_THAT(refused_run({"--ordering", "adm", "--mode", "cpu"}),
              HasSubstr("--ordering 'adm' is not known (did you mean 'amd'?); accepted: "));
  EXPECT_THAT(refused_run({"--numeric", "cpu-mutlifrontal", "--mode", "cpu"}),
              HasSubstr("did you mean 'cpu-multifrontal'?"));
  EXPECT_THAT(refused_run({"--peer", "kul"}), HasSubstr("(did you mean 'klu'?); accepted: klu"));
  EXPECT_THAT(refused({"batch", "--size", "4", "--variant", "cup"}),
              HasSubstr("'cup' is not known (did you mean 'cpu'?)"));
}

TEST_F(WrongUsage, ASweepsConfigurationNeedsNoPurpose) {
  std::ofstream(folder_ / "t.json")
      << R"({"name": "t", "variants": [{"mode": "cpu", "options": {"repetitions": 1}}],)"
      << R"( "matrices": [{"generate": {"name": "g", "kind": "grid2d", "nx": 5}}]})";
  const std::vector<std::string> sweep{"sweep", "--config", folder_ / "t.json", "--quiet"};
  EXPECT_EQ(run_program({"sweep", "--config", folder_ / "t.json", "--quiet", "--output-dir",
                         folder_ / "out"})
                .status,
            0);
  std::ofstream(folder_ / "t.json") << R"({"purpose": "x", "variants": [], "matrices": []})";
  EXPECT_THAT(refused(sweep), AllOf(HasSubstr("t.json: 'name' is missing"), Not(HasSubstr(": :"))));
  EXPECT_THAT(refused({"sweep"}), HasSubstr("--config FILE is missing"));
}

TEST_F(WrongUsage, AFolderThatCannotBeMadeIsNoInternalError) {
  std::ofstream(folder_ / "t.json")
      << R"({"name": "t", "variants": [{"mode": "cpu"}],)"
      << R"( "matrices": [{"generate": {"name": "g", "kind": "grid2d", "nx": 5}}]})";
  const std::string error =
      refused({"sweep", "--config", folder_ / "t.json", "--output-dir", matrix_ + "/out"});
  EXPECT_THAT(error, AllOf(HasSubstr("--output-dir"), Not(HasSubstr("internal error"))));
}

TEST_F(WrongUsage, AFileThatIsNotThereIsNoBadJson) {
  EXPECT_THAT(refused({"validate", folder_ / "nosuch.json"}, 4),
              AllOf(HasSubstr("No such file"), Not(HasSubstr("JSON"))));
}

TEST_F(WrongUsage, ThreadsHaveABound) {
  for (const char* threads : {"99999", "40000", "1025"}) {
    EXPECT_THAT(refused_run({"--mode", "cpu", "--threads", threads}),
                HasSubstr("--threads is out of range; accepted: 1 to 1024; 0 for all"));
  }
}

TEST_F(WrongUsage, RightHandSidesThatNoMemoryHoldsAreNamed) {
  const Outcome outcome = run_program({"run", matrix_, "--mode", "cpu", "--rhs", "2000000000"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("oom_host"), HasSubstr("--rhs 2000000000"),
                                 HasSubstr("TiB"), Not(HasSubstr("--ordering"))));
}

TEST_F(WrongUsage, FilesOfResultsAreLookedAtBeforeTheWork) {
  EXPECT_THAT(refused_run({"--mode", "cpu", "--write-solution", "/nonexist/x"}),
              HasSubstr("--write-solution /nonexist/x: cannot be written: No such file"));
  EXPECT_THAT(refused_run({"--mode", "cpu", "--write-solution", folder_.path()}),
              HasSubstr("it is a folder"));
  EXPECT_THAT(refused({"batch", "--size", "4", "--count", "10", "--variant", "cpu",
                       "--write-factors", "/nonexist/x.npy"}),
              HasSubstr("--write-factors /nonexist/x.npy: cannot be written"));
}

TEST_F(WrongUsage, SizesNeedTheirUnit) {
  EXPECT_THAT(refused_run({"--device-memory-limit", "16"}),
              HasSubstr("--device-memory-limit: '16' has no unit and would be 16 bytes; accepted: "
                        "none, or a size with its unit, such as 16GiB"));
  EXPECT_EQ(run_program(
                {"run", matrix_, "--mode", "cpu", "--quiet", "--host-memory-limit", "17179869184"})
                .status,
            0);
}

// NaN fails no comparison, and the JSON that a worker is handed has none.
TEST_F(WrongUsage, NumbersAreFiniteAndFit) {
  for (const char* option : {"--threshold", "--timeout", "--max-noise", "--zero-diagonals"}) {
    for (const char* number : {"nan", "inf", "1e999"}) {
      EXPECT_THAT(refused_run({"--mode", "cpu", option, number}), HasSubstr("is no value of it"));
    }
  }
  EXPECT_THAT(refused_run({"--threshold=-1"}), HasSubstr("--threshold is out of range"));
  EXPECT_THAT(refused_run({"--threshold", "0"}), HasSubstr("accepted: above 0"));
  EXPECT_THAT(refused_run({"--timeout", "1e300"}), HasSubstr("--timeout is out of range"));
  EXPECT_THAT(refused_run({"--zero-diagonals", "0"}), HasSubstr("a number other than 0"));
  EXPECT_THAT(refused_run({"--device=-1"}), HasSubstr("--device is out of range"));
  EXPECT_THAT(refused_run({"--seed=-1"}), HasSubstr("accepted: a whole number, 0 or more"));
  EXPECT_THAT(refused_run({"--seed", "18446744073709551616"}), HasSubstr("is no value of it"));
  EXPECT_THAT(refused({"batch", "--size", "4", "--count", "99999999999999999999"}),
              HasSubstr("--count: '99999999999999999999' is no value of it"));
  EXPECT_THAT(refused({"batch", "--size", "4", "--count", "010"}), HasSubstr("is no value of it"));
}

TEST_F(WrongUsage, CommandsThatLookAtAMatrixHaveTheSameBounds) {
  for (const char* command : {"describe", "plot"}) {
    EXPECT_THAT(refused({command, matrix_, "--threads", "99999"}),
                HasSubstr("--threads is out of range; accepted: 1 to 1024; 0 for all"));
    EXPECT_THAT(refused({command, matrix_, "--ordering", "file"}),
                HasSubstr("--ordering file needs --permutation FILE"));
  }
  EXPECT_THAT(refused({"calibrate", "--threads", "99999"}), HasSubstr("1 to 1024; 0 for all"));
  EXPECT_THAT(refused({"doctor", "--device=-1"}), HasSubstr("--device is out of range"));
  EXPECT_THAT(refused({"describe", matrix_, "--output", folder_.path()}),
              HasSubstr("it is a folder"));
  EXPECT_THAT(refused({"calibrate", "--output", folder_.path()}), HasSubstr("it is a folder"));
  EXPECT_THAT(refused({"fetch", "--search", "n<1", "--limit=-1"}),
              HasSubstr("--limit is out of range; accepted: 0 or more"));
  EXPECT_THAT(refused({"show", "a.json", "--format", "cvs"}),
              HasSubstr("'cvs' is not known (did you mean 'csv'?); accepted: table, md"));
}

// The value of an option that is known may be that of one that is not.
TEST_F(WrongUsage, AnUnknownOptionIsToldNotItsValue) {
  EXPECT_THAT(refused({"batch", "--count", "10", "--siz", "10"}),
              HasSubstr("unknown option '--siz' (did you mean '--size'?)"));
}

TEST_F(WrongUsage, NothingIsAskedForThatNobodyWouldWrite) {
  EXPECT_THAT(
      refused_run({"--mode", "cpu", "--until", "numeric", "--write-solution", folder_ / "x"}),
      HasSubstr("there is no solution"));
  EXPECT_THAT(
      refused({"dense", "--n", "8", "--pivoting", "none", "--write-pivots", folder_ / "p.npy"}),
      HasSubstr("--write-pivots has nothing to write with --pivoting none"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"dense", "--n", "8"}, {"batch", "--size", "4", "--count", "9"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(),
                 {"--write-factors", folder_ / "f.npy", "--write-pivots", folder_ / "f.npy"});
    EXPECT_THAT(refused(words), HasSubstr("--write-factors and --write-pivots name one file"));
    words = command;
    words.insert(words.end(), {"--rhs", "3"});
    EXPECT_THAT(refused(words), HasSubstr("--rhs is for --operation solve"));
  }
  EXPECT_THAT(refused({"batch", "--size", "4", "--record-profile"}),
              HasSubstr("a batch has no profile"));
  EXPECT_THAT(refused_run({"--mode", "cpu", "--output", "-", "--resume"}),
              HasSubstr("--resume goes on with a file"));
  EXPECT_THAT(refused_run({"--mode", "cpu", "--rhs-file", "/nonexist/b"}),
              HasSubstr("--rhs-file: /nonexist/b: there is no such file"));
}

TEST_F(WrongUsage, WhatTheHostsKernelsDoNotReadIsRefused) {
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--swap", "greedy"}, {"--matrices-per-block", "4"}}) {
    std::vector<std::string> words{"batch", "--size", "4", "--count", "9", "--variant", "cpu"};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_THAT(refused(words), HasSubstr("cpu has no use for " + option.front()));
  }
  const std::vector<std::string> blocks{"batch", "--input", "blocks:" + matrix_, "--count", "9"};
  for (const char* option : {"--scaling", "--ordering"}) {
    std::vector<std::string> words = blocks;
    words.insert(words.end(), {option, "mc46"});
    EXPECT_THAT(refused(words), HasSubstr(std::string(option) + " 'mc46' is not known"));
  }
}

TEST_F(WrongUsage, OptionsOfASweepAreAnsweredLikeThoseOfARun) {
  const auto write = [&](const std::string& options) {
    std::ofstream(folder_ / "t.json")
        << R"({"name": "t", "variants": [{"mode": "cpu", "options": {)" << options << R"(}}],)"
        << R"( "matrices": [{"generate": {"name": "g", "kind": "grid2d", "nx": 5}}]})";
  };
  const std::vector<std::string> sweep{"sweep",   "--config",     folder_ / "t.json",
                                       "--quiet", "--output-dir", folder_ / "out"};
  write(R"("repetitons": 3)");
  EXPECT_THAT(refused(sweep),
              HasSubstr("there is no option 'repetitons' (did you mean 'repetitions'?)"));
  write(R"("um-bytes": "1GiB")");
  EXPECT_THAT(refused(sweep), HasSubstr("--um-bytes is read by gpu-um, gpu-um-prefetch alone"));
  write(R"("repetitions": true)");
  EXPECT_THAT(refused(sweep), HasSubstr("--repetitions needs a value"));
  EXPECT_THAT(refused({"sweep", "--config", folder_.path()}),
              HasSubstr("is a folder, not a configuration"));
  EXPECT_THAT(refused({"sweep", "--config", folder_ / "none.json"}), HasSubstr("No such file"));
}

TEST_F(WrongUsage, NothingIsRunTwice) {
  EXPECT_THAT(refused_run({"--mode", "cpu,cpu"}), HasSubstr("--mode: 'cpu' is given twice"));
  EXPECT_THAT(refused_run({"--matrix", matrix_}), HasSubstr("is given twice"));
  EXPECT_THAT(refused_run({"--matrix", folder_.path() + "/./g.mtx"}),
              HasSubstr("/./g.mtx' is '" + matrix_ + "', which is given already"));
  EXPECT_THAT(refused_run({"--mode", "none", "--peer", "klu,klu"}),
              HasSubstr("--peer: 'klu' is given twice"));
}

}  // namespace
}  // namespace lufact::test
