// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_worker.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <optional>
#include <utility>
#include <vector>

#include "app/array/device_part.hpp"
#include "app/config/machine_json.hpp"
#include "app/dense/dense_plan.hpp"
#include "app/dense/dense_run.hpp"
#include "app/dense/dense_source.hpp"
#include "app/dense/written_dense.hpp"
#include "baselines/peers/array_peer.hpp"
#include "baselines/peers/known_peers.hpp"
#include "core/base/error.hpp"
#include "core/dense/host_dense_arrays.hpp"

namespace lufact {
namespace {

using MakeDenseArrays = MakeArrays<DenseArrays>;
using ArrayRunPtr = std::unique_ptr<ArrayRun<DenseArrays>>;

// What kernels of ours and a foreign library share: a matrix that is made, and a verdict.
class DenseWorker : public VariantWorker {
 public:
  void open(PhaseRecorder& setup) final;
  MeasuredRun* run() final { return run_ ? &*run_ : nullptr; }
  void describe_input(RunRecord& record) const final;
  void add_memory(MemoryRecord& memory) const final { device_.add_memory(memory); }
  void write_results() const final { write_dense_results(config_, run_->arrays()); }
  void judge(RunRecord& record) const final;
  void release() final { device_.release(); }

 protected:
  explicit DenseWorker(const OpenRequest& request);
  // Before the matrix is made; sets side_.
  virtual void open_solver(PhaseRecorder& setup) = 0;
  virtual const ArrayStageFacts& takes() const = 0;
  virtual ArrayRunPtr make_run(const ArrayProblem& problem) = 0;
  virtual DenseRunSettings run_settings() const = 0;
  // Names, choices, settings and warnings.
  virtual void describe_solver(RunRecord& record) const = 0;

  void open_session(PhaseRecorder& setup) {
    device_.open(setup, config_.device, config_.device_memory_limit);
  }
  MakeDenseArrays make_arrays(Side side);
  bool copies() const { return side_ == Side::device && config_.data == DenseData::host; }

  const DenseConfig config_;
  const Input input_;
  const DenseInputRequest wanted_;
  const SteadyClock clock_;
  DevicePart device_;
  Side side_ = Side::host;

 private:
  std::optional<DenseMatrixSource> source_;
  std::string sha256_;
  std::optional<DenseRun> run_;
};

DenseWorker::DenseWorker(const OpenRequest& request)
    : config_(dense_config_from_json(request.variant.at("config"))),
      input_(request.input),
      wanted_(dense_request(config_, input_)) {
  omp_set_num_threads(effective_threads(config_.threads));
}

void DenseWorker::open(PhaseRecorder& setup) {
  open_solver(setup);
  {
    const auto phase = setup.host_scope("read");
    DenseInputRequest request = wanted_;
    request.threads = effective_threads(config_.threads);
    source_.emplace(make_dense_source(request));
    sha256_ = input_.path.empty() ? hash_of_generator(dense_generator_facts(wanted_)).sha256
                                  : hash_of_file(input_.path).sha256;
  }
  if (config_.solves() && source_->m() != source_->n()) {
    refuse_arrays(fmt::format("{} is {} x {}; a solution takes a square matrix", wanted_.input,
                              source_->m(), source_->n()));
  }
  const std::string reason = dense_refusal(config_, takes(), source_->m(), source_->n());
  if (!reason.empty()) refuse_arrays(reason);
  const auto phase = setup.scope("context");
  const ArrayPivoting pivoting = dense_pivoting(config_, takes());
  ArrayRunPtr run = make_run(array_problem(config_, source_->m(), source_->n(), pivoting));
  run->load();
  run_.emplace(run_settings(), std::move(run), clock_, device_.probe());
}

MakeDenseArrays DenseWorker::make_arrays(Side side) {
  const int threads = effective_threads(config_.threads);
  if (side == Side::device) {
    return [this, threads](const ArrayProblem& problem) {
      return gpu::make_dense_arrays(*device_.session(), problem, *source_, threads);
    };
  }
  return [this, threads](const ArrayProblem& problem) {
    HostDenseOptions options;
    options.threads = threads;
    return make_host_dense_arrays(problem, *source_, options);
  };
}

void DenseWorker::describe_input(RunRecord& record) const {
  const Index m = source_ ? source_->m() : wanted_.m, n = source_ ? source_->n() : wanted_.n;
  record.input = {input_.name, std::nullopt, std::nullopt, dense_reading(config_, m, n),
                  std::nullopt};
  if (!input_.path.empty()) record.input.path = input_.path;
  if (!sha256_.empty()) record.input.sha256 = sha256_;
  record.dense = begin_dense_section(config_, dense_pivoting(config_, takes()), m, n);
  record.dense->generator = dense_generator_facts(wanted_);
  record.dense->side = to_string(side_);
  if (source_) record.input.entries = Offset{m} * n;
}

// Factors with a zero pivot are right where PA = LU, and there is no solution.
void DenseWorker::judge(RunRecord& record) const {
  describe_solver(record);
  judge_by_verification(record);
  const Offset info = record.dense->info.value_or(0);
  if (record.outcome != Outcome::ok || info <= 0) return;
  record.outcome = Outcome::singular_numeric;
  record.error = ErrorRecord{"zero_pivot", fmt::format("U({}, {}) is zero", info, info), "numeric"};
}

class DenseStageWorker final : public DenseWorker {
 public:
  DenseStageWorker(const ArrayStages& stages, const OpenRequest& request)
      : DenseWorker(request),
        stage_(array_stage(stages, request.variant.at("variant").get<std::string>())),
        options_{.matrices_per_block = {},
                 .swap = {},
                 .threads = effective_threads(config_.threads),
                 .tuning_file = "",
                 .dense = config_.settings} {}

 private:
  void open_solver(PhaseRecorder& setup) override {
    side_ = stage_.facts().side;
    if (side_ == Side::host) return;
    open_session(setup);
    context_.device = device_.session();
  }
  const ArrayStageFacts& takes() const override { return stage_.facts(); }

  ArrayRunPtr make_run(const ArrayProblem& problem) override {
    if (copies()) {
      return std::make_unique<CopiedStageRun<DenseArrays>>(
          stage_, context_, problem, make_arrays(Side::host), make_arrays(Side::device), false);
    }
    return std::make_unique<StageRun<DenseArrays>>(stage_, context_, problem, make_arrays(side_));
  }
  DenseRunSettings run_settings() const override { return {.config = config_}; }

  void describe_solver(RunRecord& record) const override {
    PipelineRecord& pipeline = record.pipeline.emplace();
    pipeline.numeric = stage_.facts().name;
    if (config_.solves()) pipeline.solve = stage_.facts().name;
    pipeline.precision = to_string(config_.result_precision());
    pipeline.choices = choices_;
    record.warnings.insert(record.warnings.end(), warnings_.begin(), warnings_.end());
  }

  const ArrayStage& stage_;
  const ArrayOptions options_;
  std::vector<Choice> choices_;
  std::vector<Warning> warnings_;
  ArrayContext context_{options_, choices_, warnings_};
};

class DensePeerWorker final : public DenseWorker {
 public:
  explicit DensePeerWorker(const OpenRequest& request)
      : DenseWorker(request), name_(request.variant.at("peer").get<std::string>()) {}

 private:
  void open_solver(PhaseRecorder& setup) override {
    {
      const auto phase = setup.host_scope("init");
      plugin_.emplace(parse_peer_name(name_).plugin);
      peer_ = std::make_unique<ArrayPeer>(
          *plugin_, ArrayPeer::Options{parse_peer_name(name_).variant,
                                       effective_threads(config_.threads), config_.device});
      facts_ = peer_->facts();
    }
    side_ = facts_.takes.side;
    if (side_ == Side::device) open_session(setup);
  }
  const ArrayStageFacts& takes() const override { return facts_.takes; }

  ArrayRunPtr make_run(const ArrayProblem& problem) override {
    if (copies()) {
      return std::make_unique<CopiedPeerRun<DenseArrays>>(std::move(peer_), *device_.session(),
                                                          problem, make_arrays(Side::host),
                                                          make_arrays(Side::device), false);
    }
    return std::make_unique<PeerRun<DenseArrays>>(std::move(peer_), device_.session(), problem,
                                                  make_arrays(side_));
  }
  DenseRunSettings run_settings() const override {
    return {.config = config_, .is_peer = true, .gives_pivots = facts_.gives_pivots};
  }

  void describe_solver(RunRecord& record) const override {
    PipelineRecord& pipeline = record.pipeline.emplace();
    pipeline.numeric = name_;
    if (config_.solves()) pipeline.solve = name_;
    pipeline.precision = to_string(config_.result_precision());
    pipeline.peer = name_;
    record.peer = facts_.record;
  }

  const std::string name_;
  std::optional<ArrayPeerPlugin> plugin_;
  std::unique_ptr<ArrayPeer> peer_;
  ArrayPeerFacts facts_;
};

}  // namespace

std::unique_ptr<VariantWorker> make_dense_worker(const ArrayStages& stages,
                                                 const OpenRequest& request) {
  if (request.variant.contains("peer")) return std::make_unique<DensePeerWorker>(request);
  return std::make_unique<DenseStageWorker>(stages, request);
}

}  // namespace lufact
