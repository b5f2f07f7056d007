// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one problem and what works on them: kernels of ours or a foreign library, on the
// host or on a device. `Arrays` is ProblemArrays with what a workload adds to judge them.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "baselines/peers/array_peer.hpp"
#include "core/array/array_stage.hpp"
#include "core/array/problem_arrays.hpp"
#include "core/base/memory_limit.hpp"
#include "gpu/gpu.hpp"

namespace lufact {

// Whether arrays of `bytes` stay between turns: on the host, where they are at most a quarter of
// what is still `available` beside them. So the variants that take turns, however many they are,
// leave room for one more of up to four times their size.
constexpr bool arrays_may_stay(Side side, std::uint64_t bytes, std::uint64_t available) {
  return side == Side::host && bytes <= available / 4;
}

// Makes the arrays of a problem where the variant computes.
template <class Arrays>
using MakeArrays = std::function<std::unique_ptr<Arrays>(const ArrayProblem&)>;

template <class Arrays>
class ArrayRun {
 public:
  // `side` is that of the arrays.
  ArrayRun(const ArrayProblem& problem, Side side, MakeArrays<Arrays> make)
      : problem_(problem), side_(side), make_(std::move(make)) {}
  virtual ~ArrayRun() = default;
  ArrayRun(const ArrayRun&) = delete;
  ArrayRun& operator=(const ArrayRun&) = delete;

  const ArrayProblem& problem() const noexcept { return problem_; }
  // Kernels are chosen and loaded. Throws Error.
  virtual void load() {}
  // Everything that is not timed: arrays, which are made where they are not there, with the input
  // as it was made, and what works on them.
  void restore() {
    if (!arrays_) arrays_ = make_(problem_);
    arrays_->restore();
    if (!bound_) bind(arrays_->operands());
    bound_ = true;
  }
  // Where matrices are on the host before and after, and run() takes them on the device: copies
  // them there and back, each done on return.
  virtual bool copies() const { return false; }
  virtual void upload() {}
  virtual void download() {}
  // Puts the work on the device's stream; done on return on the host.
  virtual void run() = 0;
  // Those of the last run, until release().
  Arrays& arrays() { return *arrays_; }
  // Whether the last run left the input, which is what `copy` does. The arrays are gone after that.
  bool holds_input() {
    const std::string left = arrays_->values_sha256();
    arrays_.reset();
    ArrayProblem in_place = problem_;
    in_place.in_place = true;
    const std::unique_ptr<Arrays> input = make_(in_place);
    input->restore();
    return input->values_sha256() == left;
  }
  // Whoever has the next turn finds the device free. Arrays on the host stay where it has plenty:
  // to lock and to fill gibibytes anew takes many times as long as what is measured.
  virtual void release() {
    bound_ = false;
    if (arrays_ && !arrays_may_stay(side_, arrays_->bytes(), available_memory())) arrays_.reset();
  }

  // Whether run() copies the matrices to the device and back as well, in chunks that overlap.
  virtual bool streams() const { return false; }
  virtual ArrayLaunchFacts launch() const { return {}; }
  virtual std::optional<StreamingRecord> streaming() const { return std::nullopt; }
  // Of the last run.
  virtual std::optional<RefinementRecord> refinement() const { return std::nullopt; }
  // See PreparedArrays; on arrays that are restored before.
  virtual void profile(PhaseRecorder&) {}

 protected:
  // Before the first run on these arrays, and the first one after release().
  virtual void bind(const ArrayOperands&) {}

 private:
  const ArrayProblem problem_;
  const Side side_;
  const MakeArrays<Arrays> make_;
  std::unique_ptr<Arrays> arrays_;
  bool bound_ = false;
};

// A stage, on arrays of its own side. The context must outlive it.
template <class Arrays>
class StageRun final : public ArrayRun<Arrays> {
 public:
  StageRun(const ArrayStage& stage, ArrayContext& context, const ArrayProblem& problem,
           MakeArrays<Arrays> make)
      : ArrayRun<Arrays>(problem, stage.facts().side, std::move(make)),
        stage_(stage),
        context_(context) {}

  void load() override { prepared_ = stage_.prepare(this->problem(), context_); }
  void run() override { prepared_->run(this->arrays().operands(), this->problem().count); }
  ArrayLaunchFacts launch() const override { return prepared_->launch(); }
  std::optional<RefinementRecord> refinement() const override { return prepared_->refinement(); }
  void profile(PhaseRecorder& phases) override {
    this->arrays().restore();
    prepared_->profile(this->arrays().operands(), phases);
  }

 private:
  const ArrayStage& stage_;
  ArrayContext& context_;
  std::unique_ptr<PreparedArrays> prepared_;
};

// A foreign library on arrays of its own side; `device` is null on the host.
template <class Arrays>
class PeerRun final : public ArrayRun<Arrays> {
 public:
  PeerRun(std::unique_ptr<ArrayPeer> peer, DeviceSession* device, const ArrayProblem& problem,
          MakeArrays<Arrays> make)
      : ArrayRun<Arrays>(problem, device != nullptr ? Side::device : Side::host, std::move(make)),
        peer_(std::move(peer)),
        device_(device) {}

  void run() override { peer_->run(device_ != nullptr ? gpu::native_stream(*device_) : nullptr); }
  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts;
    facts.settings["workspace_bytes"] = fmt::format("{}", workspace_bytes_);
    return facts;
  }
  std::optional<RefinementRecord> refinement() const override { return peer_->refinement(); }

 private:
  void bind(const ArrayOperands& operands) override {
    workspace_bytes_ = peer_->prepare(this->problem(), operands);
  }

  const std::unique_ptr<ArrayPeer> peer_;
  DeviceSession* const device_;
  std::uint64_t workspace_bytes_ = 0;
};

// Work on the device for matrices on the host: `make` makes them there, `make_there` makes arrays
// on the device.
template <class Arrays>
class CopiedRun : public ArrayRun<Arrays> {
 public:
  bool copies() const final { return true; }
  void upload() final {
    gpu::upload_batch(device_, this->problem(), this->arrays().operands(), there_->operands(),
                      page_locked_);
  }
  void download() final {
    gpu::download_batch(device_, this->problem(), there_->operands(), this->arrays().operands(),
                        page_locked_);
  }
  void release() final {
    ArrayRun<Arrays>::release();
    there_.reset();
  }

 protected:
  CopiedRun(DeviceSession& device, const ArrayProblem& problem, MakeArrays<Arrays> make,
            MakeArrays<Arrays> make_there, bool page_locked)
      : ArrayRun<Arrays>(problem, Side::host, std::move(make)),
        device_(device),
        make_there_(std::move(make_there)),
        page_locked_(page_locked) {}

  DeviceSession& device() const noexcept { return device_; }
  Arrays& there() { return *there_; }
  // Before a run on the arrays of the device.
  virtual void bind_there() {}

 private:
  void bind(const ArrayOperands&) final {
    there_ = make_there_(this->problem());
    there_->restore();
    bind_there();
  }

  DeviceSession& device_;
  const MakeArrays<Arrays> make_there_;
  const bool page_locked_;
  std::unique_ptr<Arrays> there_;
};

// A foreign library.
template <class Arrays>
class CopiedPeerRun final : public CopiedRun<Arrays> {
 public:
  CopiedPeerRun(std::unique_ptr<ArrayPeer> peer, DeviceSession& device, const ArrayProblem& problem,
                MakeArrays<Arrays> make, MakeArrays<Arrays> make_there, bool page_locked)
      : CopiedRun<Arrays>(device, problem, std::move(make), std::move(make_there), page_locked),
        peer_(std::move(peer)) {}

  void run() override { peer_->run(gpu::native_stream(this->device())); }
  std::optional<RefinementRecord> refinement() const override { return peer_->refinement(); }

 private:
  void bind_there() override { peer_->prepare(this->problem(), this->there().operands()); }

  const std::unique_ptr<ArrayPeer> peer_;
};

// A stage. The context, which has the device, must outlive it.
template <class Arrays>
class CopiedStageRun final : public CopiedRun<Arrays> {
 public:
  CopiedStageRun(const ArrayStage& stage, ArrayContext& context, const ArrayProblem& problem,
                 MakeArrays<Arrays> make, MakeArrays<Arrays> make_there, bool page_locked)
      : CopiedRun<Arrays>(*context.device, problem, std::move(make), std::move(make_there),
                          page_locked),
        stage_(stage),
        context_(context) {}

  void load() override { prepared_ = stage_.prepare(this->problem(), context_); }
  void run() override { prepared_->run(this->there().operands(), this->problem().count); }
  ArrayLaunchFacts launch() const override { return prepared_->launch(); }
  std::optional<RefinementRecord> refinement() const override { return prepared_->refinement(); }
  void profile(PhaseRecorder& phases) override {
    this->there().restore();
    prepared_->profile(this->there().operands(), phases);
  }

 private:
  const ArrayStage& stage_;
  ArrayContext& context_;
  std::unique_ptr<PreparedArrays> prepared_;
};

}  // namespace lufact
