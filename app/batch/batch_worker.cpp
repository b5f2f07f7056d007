// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_worker.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/array/device_part.hpp"
#include "app/batch/batch_run.hpp"
#include "app/batch/batch_source.hpp"
#include "app/batch/tuning_file.hpp"
#include "app/batch/written_results.hpp"
#include "app/batch_input/make_batch_input.hpp"
#include "app/config/machine_json.hpp"
#include "baselines/peers/array_peer.hpp"
#include "baselines/peers/known_peers.hpp"
#include "core/base/error.hpp"
#include "core/batch/condition_counts.hpp"
#include "core/batch/host_batch_arrays.hpp"
#include "core/report/batch_figures.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

// What kernels of ours and a foreign library share: matrices that are made, and a verdict.
class BatchWorker : public VariantWorker {
 public:
  void open(PhaseRecorder& setup) final;
  MeasuredRun* run() final { return run_ ? &*run_ : nullptr; }
  void describe_input(RunRecord& record) const final;
  void add_memory(MemoryRecord& memory) const final { device_.add_memory(memory); }
  void write_results() const final { write_batch_results(config_, run_->groups()); }
  void judge(RunRecord& record) const final;
  void release() final { device_.release(); }

 protected:
  explicit BatchWorker(const OpenRequest& request);
  // Before the matrices are made; sets side_.
  virtual void open_solver(PhaseRecorder& setup) = 0;
  virtual void complete_problem(ArrayProblem&) const {}
  // Throws Error where it does not take the problem.
  virtual std::unique_ptr<GroupRun> make_group(const ArrayProblem& problem,
                                               const BatchGroup& group) = 0;
  virtual BatchRunSettings run_settings() const = 0;
  // Names, choices, settings and warnings.
  virtual void describe_solver(RunRecord& record) const = 0;

  void open_session(PhaseRecorder& setup) {
    device_.open(setup, config_.device, config_.device_memory_limit);
  }
  MakeArrays<BatchArrays> make_arrays(Side side, const BatchGroup& group);

  const BatchConfig config_;
  const Input input_;
  const BatchInputRequest wanted_;
  const SteadyClock clock_;
  DevicePart device_;
  Side side_ = Side::host;

 private:
  void load_groups(PhaseRecorder& setup);

  void count_conditions_of_given();

  BatchInput matrices_;
  std::optional<BatchConditions> conditions_;
  std::optional<BatchRun> run_;
};

BatchWorker::BatchWorker(const OpenRequest& request)
    : config_(batch_config_from_json(request.variant.at("config"))),
      input_(request.input),
      wanted_(batch_request(config_, input_)) {
  omp_set_num_threads(effective_threads(config_.threads));
}

void BatchWorker::open(PhaseRecorder& setup) {
  open_solver(setup);
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

void BatchWorker::load_groups(PhaseRecorder& setup) {
  const auto phase = setup.scope("context");
  std::vector<std::unique_ptr<GroupRun>> groups;
  for (const BatchGroup& group : matrices_.groups) {
    ArrayProblem problem = array_problem(config_, group.n, group.count);
    if (problem.ld < group.n)
      refuse_arrays(fmt::format("--ld {} is below an order of the input, {}", problem.ld, group.n));
    complete_problem(problem);
    groups.push_back(make_group(problem, group));
    groups.back()->load();
  }
  run_.emplace(run_settings(), std::move(groups), clock_, device_.probe());
  run_->release();
}

MakeArrays<BatchArrays> BatchWorker::make_arrays(Side side, const BatchGroup& group) {
  if (side == Side::device) {
    return [this, group](const ArrayProblem& problem) {
      return gpu::make_batch_arrays(*device_.session(), group, problem);
    };
  }
  return [this, group](const ArrayProblem& problem) {
    HostBatchOptions options;
    options.threads = effective_threads(config_.threads);
    if (device_.session() != nullptr && config_.data == BatchData::pinned) {
      options.memory = [device = config_.device](std::size_t bytes) {
        return gpu::page_locked_memory(device, bytes);
      };
    }
    return make_host_batch_arrays(problem, group, options);
  };
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
  batch.side = to_string(side_);
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
  describe_solver(record);
  judge_by_verification(record);
}

class StageWorker final : public BatchWorker {
 public:
  StageWorker(const ArrayStages& stages, const OpenRequest& request)
      : BatchWorker(request),
        stage_(array_stage(stages, request.variant.at("variant").get<std::string>())),
        options_{.matrices_per_block = config_.matrices_per_block,
                 .swap = config_.swap,
                 .threads = effective_threads(config_.threads),
                 .tuning_file = config_.tuning_file.value_or("")} {}

 private:
  void open_solver(PhaseRecorder& setup) override {
    side_ = stage_.facts().side;
    if (side_ == Side::host) return;
    open_session(setup);
    context_.device = device_.session();
  }

  std::unique_ptr<GroupRun> make_group(const ArrayProblem& problem,
                                       const BatchGroup& group) override {
    if (const std::string reason = refusal(stage_.facts(), problem); !reason.empty()) {
      refuse_arrays(reason);
    }
    if (config_.tune) tune(problem, group);
    if (side_ == Side::host || config_.data == BatchData::device) {
      return std::make_unique<StageRun<BatchArrays>>(stage_, context_, problem,
                                                     make_arrays(side_, group));
    }
    return make_streamed_run(stage_, context_, problem, make_arrays(Side::host, group),
                             config_.data == BatchData::pinned);
  }

  // Not timed: measures what the stage then chooses from.
  void tune(const ArrayProblem& problem, const BatchGroup& group) {
    constexpr int launches = 5;
    const std::unique_ptr<BatchArrays> arrays = make_arrays(side_, group)(problem);
    std::string reason;
    const auto device = gpu::query_device(config_.device, reason);
    add_to_tuning_file(config_.tuning_file.value(), device ? device->name : "",
                       gpu::tune_batch(*device_.session(), *arrays, launches));
  }

  BatchRunSettings run_settings() const override {
    const bool pivots =
        config_.operation != ArrayOperation::inverse || stage_.facts().inverse_has_pivots;
    return {.config = config_,
            .only_copies = stage_.facts().name == yardstick_variant,
            .gives_pivots = pivots};
  }

  void describe_solver(RunRecord& record) const override {
    PipelineRecord& pipeline = record.pipeline.emplace();
    pipeline.numeric = stage_.facts().name;
    if (config_.operation == ArrayOperation::solve) pipeline.solve = stage_.facts().name;
    pipeline.precision = to_string(config_.precision);
    pipeline.choices = choices_;
    record.batch->built_orders = stage_.facts().built_orders;
    record.warnings.insert(record.warnings.end(), warnings_.begin(), warnings_.end());
  }

  const ArrayStage& stage_;
  const ArrayOptions options_;
  std::vector<Choice> choices_;
  std::vector<Warning> warnings_;
  ArrayContext context_{options_, choices_, warnings_};
};

class ArrayPeerWorker final : public BatchWorker {
 public:
  explicit ArrayPeerWorker(const OpenRequest& request)
      : BatchWorker(request), name_(request.variant.at("peer").get<std::string>()) {}

 private:
  std::unique_ptr<ArrayPeer> open_peer() const {
    return std::make_unique<ArrayPeer>(
        *plugin_, ArrayPeer::Options{parse_peer_name(name_).variant,
                                     effective_threads(config_.threads), config_.device});
  }

  void open_solver(PhaseRecorder& setup) override {
    {
      const auto phase = setup.host_scope("init");
      plugin_.emplace(parse_peer_name(name_).plugin);
      first_ = open_peer();
      facts_ = first_->facts();
    }
    side_ = facts_.takes.side;
    if (side_ == Side::host) return;
    if (config_.data != BatchData::device && config_.layout == ArrayLayout::pointers) {
      refuse_arrays(
          "matrices behind addresses are not copied for a foreign library; give --data device");
    }
    open_session(setup);
  }

  void complete_problem(ArrayProblem& problem) const override {
    problem.pivoting = preferred_pivoting(facts_.takes);
  }

  std::unique_ptr<GroupRun> make_group(const ArrayProblem& problem,
                                       const BatchGroup& group) override {
    for (const std::string& reason :
         {unless_of_workload(facts_.takes, "batch"), refusal(facts_.takes, problem)}) {
      if (!reason.empty()) refuse_arrays(reason);
    }
    std::unique_ptr<ArrayPeer> peer = first_ ? std::move(first_) : open_peer();
    if (side_ == Side::device && config_.data != BatchData::device) {
      return std::make_unique<CopiedPeerRun<BatchArrays>>(
          std::move(peer), *device_.session(), problem, make_arrays(Side::host, group),
          make_arrays(Side::device, group), config_.data == BatchData::pinned);
    }
    return std::make_unique<PeerRun<BatchArrays>>(std::move(peer), device_.session(), problem,
                                                  make_arrays(side_, group));
  }

  BatchRunSettings run_settings() const override {
    const auto& known = facts_.takes.pivoting;
    const bool pivots = std::ranges::find(known, ArrayPivoting::partial) != known.end();
    return {.config = config_, .is_peer = true, .gives_pivots = pivots && facts_.gives_pivots};
  }

  void describe_solver(RunRecord& record) const override {
    PipelineRecord& pipeline = record.pipeline.emplace();
    pipeline.numeric = name_;
    if (config_.operation == ArrayOperation::solve) pipeline.solve = name_;
    pipeline.precision = to_string(config_.precision);
    pipeline.peer = name_;
    record.peer = facts_.record;
  }

  const std::string name_;
  std::optional<ArrayPeerPlugin> plugin_;
  std::unique_ptr<ArrayPeer> first_;
  ArrayPeerFacts facts_;
};

}  // namespace

std::unique_ptr<VariantWorker> make_batch_worker(const ArrayStages& stages,
                                                 const OpenRequest& request) {
  if (request.variant.contains("peer")) return std::make_unique<ArrayPeerWorker>(request);
  return std::make_unique<StageWorker>(stages, request);
}

}  // namespace lufact
