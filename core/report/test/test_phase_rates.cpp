// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/report/phase_rates.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

const MachinePeaks peaks{HostPeaks{8, 1e10, 1e11, "2026-01-01T00:00:00Z"},
                         DevicePeaks{1e12, 1e13, 2e13, "2026-01-01T00:00:00Z"}, "peaks.json"};

const PhaseRate& of_phase(const std::vector<PhaseRate>& rates, const std::string& phase) {
  const auto found = std::ranges::find(rates, phase, &PhaseRate::phase);
  EXPECT_NE(found, rates.end()) << phase;
  return *found;
}

PhaseTime phase(const std::string& name, double wall_s) {
  PhaseTime time;
  time.name = name;
  time.wall_s = wall_s;
  return time;
}

// A run with one sample: order 1 s, numeric 3 s, transfer 1 s, beside a verification.
RunRecord small_run() {
  RunRecord run = test::minimal_run();
  run.pipeline = PipelineRecord{};
  run.pipeline->precision = "double";
  run.factors = FactorsRecord{};
  run.factors->flops = 6e9;
  Sample sample;
  sample.total_s = 5;
  sample.phases = {phase("order", 1), phase("numeric", 3), phase("numeric/update", 2),
                   phase("transfer", 1), phase("verify", 9)};
  sample.phases[3].bytes_h2d = 3000;
  sample.phases[3].bytes_d2h = 1000;
  run.samples = {sample};
  return run;
}

TEST(PhaseRates, AreOfTopLevelPhases) {
  std::vector<std::string> phases;
  for (const PhaseRate& rate : phase_rates(small_run(), {})) phases.push_back(rate.phase);
  EXPECT_THAT(phases, testing::ElementsAre("order", "numeric", "transfer", "verify"));
  EXPECT_TRUE(phase_rates(test::failed_run(), peaks).empty());
}

TEST(PhaseRates, AreSharesOfTheTotal) {
  const auto rates = phase_rates(small_run(), {});
  EXPECT_DOUBLE_EQ(of_phase(rates, "order").share_of_total.value(), 0.2);
  EXPECT_DOUBLE_EQ(of_phase(rates, "numeric").share_of_total.value(), 0.6);
  EXPECT_FALSE(of_phase(rates, "verify").share_of_total.has_value());
}

TEST(PhaseRates, NumericHasTheFlopsOfTheFactors) {
  RunRecord run = small_run();
  const PhaseRate on_host = of_phase(phase_rates(run, peaks), "numeric");
  EXPECT_DOUBLE_EQ(on_host.flops_per_s.value(), 2e9);
  EXPECT_DOUBLE_EQ(on_host.flops_peak_share.value(), 0.02);
  EXPECT_FALSE(on_host.bytes.has_value());
  run.samples[0].phases[1].gpu_s = 2.9;
  const PhaseRate on_device = of_phase(phase_rates(run, peaks), "numeric");
  EXPECT_DOUBLE_EQ(on_device.flops_peak_share.value(), 0.0002);
  run.pipeline->precision = "float";
  EXPECT_DOUBLE_EQ(of_phase(phase_rates(run, peaks), "numeric").flops_peak_share.value(), 0.0001);
}

TEST(PhaseRates, HaveNoSharesOfPeaksThatWereNotMeasured) {
  RunRecord run = small_run();
  EXPECT_FALSE(of_phase(phase_rates(run, {}), "numeric").flops_peak_share.has_value());
  run.pipeline->precision = "float";  // the host's peak is of doubles
  EXPECT_FALSE(of_phase(phase_rates(run, peaks), "numeric").flops_peak_share.has_value());
  run.samples[0].phases[1].gpu_s = 2.9;
  const MachinePeaks of_host{peaks.host, {}, "peaks.json"};
  EXPECT_FALSE(of_phase(phase_rates(run, of_host), "numeric").flops_peak_share.has_value());
}

TEST(PhaseRates, AForeignSolverHasFlopsOfItsOwn) {
  RunRecord run = small_run();
  run.peer = PeerRecord{};
  EXPECT_FALSE(of_phase(phase_rates(run, peaks), "numeric").flops.has_value());
}

TEST(PhaseRates, TransferHasTheBytesThatItMoved) {
  const PhaseRate rate = of_phase(phase_rates(small_run(), peaks), "transfer");
  EXPECT_DOUBLE_EQ(rate.bytes.value(), 4000);
  EXPECT_DOUBLE_EQ(rate.bytes_per_s.value(), 4000);
  EXPECT_FALSE(rate.bytes_peak_share.has_value());
}

TEST(PhaseRates, OfRefactorizationsAreTheirOwn) {
  RunRecord run = small_run();
  EXPECT_TRUE(refactor_rates(run, peaks).empty());
  Sample again;
  again.total_s = 1;
  again.phases = {phase("numeric", 0.5)};
  run.refactor_samples = {again};
  const PhaseRate rate = of_phase(refactor_rates(run, peaks), "numeric");
  EXPECT_DOUBLE_EQ(rate.share_of_total.value(), 0.5);
  EXPECT_DOUBLE_EQ(rate.flops_per_s.value(), 12e9);
}

TEST(PhaseRates, OfABatchAreThoseOfItsRecord) {
  RunRecord run = test::batch_run("1", "ours", 1);
  run.batch->side = "device";
  const PhaseRate rate = of_phase(phase_rates(run, peaks), "numeric");
  EXPECT_EQ(rate.flops_per_s, run.batch->flops_per_s);
  EXPECT_EQ(rate.bytes_per_s, run.batch->bytes_per_s);
  EXPECT_DOUBLE_EQ(rate.flops_peak_share.value(), *run.batch->flops_per_s / 1e13);
  EXPECT_DOUBLE_EQ(rate.bytes_peak_share.value(), *run.batch->bytes_per_s / 1e12);
}

RunRecord dense_run(const std::string& arithmetic) {
  RunRecord run = test::batch_run("1", "ours", 1);
  run.workload = run.mode = "dense";
  run.batch.reset();
  DenseRecord& dense = run.dense.emplace();
  dense.operation = "lu";
  dense.side = "device";
  dense.arithmetic = arithmetic;
  dense.flops = 2e9;
  dense.flops_per_s = 4e12;
  return run;
}

TEST(PhaseRates, OfADenseMatrixAreThoseOfItsRecord) {
  const PhaseRate rate = of_phase(phase_rates(dense_run("double"), peaks), "numeric");
  EXPECT_DOUBLE_EQ(rate.flops.value(), 2e9);
  EXPECT_DOUBLE_EQ(rate.flops_per_s.value(), 4e12);
  EXPECT_DOUBLE_EQ(rate.flops_peak_share.value(), 0.4);
  EXPECT_FALSE(rate.bytes_per_s.has_value());
  const auto share_of = [](const std::string& arithmetic) {
    return of_phase(phase_rates(dense_run(arithmetic), peaks), "numeric").flops_peak_share;
  };
  EXPECT_DOUBLE_EQ(share_of("float").value(), 0.2);
  EXPECT_FALSE(share_of("half").has_value()) << "no peak of it is measured";
}

TEST(PhaseRates, OfWorkAreOfThePhaseThatComputed) {
  EXPECT_EQ(rate_of_work(phase_rates(small_run(), peaks)).phase, "numeric");
  EXPECT_EQ(rate_of_work(phase_rates(dense_run("double"), peaks)).phase, "numeric");
  RunRecord peer = small_run();
  peer.peer = PeerRecord{};
  EXPECT_FALSE(rate_of_work(phase_rates(peer, peaks)).flops.has_value());
}

TEST(PhaseRates, AFileHasSharesOfItsPeaks) {
  ResultFile file = test::file_of({small_run()});
  EXPECT_TRUE(to_json(file)["meta"]["peaks"].is_null());
  EXPECT_TRUE(to_json(file)["runs"][0]["rates"]["numeric"]["flops_peak_share"].is_null());
  file.meta.peaks = peaks;
  const auto json = to_json(file);
  EXPECT_EQ(json["meta"]["peaks"]["host"]["threads"], 8);
  EXPECT_EQ(json["meta"]["peaks"]["device"]["fp32_flops_per_s"], 2e13);
  EXPECT_DOUBLE_EQ(json["runs"][0]["rates"]["numeric"]["flops_peak_share"].get<double>(), 0.02);
  EXPECT_TRUE(json["runs"][0]["refactor_rates"].empty());
  EXPECT_EQ(peaks_json(peaks_of_meta(json["meta"])), json["meta"]["peaks"]);
  EXPECT_FALSE(peaks_of_meta(nlohmann::ordered_json::object()).host.has_value());
}

}  // namespace
}  // namespace lufact
