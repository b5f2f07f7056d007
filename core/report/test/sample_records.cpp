// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/test/sample_records.hpp"

#include <string>
#include <utility>

#include "core/report/batch_figures.hpp"
#include "core/report/measurement_quality.hpp"
#include "core/report/run_header.hpp"

namespace lufact::test {
namespace {

PhaseTime phase(std::string name, double wall_s) {
  PhaseTime time;
  time.name = std::move(name);
  time.wall_s = wall_s;
  time.gpu_s = 0.875 * wall_s;
  time.bytes_h2d = 4096;
  time.bytes_d2h = 64;
  time.control_reads = 3;
  time.peak_device_bytes = 1 << 20;
  return time;
}

// Dyadic times, so that sums are exact.
Sample sample(int repetition, double unit) {
  Sample made;
  made.repetition = repetition;
  made.phases = {phase("scale", unit),
                 phase("order", 2 * unit),
                 phase("transfer", unit / 2),
                 phase("symbolic", 8 * unit),
                 phase("symbolic/count", 4 * unit),
                 phase("symbolic/positions", 3 * unit),
                 phase("levelize", unit),
                 phase("numeric", 16 * unit),
                 phase("solve", unit),
                 phase("verify", 64 * unit),
                 phase("symbolic/search", unit / 2),
                 phase("symbolic/reinitialise", unit / 4)};
  made.total_s = 29.5 * unit;
  made.unattributed_s = unit / 1024;
  return made;
}

Sample refactor_sample(int repetition, double unit) {
  Sample made;
  made.repetition = repetition;
  made.phases = {phase("transfer", unit), phase("numeric", 16 * unit), phase("solve", unit)};
  made.total_s = 18 * unit;
  made.unattributed_s = unit / 1024;
  return made;
}

MatrixFacts full_matrix() {
  MatrixFacts facts;
  facts.name = "grid";
  facts.path = "data/grid.mtx.gz";
  facts.sha256 = std::string(64, 'a');
  facts.field = "real";
  facts.file_symmetry = "symmetric";
  facts.generator = GeneratorFacts{"grid2d", {{"ny", 30}, {"nx", 20}}, 18446744073709551615ULL};
  facts.n = 600;
  facts.nnz = 2900;
  facts.nnz_stored = 1750;
  facts.duplicates_summed = 2;
  facts.file_bytes = 4096;
  facts.explicit_zeros_dropped = 3;
  facts.zero_diagonals_replaced = 4;
  facts.missing_diagonals = 10;
  facts.symmetry = SymmetryMode::stored;
  facts.explicit_zeros = ExplicitZeros::keep;
  facts.structural_symmetry = 0.75;
  return facts;
}

FactorsRecord full_factors() {
  FactorsRecord factors;
  factors.pattern = "exact";
  factors.pattern_sha256 = std::string(64, 'b');
  factors.levels_sha256 = std::string(64, 'c');
  factors.values_sha256 = std::string(64, 'd');
  factors.nnz_l = 5000;
  factors.nnz_u = 5600;
  factors.nnz_exact = 10600;
  factors.fill_in = 10600 - 2900 - 10;
  factors.fill_ratio = 10600.0 / 2900.0;
  factors.flops = 1.5e9;
  factors.flops_per_nnz = 1.5e9 / 10600.0;
  factors.levels = 77;
  factors.levels_by_rule = {80, 76, 77};
  factors.max_level_width = 120;
  factors.supernodes = 90;
  factors.fronts = 40;
  factors.tasks = 400;
  factors.critical_path = 12.5;
  return factors;
}

GsofaNotes full_gsofa() {
  GsofaNotes gsofa;
  gsofa.layout = "paper";
  gsofa.chunk_size = 128;
  gsofa.budget_bytes = 1 << 24;
  gsofa.concurrency = {"auto", 128, 256, "memory"};
  gsofa.batches = 4;
  gsofa.iterations = 40;
  gsofa.edges_checked = 123456;
  gsofa.enqueued = 3000;
  gsofa.enqueued_again = 1000;
  gsofa.reinitialisations = 1;
  gsofa.queue = {5000, 0.25, 0.5, 0, 0, 0, 0};
  gsofa.bytes = {16400, 307200, 614400, 40000, 40000, 24 * 600 * 256};
  return gsofa;
}

SystemsRecord full_systems() {
  SystemsRecord systems;  // of one, so that rates are those of the matrix
  systems.count = 1;
  systems.chunk = 1;
  systems.bytes_per_system = 1 << 20;
  systems.perturbed = 1;
  systems.failed = 0;
  systems.worst = WorstSystem{0, 1e-16};
  systems.systems_per_s = 1000;
  return systems;
}

DistributionNotes full_distribution() {
  DistributionNotes distribution;
  distribution.nodes = 2;
  distribution.inter = "interleave";
  distribution.intra = "rows";
  distribution.shared = "bits";
  distribution.transport = "host";
  distribution.simulated = true;
  distribution.simulated_s = 1.5;
  distribution.exchange_bytes_per_s = 8192;
  distribution.imbalance = 1.5;
  distribution.exchange_bytes = 4096;
  distribution.slices = {{0, 0, "GPU-1", 400, 100000, 0.75, 0.125, 0, 1 << 20},
                         {1, 0, "GPU-1", 200, 23456, 0.25, 0.125, 0, 1 << 19}};
  return distribution;
}

HostUse full_host_use() {
  return {.elapsed_s = 0.5,
          .own_s = 0.75,
          .foreign_s = 0.0625,
          .stolen_s = 0.015625,
          .waited_s = 0.25,
          .throttled_s = 0.03125,
          .involuntary_switches = 3,
          .page_faults = 40,
          .core_before = CorePace{5, 0.25, 0.5},
          .core_after = CorePace{6, 0.375, 0.5}};
}

HostState full_host_state() {
  HostState state;
  state.threads = 2;
  state.processors = 4;
  state.processor_list = "0-3";
  state.quota = 3.5;
  state.governor = "performance";
  state.environment = {{"OMP_NUM_THREADS", "2"}};
  state.load_before = 0.5;
  state.load_after = 1.5;
  state.watched_s = 2.5;
  state.other_processors = 0.25;
  state.other_processors_elsewhere = 12.5;
  return state;
}

VerificationRecord full_verification() {
  VerificationRecord verification;
  verification.method = "residual";
  verification.backward_error_before_refinement = 3e-14;
  verification.backward_error = 2.5e-17;
  verification.relative_residual = 1e-16;
  verification.componentwise_backward_error = 4e-16;
  verification.x_norm = 1.25;
  verification.x_true_norm = 1;
  verification.threshold = 1e-12;
  verification.refinement_steps = 2;
  verification.passed = true;
  verification.message = "note";
  return verification;
}

}  // namespace

RunRecord full_run() {
  RunRecord run = minimal_run();
  run.matrix = full_matrix();
  run.input = input_of(*run.matrix);
  run.missing_diagonals_added = 10;
  run.pipeline = PipelineRecord{"mc64",
                                "amd",
                                "gpu-ooc",
                                "gpu-cdp",
                                "relaxed",
                                "gpu-auto",
                                "level",
                                "double",
                                std::nullopt,
                                true,
                                {{"numeric", "a", {"a", "b"}, "faster"}}};
  run.setup = {phase("context", 0.5), phase("read", 0.25)};
  for (int k = 0; k < 5; ++k) run.samples.push_back(sample(k, (64 + k) / 65536.0));
  for (int k = 0; k < 2; ++k) run.refactor_samples.push_back(refactor_sample(k, 1 / 65536.0));
  for (auto* samples : {&run.samples, &run.refactor_samples}) {
    for (Sample& taken : *samples) taken.host = full_host_use();
  }
  run.refactoring = RefactoringRecord{"host", "waits"};
  run.factors = full_factors();
  run.memory = {1 << 30, 1 << 20, 1 << 18, 1 << 17, 1 << 16, 1 << 15, 1 << 28, 4, {300, 300}, 24.5};
  run.memory.factors_host_bytes = 1 << 14;
  run.memory.factors_parts = 5;
  run.memory.driver = {"process", 500, 600, 2000, 1400, 1300, 17, 0, {}, {}, {}};
  run.memory.driver->over_baseline_by_phase = {{"numeric", 1400}};
  run.memory.driver->held_at_peak = {{"values of fronts", 1000}};
  run.unified_memory = UnifiedMemoryRecord{
      12,   3,    2e-4,  8192, 64, {{"coherence", 8000}, {"prefetch", 192}}, {{"eviction", 64}},
      4e-3, 0.05, "none"};
  run.numeric = NumericRecord{LevelKernelCounts{1, 2, 3},
                              "sparse",
                              640,
                              264,
                              "diagonal-block",
                              1e-13,
                              1,
                              1e-10,
                              7,
                              2.5,
                              2,
                              5,
                              {{12, 7, 1e-9}}};
  run.verification = full_verification();
  run.profile =
      ProfileRecord{{{1, 2}, {3, 4}, {"small", "large"}},
                    {{0, 300},
                     {300, 300},
                     {7, 9},
                     {0, 1},
                     {28.5, 36},
                     {{0, 300}, {300, 300}, {7, 9}, {0, 2}, {14, 9}, {1, 1}, {7, 9}, {1, 1}}},
                    {{0, 300}, {300, 300}, {1.5, 2.5}, {600, 900}, {5000, 9000}}};
  run.gsofa = full_gsofa();
  run.supernodes = SupernodeNotes{"t3", 128, 90, 7, 595, {1, 7}, {5, 85}, std::string(64, 'e')};
  run.distribution = full_distribution();
  run.systems = full_systems();
  run.sampling = SamplingRecord{5, 40, 0.5, 2.0, "goal", std::nullopt, std::nullopt};
  run.host_state = full_host_state();
  set_quality_figures(run);
  run.warnings = {{"near_singular", "||x|| is large"}};
  run.sweep = SweepRecord{"figure",
                          "grid",
                          "ooc",
                          {{"device-memory-limit", "1GiB"}},
                          "Group/published",
                          "0123456789abcdef",
                          "2026-01-31T09:05:00Z",
                          "2026-01-31T09:06:00Z",
                          59.5};
  return run;
}

RunRecord empty_run() {
  RunRecord run;
  run.workload = "sparse";
  run.mode = run.variant = "ooc";
  run.until = "solve";
  run.matrix.emplace();
  run.input = input_of(*run.matrix);
  run.pipeline.emplace();
  run.factors.emplace();
  return run;
}

RunRecord failed_run() {
  RunRecord run = empty_run();
  run.id = "f00d";
  run.outcome = Outcome::error;
  run.error =
      ErrorRecord{"bad_matrix", "broken.mtx:3: row 9 is beyond the 4 rows of the matrix", "read"};
  run.matrix->name = "broken";
  run.matrix->path = "broken.mtx";
  run.input = input_of(*run.matrix);
  return run;
}

RunRecord minimal_run() {
  RunRecord run = empty_run();
  run.id = "0001";
  run.outcome = Outcome::ok;
  run.verification = VerificationRecord{};
  run.verification->method = "residual";
  run.verification->backward_error = 0;
  run.verification->threshold = 1e-12;
  run.verification->passed = true;
  return run;
}

RunRecord scaled_run(const std::string& id, const std::string& mode, double factor) {
  RunRecord run = full_run();
  run.id = id;
  run.mode = run.variant = run.sweep->variant = mode;
  for (Sample& sample : run.samples) {
    sample.total_s *= factor;
    for (PhaseTime& time : sample.phases) time.wall_s *= factor;
  }
  set_quality_figures(run);
  return run;
}

RunRecord peer_run(const std::string& id, double factor) {
  RunRecord run = scaled_run(id, "peer", factor);
  run.pipeline = PipelineRecord{};
  run.pipeline->ordering = "btf + amd";
  run.pipeline->precision = "double";
  run.pipeline->peer = run.variant = run.sweep->variant = "klu";
  run.peer = PeerRecord{"SuiteSparse KLU",       "1.3.8", 1, {{"pivot_tolerance", "0.001"}},
                        {{"levelize", "order"}}, 10600,   2};
  for (Sample& made : run.samples) {
    for (const PhaseTime& time : made.phases) {
      if (time.name == "levelize") made.total_s -= time.wall_s;
    }
    std::erase_if(made.phases, [](const PhaseTime& time) { return time.name == "levelize"; });
  }
  set_quality_figures(run);
  return run;
}

RunRecord batch_run(const std::string& id, const std::string& variant, double factor) {
  RunRecord run;
  run.id = id;
  run.workload = run.mode = "batch";
  run.variant = variant;
  run.input = {"random 8", std::nullopt, std::string(64, 'a'), "lu of 1000 matrices of order 8",
               64000};
  run.outcome = Outcome::ok;
  run.until = "numeric";
  for (int k = 0; k < 5; ++k) {
    PhaseTime numeric;
    numeric.name = "numeric";
    numeric.wall_s = factor * (64 + k) / 65536.0;
    numeric.gpu_s = numeric.wall_s / 2;
    run.samples.push_back({k, numeric.wall_s, 0, {numeric}});
  }
  PipelineRecord& pipeline = run.pipeline.emplace();
  pipeline.numeric = variant;
  pipeline.precision = "double";
  VerificationRecord& verification = run.verification.emplace();
  verification.backward_error = 1e-16;
  verification.threshold = 1e-14;
  verification.passed = true;
  verification.matrices_checked = 1000;
  verification.worst_matrix = 7;
  verification.pivots = PivotCheck{1000, 999, 1, 0};
  BatchRecord& batch = run.batch.emplace();
  batch.generator = GeneratorFacts{"random", {{"n", 8}, {"count", 1000}}, 1};
  batch.operation = "lu";
  batch.sizes = {{8, 1000}};
  batch.count = 1000;
  batch.layout = "contiguous";
  batch.data = batch.side.emplace() = "device";
  batch.lanes = 8;
  batch.settings = {{"panel", "4"}};
  batch.streaming = StreamingRecord{2, 500, 0.5, 0.25, 0.5};
  set_batch_figures(run);
  return run;
}

ResultFile file_of(std::vector<RunRecord> runs) {
  ResultFile file;
  file.meta.argv = {"lufact", "run", "--matrix", "grid.mtx"};
  file.meta.started_at = "2026-01-31T09:05:00Z";
  file.meta.host = {"a processor", "Linux", 8, 16, std::uint64_t{1} << 36};
  DeviceMeta device;
  device.facts.name = "a card";
  device.facts.uuid = "GPU-0";
  device.facts.compute_capability = "9.0";
  device.facts.sm_count = 132;
  device.facts.memory_bytes = std::uint64_t{1} << 37;
  device.facts.ecc = true;
  device.clocks_before.sm_mhz = 1980;
  file.meta.device = device;
  file.meta.rates = RatesMeta{"h200-16-cores", "shipped", std::string(64, 'a')};
  file.config = {{"mode", {"ooc"}}, {"repetitions", 5}};
  file.comparisons = compare_runs(runs);
  file.runs = std::move(runs);
  return file;
}

}  // namespace lufact::test
