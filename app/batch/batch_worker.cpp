// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_worker.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/array/array_solver.hpp"
#include "app/array/device_part.hpp"
#include "app/batch/batch_run.hpp"
#include "app/batch/batch_source.hpp"
#include "app/batch/tuning_file.hpp"
#include "app/batch/written_results.hpp"
#include "app/batch_input/make_batch_input.hpp"
#include "app/config/machine_json.hpp"
#include "core/base/error.hpp"
#include "core/batch/condition_counts.hpp"
#include "core/batch/host_batch_arrays.hpp"
#include "core/report/batch_figures.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

using BatchSolver = ArraySolver<BatchArrays>;

SolverPlace place_of(const BatchConfig& config) {
  return {effective_threads(config.threads), config.device, config.device_memory_limit};
}

// Matrices on the host go through the device in chunks, while others are copied.
class StreamingStage final : public StageSolver<BatchArrays> {
 public:
  using StageSolver::StageSolver;
  Run make_copied_run(const ArrayProblem& problem, Make make, Make, bool page_locked) override {
    return make_streamed_run(stage(), context(), problem, std::move(make), page_locked);
  }
};

std::unique_ptr<BatchSolver> make_solver(const ArrayStages& stages, const OpenRequest& request,
                                         const BatchConfig& config) {
  if (request.variant.contains("peer")) {
    return std::make_unique<PeerSolver<BatchArrays>>(request.variant.at("peer").get<std::string>(),
                                                     place_of(config));
  }
  const ArrayStage& stage = array_stage(stages, request.variant.at("variant").get<std::string>());
  ArrayOptions options{.matrices_per_block = config.matrices_per_block,
                       .swap = config.swap,
                       .threads = effective_threads(config.threads),
                       .tuning_file = config.tuning_file.value_or("")};
  return std::make_unique<StreamingStage>(stage, std::move(options), place_of(config));
}

const ArrayStage* tuned_stage(const ArrayStages& stages, const OpenRequest& request,
                              const BatchConfig& config) {
  if (!config.tune || request.variant.contains("peer")) return nullptr;
  return &array_stage(stages, request.variant.at("variant").get<std::string>());
}

// Matrices that are made, what works on them, and a verdict.
class BatchWorker final : public VariantWorker {
 public:
  BatchWorker(const ArrayStages& stages, const OpenRequest& request);
  void open(PhaseRecorder& setup) override;
  MeasuredRun* run() override { return run_ ? &*run_ : nullptr; }
  void describe_input(RunRecord& record) const override;
  void add_memory(MemoryRecord& memory) const override { solver_->device().add_memory(memory); }
  void write_results() const override { write_batch_results(config_, run_->groups()); }
  void judge(RunRecord& record) const override;
  void release() override { solver_->device().release(); }

 private:
  void count_conditions_of_given();
  void refuse_what_is_not_taken(const ArrayProblem& problem) const;
  void load_groups(PhaseRecorder& setup);
  std::unique_ptr<GroupRun> make_group(const ArrayProblem& problem, const BatchGroup& group);
  void tune(const ArrayProblem& problem, const BatchGroup& group) const;
  MakeArrays<BatchArrays> make_arrays(Side side, const BatchGroup& group) const;
  BatchRunSettings run_settings() const;

  const BatchConfig config_;
  const Input input_;
  const BatchInputRequest wanted_;
  const SteadyClock clock_;
  const ArrayStage* const tuned_;              // null without --tune, and of a peer
  const std::unique_ptr<BatchSolver> solver_;  // outlives the run
  BatchInput matrices_;
  std::optional<BatchConditions> conditions_;
  std::optional<BatchRun> run_;
};

BatchWorker::BatchWorker(const ArrayStages& stages, const OpenRequest& request)
    : config_(batch_config_from_json(request.variant.at("config"))),
      input_(request.input),
      wanted_(batch_request(config_, input_)),
      tuned_(tuned_stage(stages, request, config_)),
      solver_(make_solver(stages, request, config_)) {
  omp_set_num_threads(effective_threads(config_.threads));
}

void BatchWorker::open(PhaseRecorder& setup) {
  solver_->open(setup);
  {
    const auto phase = setup.host_scope("read");
    BatchInputRequest request = wanted_;
    request.threads = effective_threads(config_.threads);
    matrices_ = make_batch_input(request);
    count_conditions_of_given();
  }
  load_groups(setup);
}

void BatchWorker::count_conditions_of_given() {
  const auto given = [](const BatchGroup& group) { return !group.kind; };
  if (config_.verify == VerifyLevel::none || std::ranges::none_of(matrices_.groups, given)) return;
  conditions_ = count_conditions(matrices_, effective_threads(config_.threads));
}

void BatchWorker::refuse_what_is_not_taken(const ArrayProblem& problem) const {
  const bool copies = solver_->side() == Side::device && config_.data != BatchData::device;
  if (solver_->is_peer() && copies && config_.layout == ArrayLayout::pointers) {
    refuse_arrays(
        "matrices behind addresses are not copied for a foreign library; give --data device");
  }
  if (problem.ld < problem.rows) {
    refuse_arrays(
        fmt::format("--ld {} is below an order of the input, {}", problem.ld, problem.rows));
  }
  for (const std::string& reason :
       {unless_of_workload(solver_->takes(), "batch"), refusal(solver_->takes(), problem)}) {
    if (!reason.empty()) refuse_arrays(reason);
  }
}

void BatchWorker::load_groups(PhaseRecorder& setup) {
  const auto phase = setup.scope("context");
  std::vector<std::unique_ptr<GroupRun>> groups;
  for (const BatchGroup& group : matrices_.groups) {
    ArrayProblem problem = array_problem(config_, group.n, group.count);
    problem.pivoting = preferred_pivoting(solver_->takes());
    refuse_what_is_not_taken(problem);
    if (tuned_ != nullptr) tune(problem, group);
    groups.push_back(make_group(problem, group));
    groups.back()->load();
  }
  run_.emplace(run_settings(), std::move(groups), clock_, solver_->device().probe());
  run_->release();
}

std::unique_ptr<GroupRun> BatchWorker::make_group(const ArrayProblem& problem,
                                                  const BatchGroup& group) {
  const Side side = solver_->side();
  if (side == Side::host || config_.data == BatchData::device) {
    return solver_->make_run(problem, make_arrays(side, group));
  }
  return solver_->make_copied_run(problem, make_arrays(Side::host, group), make_arrays(side, group),
                                  config_.data == BatchData::pinned);
}

// Not timed: measures what the stage then chooses from.
void BatchWorker::tune(const ArrayProblem& problem, const BatchGroup& group) const {
  constexpr int launches = 5;
  const std::unique_ptr<BatchArrays> arrays = make_arrays(solver_->side(), group)(problem);
  std::string reason;
  const auto device = gpu::query_device(config_.device, reason);
  add_to_tuning_file(config_.tuning_file.value(), device ? device->name : "",
                     gpu::tune_batch(*solver_->device().session(), *tuned_, *arrays, launches));
}

MakeArrays<BatchArrays> BatchWorker::make_arrays(Side side, const BatchGroup& group) const {
  if (side == Side::device) {
    return [this, group](const ArrayProblem& problem) {
      return gpu::make_batch_arrays(*solver_->device().session(), group, problem);
    };
  }
  return [this, group](const ArrayProblem& problem) {
    HostBatchOptions options;
    options.threads = effective_threads(config_.threads);
    if (solver_->device().session() != nullptr && config_.data == BatchData::pinned) {
      options.memory = [device = config_.device](std::size_t bytes) {
        return gpu::page_locked_memory(device, bytes);
      };
    }
    return make_host_batch_arrays(problem, group, options);
  };
}

BatchRunSettings BatchWorker::run_settings() const {
  const ArrayStageFacts& takes = solver_->takes();
  const bool pivots = preferred_pivoting(takes) == ArrayPivoting::partial &&
                      (config_.operation != ArrayOperation::inverse || takes.inverse_has_pivots);
  return {.config = config_,
          .only_copies = takes.name == yardstick_variant,
          .is_peer = solver_->is_peer(),
          .gives_pivots = pivots && solver_->gives_pivots()};
}

void BatchWorker::describe_input(RunRecord& record) const {
  record.input = {input_.name, std::nullopt, std::nullopt, batch_reading(config_, wanted_),
                  std::nullopt};
  if (!input_.path.empty()) record.input.path = input_.path;
  if (!matrices_.sha256.empty()) record.input.sha256 = matrices_.sha256;
  BatchRecord& batch = record.batch.emplace();
  batch.generator = batch_generator_facts(wanted_);
  batch.operation = to_string(config_.operation);
  batch.rhs = config_.operation == ArrayOperation::solve ? config_.rhs : 0;
  batch.layout = to_string(config_.layout);
  batch.ld = config_.ld;
  batch.in_place = config_.works_in_place();
  batch.data = to_string(config_.data);
  batch.side = to_string(solver_->side());
  batch.conditions = conditions_;
  Offset entries = 0;
  for (const BatchGroup& group : matrices_.groups) {
    batch.sizes.push_back({group.n, group.count});
    batch.count += group.count;
    entries += group.count * group.n * group.n;
  }
  if (!matrices_.groups.empty()) record.input.entries = entries;
}

// A batch with singular matrices is ok: PA = LU holds for them too, and info names them.
void BatchWorker::judge(RunRecord& record) const {
  solver_->describe(record, config_.operation == ArrayOperation::solve, config_.precision);
  record.batch->built_orders = solver_->takes().built_orders;
  judge_by_verification(record);
}

}  // namespace

std::unique_ptr<VariantWorker> make_batch_worker(const ArrayStages& stages,
                                                 const OpenRequest& request) {
  return std::make_unique<BatchWorker>(stages, request);
}

}  // namespace lufact
