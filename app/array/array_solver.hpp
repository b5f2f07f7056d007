// SPDX-License-Identifier: BSD-3-Clause
// What a worker on dense matrices computes with: a stage of ours or a foreign library. Either is
// opened once, says what it takes, makes runs on arrays and describes itself in the record.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/array/array_run.hpp"
#include "app/array/device_part.hpp"
#include "baselines/peers/array_peer.hpp"
#include "baselines/peers/known_peers.hpp"
#include "core/array/array_stage.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// What it may use of the machine.
struct SolverPlace {
  int threads = 1, device = 0;
  std::optional<std::uint64_t> device_memory_limit;
};

// `Arrays` as in ArrayRun.
template <class Arrays>
class ArraySolver {
 public:
  using Run = std::unique_ptr<ArrayRun<Arrays>>;
  using Make = MakeArrays<Arrays>;

  virtual ~ArraySolver() = default;
  ArraySolver(const ArraySolver&) = delete;
  ArraySolver& operator=(const ArraySolver&) = delete;

  // The library and the session of a device, in phases of `setup`. Throws Error.
  virtual void open(PhaseRecorder& setup) = 0;
  // Of a library once it is open.
  virtual const ArrayStageFacts& takes() const = 0;
  Side side() const { return takes().side; }
  virtual bool is_peer() const = 0;
  virtual bool gives_pivots() const { return true; }

  // Runs must not outlive the solver. On arrays of its own side, which `make` makes.
  virtual Run make_run(const ArrayProblem& problem, Make make) = 0;
  // On a device for arrays of the host, which `make` makes; `make_there` makes those of the device.
  virtual Run make_copied_run(const ArrayProblem& problem, Make make, Make make_there,
                              bool page_locked) = 0;

  // Names, choices, settings and warnings of a run that factors, and solves or not.
  void describe(RunRecord& record, bool solves, Precision precision) const {
    PipelineRecord& pipeline = record.pipeline.emplace();
    pipeline.numeric = takes().name;
    if (solves) pipeline.solve = takes().name;
    pipeline.precision = to_string(precision);
    describe_own(record);
  }

  const DevicePart& device() const noexcept { return device_; }
  DevicePart& device() noexcept { return device_; }

 protected:
  explicit ArraySolver(const SolverPlace& place) : place_(place) {}

  void open_session(PhaseRecorder& setup) {
    if (side() == Side::host) return;
    device_.open(setup, place_.device, place_.device_memory_limit);
  }

  const SolverPlace place_;

 private:
  virtual void describe_own(RunRecord& record) const = 0;

  DevicePart device_;
};

// A stage, which must outlive it.
template <class Arrays>
class StageSolver : public ArraySolver<Arrays> {
 public:
  using typename ArraySolver<Arrays>::Run;
  using typename ArraySolver<Arrays>::Make;

  StageSolver(const ArrayStage& stage, ArrayOptions options, const SolverPlace& place)
      : ArraySolver<Arrays>(place), stage_(stage), options_(std::move(options)) {}

  void open(PhaseRecorder& setup) final {
    this->open_session(setup);
    context_.device = this->device().session();
  }
  const ArrayStageFacts& takes() const final { return stage_.facts(); }
  bool is_peer() const final { return false; }

  Run make_run(const ArrayProblem& problem, Make make) override {
    return std::make_unique<StageRun<Arrays>>(stage_, context_, problem, std::move(make));
  }
  Run make_copied_run(const ArrayProblem& problem, Make make, Make make_there,
                      bool page_locked) override {
    return std::make_unique<CopiedStageRun<Arrays>>(stage_, context_, problem, std::move(make),
                                                    std::move(make_there), page_locked);
  }

 protected:
  const ArrayStage& stage() const noexcept { return stage_; }
  ArrayContext& context() noexcept { return context_; }

 private:
  void describe_own(RunRecord& record) const final {
    record.pipeline->choices = choices_;
    record.warnings.insert(record.warnings.end(), warnings_.begin(), warnings_.end());
  }

  const ArrayStage& stage_;
  const ArrayOptions options_;
  std::vector<Choice> choices_;
  std::vector<Warning> warnings_;
  ArrayContext context_{options_, choices_, warnings_};
};

// The library or the variant of one that --peer calls `name`.
template <class Arrays>
class PeerSolver final : public ArraySolver<Arrays> {
 public:
  using typename ArraySolver<Arrays>::Run;
  using typename ArraySolver<Arrays>::Make;

  PeerSolver(std::string name, const SolverPlace& place)
      : ArraySolver<Arrays>(place), name_(std::move(name)) {}

  void open(PhaseRecorder& setup) override {
    {
      const auto phase = setup.host_scope("init");
      plugin_.emplace(parse_peer_name(name_).plugin);
      first_ = open_peer();
      facts_ = first_->facts();
    }
    this->open_session(setup);
  }
  const ArrayStageFacts& takes() const override { return facts_.takes; }
  bool is_peer() const override { return true; }
  bool gives_pivots() const override { return facts_.gives_pivots; }

  Run make_run(const ArrayProblem& problem, Make make) override {
    return std::make_unique<PeerRun<Arrays>>(take_peer(), this->device().session(), problem,
                                             std::move(make));
  }
  Run make_copied_run(const ArrayProblem& problem, Make make, Make make_there,
                      bool page_locked) override {
    return std::make_unique<CopiedPeerRun<Arrays>>(take_peer(), *this->device().session(), problem,
                                                   std::move(make), std::move(make_there),
                                                   page_locked);
  }

 private:
  void describe_own(RunRecord& record) const override {
    record.pipeline->peer = name_;
    record.peer = facts_.record;
  }

  std::unique_ptr<ArrayPeer> open_peer() const {
    return std::make_unique<ArrayPeer>(
        *plugin_, ArrayPeer::Options{parse_peer_name(name_).variant, this->place_.threads,
                                     this->place_.device});
  }
  // Each run has one of its own.
  std::unique_ptr<ArrayPeer> take_peer() { return first_ ? std::move(first_) : open_peer(); }

  const std::string name_;
  std::optional<ArrayPeerPlugin> plugin_;
  std::unique_ptr<ArrayPeer> first_;
  ArrayPeerFacts facts_;
};

}  // namespace lufact
