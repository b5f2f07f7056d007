// SPDX-License-Identifier: BSD-3-Clause
// The parts of --ranks, without MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/process/last_lines.hpp"
#include "app/process/marked_records.hpp"
#include "app/run/launch.hpp"
#include "app/run/messages.hpp"
#include "app/run/rank_commands.hpp"
#include "app/run/rank_report_json.hpp"
#include "app/sparse/pipeline_assistant.hpp"
#include "app/sparse/pipeline_setup.hpp"
#include "app/test/counting_stages.hpp"
#include "core/base/test/variable.hpp"
#include "core/distribution/rank_exchange.hpp"
#include "lufact/catalogue.hpp"

namespace lufact::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> records_of(const std::vector<std::string>& chunks) {
  MarkedRecords records;
  std::vector<std::string> all;
  for (const std::string& chunk : chunks) {
    records.add(chunk);
    for (std::string record; records.take(record);) all.push_back(record);
  }
  return all;
}

TEST(MarkedRecords, AreToldFromWhatElseIsWritten) {
  EXPECT_THAT(records_of({"\x1e{1}\n\x1e{2}\n"}), ElementsAre("{1}", "{2}"));
  EXPECT_THAT(records_of({"noise\n\x1e{", "1}", "\nmore\n", "\x1e{2}\n"}),
              ElementsAre("{1}", "{2}"));
  EXPECT_THAT(records_of({"noise\n", "noise \n"}), ElementsAre());
}

TEST(MarkedRecords, ARecordThatWasCutOffIsDropped) {
  EXPECT_THAT(records_of({"\x1e{\"a\": 1, \x1e{2}\n\"b\": 3}\n\x1e{4}\n"}),
              ElementsAre("{2}", "{4}"));
}

TEST(LastLines, KeepThoseThatSaySomething) {
  LastLines lines;
  lines.add("one\n-----\n\ntw");
  lines.add("o\n  \nthree");
  EXPECT_THAT(lines.take_last(2), ElementsAre("two", "three"));
  EXPECT_THAT(lines.take_last(9), ElementsAre("one", "two", "three"));
  EXPECT_TRUE(lines.contain("tw"));
  EXPECT_FALSE(lines.contain("four"));
}

// A group that only knows itself.
class FakeRanks final : public RankLink {
 public:
  explicit FakeRanks(std::vector<RankFacts> facts, Index mates = 1, Index place = 0)
      : facts_(std::move(facts)), mates_(mates), place_(place) {}
  Index rank() const override { return 0; }
  Index size() const override { return static_cast<Index>(facts_.size()); }
  const std::string& host(Index rank) const override { return facts_.at(at(rank)).host; }
  std::string_view transport() const override { return "mpi"; }
  Index ranks_on_host() const override { return mates_; }
  Index place_on_host() const override { return place_; }
  const std::vector<RankFacts>& facts() const override { return facts_; }
  void call_others() override { tell_to_assist(*this); }
  void broadcast(void*, std::uint64_t) override {}
  void send(Index, const void*, std::uint64_t) override {}
  void receive(Index, void*, std::uint64_t) override {}
  void send_report(const RankReport&) override {}
  RankReport receive_report(Index) override { return {}; }
  void tell_others(const std::string& command) override { told.push_back(command); }
  std::string await_command(bool) override { return R"({"command": "end"})"; }
  [[noreturn]] void abort() override { throw std::logic_error("aborted"); }

  std::vector<std::string> told;

 private:
  std::vector<RankFacts> facts_;
  Index mates_, place_;
};

nlohmann::json request(int ranks, const std::string& build, const std::string& sha256) {
  return {
      {"ranks",
       {{"count", ranks}, {"build", build}, {"sha256", sha256}, {"host_memory_limit", nullptr}}},
      {"input", to_json(Input{"m", "/nowhere/m.mtx", {}})}};
}

std::string refusal(const nlohmann::json& request, const RankLink& ranks) {
  try {
    check_ranks(request, ranks);
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "";
}

TEST(RankChecks, ATooSmallGroupAnotherBuildAndAnotherMatrixAreRefused) {
  const std::string build = build_name();
  const FakeRanks two({{"a", build}, {"b", build}}), mixed({{"a", build}, {"b", "0.0 old"}});
  EXPECT_THAT(refusal(request(3, build, ""), two),
              HasSubstr("wrong_ranks: the launcher started 2"));
  EXPECT_THAT(refusal(request(2, build, ""), mixed),
              HasSubstr("other_build: rank 1 on b is lufact 0.0 old"));
  EXPECT_THAT(refusal(request(2, build, "abc"), two),
              HasSubstr("other_matrix: the first rank cannot read"));
}

TEST(RankChecks, CommandsAreWords) {
  FakeRanks ranks({{"a", "x"}, {"b", "x"}});
  ranks.call_others();
  tell_to_end(ranks);
  EXPECT_THAT(ranks.told, ElementsAre(R"({"command":"assist"})", R"({"command":"end"})"));
}

TEST(RankAssistants, CountSourcesInTheRepetitionThatDoes) {
  Catalogue catalogue = make_catalogue();
  add_counting_stages(catalogue);
  RunConfig config;
  config.symbolic = "counting";
  config.until = Until::symbolic;
  config.record_profile = true;
  VariantPlan plan;
  plan.request = {{"config", to_json(config)}, {"mode", "cpu"}};
  const std::vector<RankFacts> facts(2);
  FakeRanks ranks(facts);
  for (const bool counts : {false, true}) {
    nlohmann::json open = open_message(plan, Input{"m", "/nowhere/m.mtx", {}}, "");
    open["count_sources"] = counts;
    make_pipeline_assistant(catalogue, open_request(open, &ranks))->assist();
  }
  EXPECT_THAT(CountingSymbolic::assisted, ElementsAre(false, true));
}

TEST(RankReports, TravelAsText) {
  RankReport report;
  report.notes.gsofa.emplace().batches = 7;
  report.notes.chunk_sizes = {3, 4};
  report.notes.bytes_per_source = 2.5;
  report.slices.resize(2);
  report.slices[1].device = 1;
  report.slices[1].uuid = "GPU-1";
  report.slice_entries = {Offset{5} << 32, 6};
  report.supernodes = 8;
  report.host_peak_bytes = 9;
  const RankReport back = report_of_text(text_of_report(report));
  EXPECT_FALSE(back.failure);
  EXPECT_EQ(back.notes.gsofa.value().batches, 7);
  EXPECT_EQ(back.notes.chunk_sizes, report.notes.chunk_sizes);
  EXPECT_EQ(back.notes.bytes_per_source, 2.5);
  ASSERT_EQ(back.slices.size(), 2U);
  EXPECT_EQ(back.slices[1].uuid, "GPU-1");
  EXPECT_EQ(back.slice_entries, report.slice_entries);
  EXPECT_EQ(back.supernodes, 8);
  EXPECT_EQ(back.host_peak_bytes, 9U);
  report.failure = RankFailure{Outcome::oom_device, "device_budget", "too \xff little"};
  const RankReport failed = report_of_text(text_of_report(report));
  EXPECT_EQ(failed.failure.value().outcome, Outcome::oom_device);
  EXPECT_EQ(failed.failure->code, "device_budget");
}

TEST(RankDevices, RanksOfOneHostShareThemOutInRuns) {
  RunConfig config;
  EXPECT_THAT(devices_of_process(config, nullptr), ElementsAre(0));
  config.gsofa.devices = {"0", "2", "1", "3"};
  EXPECT_THAT(devices_of_process(config, nullptr), ElementsAre(0, 2, 1, 3));
  const std::vector<RankFacts> facts(2);
  const FakeRanks first(facts, 2, 0), second(facts, 2, 1), third(facts, 3, 2);
  EXPECT_THAT(devices_of_process(config, &first), ElementsAre(0, 2));
  EXPECT_THAT(devices_of_process(config, &second), ElementsAre(1, 3));
  EXPECT_THROW(devices_of_process(config, &third), Error);
}

TEST(Launch, SupervisorsAreRefusedWhereThereAreSeveral) {
  EXPECT_NO_THROW(refuse_several_supervisors());
  const Variable alone("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_NO_THROW(refuse_several_supervisors());
  const Variable several("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_THROW(refuse_several_supervisors(), UsageError);
}

TEST(Launch, OpenMpiIsToldToHandTheEnvironmentOn) {
  const Variable mine("LUFACT_TEST_VARIABLE", "1"), host("HOSTNAME", "here");
  const auto added = launch_environment({"mpirun", "-n", "2"});
  EXPECT_THAT(added, testing::Contains("OMPI_MCA_hwloc_base_binding_policy=none"));
  EXPECT_THAT(added, testing::Contains(testing::AllOf(HasSubstr("mca_base_env_list="),
                                                      HasSubstr("LUFACT_TEST_VARIABLE"),
                                                      testing::Not(HasSubstr("HOSTNAME")))));
  EXPECT_THAT(launch_environment({"mpirun", "-x", "PATH"}),
              testing::Not(testing::Contains(HasSubstr("mca_base_env_list="))));
}

}  // namespace
}  // namespace lufact::test
