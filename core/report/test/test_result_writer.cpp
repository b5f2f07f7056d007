// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/base/error.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

using Earlier = ResultWriter::Earlier;

Earlier count_all(const RunRecord&) {
  return Earlier::counts;
}

class ResultWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lufact-writer-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::vector<json> journal(const std::string& name) const {
    std::ifstream stream(folder_ / name);
    std::vector<json> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
  }

  fs::path folder_;
};

TEST_F(ResultWriterTest, WritesOneJournalLinePerRunAndThenTheWholeFile) {
  ResultWriter writer(path("r.json"));
  EXPECT_THAT(files(), testing::ElementsAre("r.jsonl"));
  writer.append(test::full_run());
  writer.append(test::failed_run());
  const auto lines = journal("r.jsonl");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["error"]["code"], "bad_matrix");
  EXPECT_THAT(run_schema_violations(lines[0]), IsEmpty());
  writer.finish(test::file_of({test::full_run(), test::failed_run()}));
  EXPECT_THAT(files(), testing::ElementsAre("r.json"));
  EXPECT_THAT(schema_violations(json::parse(content_of(path("r.json")))), IsEmpty());
}

TEST_F(ResultWriterTest, CompressesTheWholeFileAsItsEndingSays) {
  for (const std::string name : {"r.json.gz", "r.json.xz"}) {
    ResultWriter writer(path(name));
    writer.append(test::full_run());
    EXPECT_THAT(files(), testing::ElementsAre("r.jsonl"));
    EXPECT_EQ(journal("r.jsonl").size(), 1u);
    const ResultFile file = test::file_of({test::full_run()});
    writer.finish(file);
    EXPECT_THAT(files(), testing::ElementsAre(name));
    EXPECT_FALSE(json::accept(content_of(path(name))));
    EXPECT_EQ(read_result_json(path(name)), to_json(file));
    fs::remove(path(name));
  }
}

TEST_F(ResultWriterTest, GoesOnWithACompressedFile) {
  ResultWriter(path("r.json.xz")).finish(test::file_of({test::full_run(), test::failed_run()}));
  EXPECT_EQ(read_earlier_runs(path("r.json.xz")).size(), 2u);
  ResultWriter writer(path("r.json.xz"), count_all);
  EXPECT_EQ(writer.earlier_runs().size(), 2u);
  EXPECT_EQ(journal("r.jsonl").size(), 2u);
  EXPECT_FALSE(writer.kept_journal().has_value());
}

TEST_F(ResultWriterTest, KeepsACompressedFileThatIsCutShort) {
  ResultWriter(path("r.json.xz")).finish(test::file_of({test::full_run()}));
  fs::resize_file(path("r.json.xz"), fs::file_size(path("r.json.xz")) / 2);
  const std::string half = content_of(path("r.json.xz"));
  ResultWriter writer(path("r.json.xz"), count_all);
  EXPECT_TRUE(writer.earlier_runs().empty());
  writer.finish(test::file_of({}));
  EXPECT_EQ(writer.kept_journal()->filename(), "r.json.xz.previous");
  EXPECT_EQ(content_of(path("r.json.xz.previous")), half);
}

TEST_F(ResultWriterTest, KeepsAnExistingFileUntilTheEnd) {
  std::ofstream(path("r.json")) << "before";
  {
    ResultWriter writer(path("r.json"));
    writer.append(test::full_run());
    EXPECT_EQ(content_of(path("r.json")), "before");
  }
  EXPECT_EQ(content_of(path("r.json")), "before");
  EXPECT_EQ(journal("r.jsonl").size(), 1u);
  ResultWriter again(path("r.json"));
  EXPECT_EQ(again.kept_journal()->filename(), "r.jsonl.previous");
  EXPECT_EQ(journal("r.jsonl.previous").size(), 1u);
  again.finish(test::file_of({}));
  EXPECT_EQ(json::parse(content_of(path("r.json")))["runs"].size(), 0u);
}

TEST_F(ResultWriterTest, GoesOnWithAJournalThatACrashCutShort) {
  {
    ResultWriter writer(path("r.json"));
    writer.append(test::scaled_run("a", "cpu", 1));
    writer.append(test::scaled_run("b", "ooc", 1));
  }
  std::ofstream(path("r.jsonl"), std::ios::app) << "{\"id\": \"half of a li";
  ResultWriter writer(path("r.json"), count_all);
  ASSERT_EQ(writer.earlier_runs().size(), 2u);
  EXPECT_EQ(writer.earlier_runs()[1].id, "b");
  EXPECT_FALSE(writer.kept_journal().has_value());
  writer.append(test::scaled_run("c", "um", 1));
  const auto lines = journal("r.jsonl");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2]["id"], "c");
}

TEST_F(ResultWriterTest, KeepsApartWhatNoLongerCounts) {
  {
    ResultWriter writer(path("r.json"));
    writer.finish(test::file_of({test::scaled_run("a", "cpu", 1), test::scaled_run("b", "um", 1)}));
  }
  {
    ResultWriter writer(path("r.json"));
    writer.append(test::scaled_run("c", "ooc", 1));
    writer.append(test::scaled_run("a", "cpu", 1));
  }
  std::set<std::string> met;
  ResultWriter writer(path("r.json"), [&](const RunRecord& run) {
    if (run.id == "b") return Earlier::set_aside;
    return met.insert(run.id).second ? Earlier::counts : Earlier::drop;
  });
  EXPECT_THAT(files(), testing::ElementsAre("r.json.previous", "r.jsonl"));
  ASSERT_EQ(journal("r.jsonl").size(), 2u);
  EXPECT_EQ(journal("r.jsonl")[0]["id"], "c");
  EXPECT_EQ(json::parse(content_of(path("r.json.previous")))["runs"].size(), 2u);
}

TEST_F(ResultWriterTest, NeverReplacesAFileThatIsNotItsOwn) {
  std::ofstream(path("r.json")) << "notes of mine";
  ResultWriter writer(path("r.json"), count_all);
  EXPECT_TRUE(writer.earlier_runs().empty());
  writer.finish(test::file_of({}));
  EXPECT_EQ(content_of(path("r.json.previous")), "notes of mine");
}

TEST_F(ResultWriterTest, LeavesNothingWhereNothingWasMeasured) {
  { ResultWriter writer(path("r.json")); }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ResultWriterTest, AKilledProcessLeavesWholeLines) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ResultWriter writer(path("r.json"));
    writer.append(test::full_run());
    writer.append(test::scaled_run("0002", "cpu", 2));
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_TRUE(WIFSIGNALED(status));
  const auto lines = journal("r.jsonl");
  ASSERT_EQ(lines.size(), 2u);
  for (const json& line : lines) EXPECT_THAT(run_schema_violations(line), IsEmpty());
  EXPECT_EQ(run_from_json(lines[1]).mode, "cpu");
}

TEST_F(ResultWriterTest, ALineThatDoesNotFitLeavesTheJournalWhole) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    ResultWriter writer(path("r.json"));
    writer.append(test::full_run());
    const rlimit limit{fs::file_size(path("r.jsonl")) + 100, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      writer.append(test::full_run());
    } catch (const Error& error) {
      ::_exit(error.code() == "output_failed" ? 0 : 2);
    }
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(journal("r.jsonl").size(), 1u);
}

TEST_F(ResultWriterTest, RefusesAnOutputThatCannotBeWrittenAtOnce) {
  const auto message = [](const std::string& output) -> std::string {
    try {
      ResultWriter writer(output);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(path("no/such/folder/r.json")),
              testing::AllOf(HasSubstr("--output"), HasSubstr("No such file or directory")));
  EXPECT_THAT(message(folder_.string()), HasSubstr("it is a folder"));
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ResultWriterTest, RefusesAnOutputThatAnotherWriterHolds) {
  ResultWriter writer(path("r.json"));
  writer.append(test::full_run());
  EXPECT_THROW(ResultWriter(path("r.json")), UsageError);
  EXPECT_EQ(journal("r.jsonl").size(), 1u);
}

TEST_F(ResultWriterTest, LeavesASpecialFileWhereItIs) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ResultWriter writer(pipe);
  writer.append(test::full_run());
  writer.finish(test::file_of({}));
  std::string text(1 << 16, '\0');
  const ssize_t bytes = ::read(reader, text.data(), text.size());
  ::close(reader);
  ASSERT_GT(bytes, 0);
  EXPECT_EQ(json::parse(text.substr(0, static_cast<std::size_t>(bytes)))["runs"].size(), 0u);
  EXPECT_THAT(files(), testing::ElementsAre("pipe"));
}

TEST_F(ResultWriterTest, ReplacesWhatALinkPointsTo) {
  std::ofstream(path("real.json")) << "before";
  fs::create_symlink("real.json", path("link.json"));
  ResultWriter writer(path("link.json"));
  writer.finish(test::file_of({}));
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_TRUE(json::accept(content_of(path("real.json"))));
}

TEST_F(ResultWriterTest, WritesToStdoutWithoutAJournal) {
  testing::internal::CaptureStdout();
  ResultWriter writer("-");
  writer.append(test::full_run());
  writer.finish(test::file_of({test::full_run()}));
  EXPECT_EQ(json::parse(testing::internal::GetCapturedStdout())["runs"].size(), 1u);
}

}  // namespace
}  // namespace lufact
