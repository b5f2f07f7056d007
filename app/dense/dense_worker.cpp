// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_worker.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/array/array_solver.hpp"
#include "app/array/device_part.hpp"
#include "app/config/machine_json.hpp"
#include "app/dense/dense_plan.hpp"
#include "app/dense/dense_run.hpp"
#include "app/dense/dense_source.hpp"
#include "app/dense/written_dense.hpp"
#include "core/base/error.hpp"
#include "core/dense/host_dense_arrays.hpp"

namespace lufact {
namespace {

using MakeDenseArrays = MakeArrays<DenseArrays>;
using DenseSolver = ArraySolver<DenseArrays>;

std::unique_ptr<DenseSolver> make_solver(const ArrayStages& stages, const OpenRequest& request,
                                         const DenseConfig& config) {
  const SolverPlace place{effective_threads(config.threads), config.device,
                          config.device_memory_limit};
  if (request.variant.contains("peer")) {
    return std::make_unique<PeerSolver<DenseArrays>>(request.variant.at("peer").get<std::string>(),
                                                     place);
  }
  const ArrayStage& stage = array_stage(stages, request.variant.at("variant").get<std::string>());
  ArrayOptions options{.matrices_per_block = {},
                       .swap = {},
                       .threads = place.threads,
                       .tuning_file = "",
                       .dense = config.settings};
  return std::make_unique<StageSolver<DenseArrays>>(stage, std::move(options), place);
}

// A matrix that is made, what works on it, and a verdict.
class DenseWorker final : public VariantWorker {
 public:
  DenseWorker(const ArrayStages& stages, const OpenRequest& request);
  void open(PhaseRecorder& setup) override;
  MeasuredRun* run() override { return run_ ? &*run_ : nullptr; }
  void describe_input(RunRecord& record) const override;
  void add_memory(MemoryRecord& memory) const override { solver_->device().add_memory(memory); }
  void write_results() const override { write_dense_results(config_, run_->arrays()); }
  void judge(RunRecord& record) const override;
  void release() override { solver_->device().release(); }

 private:
  void read(PhaseRecorder& setup);
  void refuse_what_is_not_taken() const;
  DenseSolver::Run make_run(const ArrayProblem& problem);
  MakeDenseArrays make_arrays(Side side) const;

  const DenseConfig config_;
  const Input input_;
  const DenseInputRequest wanted_;
  const SteadyClock clock_;
  const std::unique_ptr<DenseSolver> solver_;  // outlives the run
  std::optional<DenseMatrixSource> source_;
  std::string sha256_;
  std::optional<DenseRun> run_;
};

DenseWorker::DenseWorker(const ArrayStages& stages, const OpenRequest& request)
    : config_(dense_config_from_json(request.variant.at("config"))),
      input_(request.input),
      wanted_(dense_request(config_, input_)),
      solver_(make_solver(stages, request, config_)) {
  omp_set_num_threads(effective_threads(config_.threads));
}

void DenseWorker::open(PhaseRecorder& setup) {
  solver_->open(setup);
  read(setup);
  refuse_what_is_not_taken();
  const auto phase = setup.scope("context");
  const ArrayPivoting pivoting = dense_pivoting(config_, solver_->takes());
  DenseSolver::Run run = make_run(array_problem(config_, source_->m(), source_->n(), pivoting));
  run->load();
  const DenseRunSettings settings{
      .config = config_, .is_peer = solver_->is_peer(), .gives_pivots = solver_->gives_pivots()};
  run_.emplace(settings, std::move(run), clock_, solver_->device().probe());
}

void DenseWorker::read(PhaseRecorder& setup) {
  const auto phase = setup.host_scope("read");
  DenseInputRequest request = wanted_;
  request.threads = effective_threads(config_.threads);
  source_.emplace(make_dense_source(request));
  sha256_ = input_.path.empty() ? hash_of_generator(dense_generator_facts(wanted_)).sha256
                                : hash_of_file(input_.path).sha256;
}

void DenseWorker::refuse_what_is_not_taken() const {
  if (config_.solves() && source_->m() != source_->n()) {
    refuse_arrays(fmt::format("{} is {} x {}; a solution takes a square matrix", wanted_.input,
                              source_->m(), source_->n()));
  }
  const std::string reason = dense_refusal(config_, solver_->takes(), source_->m(), source_->n());
  if (!reason.empty()) refuse_arrays(reason);
}

DenseSolver::Run DenseWorker::make_run(const ArrayProblem& problem) {
  const Side side = solver_->side();
  if (side == Side::host || config_.data == DenseData::device) {
    return solver_->make_run(problem, make_arrays(side));
  }
  return solver_->make_copied_run(problem, make_arrays(Side::host), make_arrays(side), false);
}

MakeDenseArrays DenseWorker::make_arrays(Side side) const {
  const int threads = effective_threads(config_.threads);
  if (side == Side::device) {
    return [this, threads](const ArrayProblem& problem) {
      return gpu::make_dense_arrays(*solver_->device().session(), problem, *source_, threads);
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
  record.dense = begin_dense_section(config_, dense_pivoting(config_, solver_->takes()), m, n);
  record.dense->generator = dense_generator_facts(wanted_);
  record.dense->side = to_string(solver_->side());
  if (source_) record.input.entries = Offset{m} * n;
}

// Factors with a zero pivot are right where PA = LU, and there is no solution.
void DenseWorker::judge(RunRecord& record) const {
  solver_->describe(record, config_.solves(), config_.result_precision());
  judge_by_verification(record);
  const Offset info = record.dense->info.value_or(0);
  if (record.outcome != Outcome::ok || info <= 0) return;
  record.outcome = Outcome::singular_numeric;
  record.error = ErrorRecord{"zero_pivot", fmt::format("U({}, {}) is zero", info, info), "numeric"};
}

}  // namespace

std::unique_ptr<VariantWorker> make_dense_worker(const ArrayStages& stages,
                                                 const OpenRequest& request) {
  return std::make_unique<DenseWorker>(stages, request);
}

}  // namespace lufact
