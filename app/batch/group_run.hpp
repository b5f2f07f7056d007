// SPDX-License-Identifier: BSD-3-Clause
// The matrices of one order of a batch, their arrays and what works on them: kernels of ours or a
// foreign library, on the host or on a device.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "baselines/peers/array_peer.hpp"
#include "core/array/array_stage.hpp"
#include "core/batch/batch_arrays.hpp"

namespace lufact {

// Makes the arrays of a group where the variant computes.
using MakeArrays =
    std::function<std::unique_ptr<BatchArrays>(const ArrayProblem&, const BatchGroup&)>;

class GroupRun {
 public:
  GroupRun(const ArrayProblem& problem, BatchGroup group, MakeArrays make);
  virtual ~GroupRun() = default;
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  const ArrayProblem& problem() const noexcept { return problem_; }
  // Kernels are chosen and loaded. Throws Error.
  virtual void load() {}
  // Everything that is not timed: arrays, which are made where they are not there, with the input
  // as it was made, and what works on them.
  void restore();
  // Where matrices are on the host before and after, and run() takes them on the device: copies
  // them there and back, each done on return.
  virtual bool copies() const { return false; }
  virtual void upload() {}
  virtual void download() {}
  // Puts the work on the device's stream; done on return on the host.
  virtual void run() = 0;
  // Those of the last run, until release().
  BatchArrays& arrays() { return *arrays_; }
  // Whether the last run left the input, which is what `copy` does. The arrays are gone after that.
  bool holds_input();
  virtual void release();

  // Whether run() copies the matrices to the device and back as well, in chunks that overlap.
  virtual bool streams() const { return false; }
  virtual ArrayLaunchFacts launch() const { return {}; }
  virtual std::optional<StreamingRecord> streaming() const { return std::nullopt; }

 protected:
  // Before a run on these arrays.
  virtual void bind(const ArrayOperands&) {}

 private:
  const ArrayProblem problem_;
  const BatchGroup group_;
  const MakeArrays make_;
  std::unique_ptr<BatchArrays> arrays_;
};

// A stage, on arrays of its own side. The context must outlive it.
std::unique_ptr<GroupRun> make_stage_run(const ArrayStage& stage, ArrayContext& context,
                                         const ArrayProblem& problem, const BatchGroup& group,
                                         MakeArrays make);

// A stage on the device, with arrays on the host whose matrices go through in chunks.
std::unique_ptr<GroupRun> make_streamed_run(const ArrayStage& stage, ArrayContext& context,
                                            const ArrayProblem& problem, const BatchGroup& group,
                                            MakeArrays make, bool page_locked);

// A foreign library on arrays of its own side; `device` is null on the host.
std::unique_ptr<GroupRun> make_peer_run(std::unique_ptr<ArrayPeer> peer, DeviceSession* device,
                                        const ArrayProblem& problem, const BatchGroup& group,
                                        MakeArrays make);

// The same for matrices on the host, where `make` makes them; `make_there` makes arrays on the
// device.
std::unique_ptr<GroupRun> make_copied_peer_run(std::unique_ptr<ArrayPeer> peer,
                                               DeviceSession& device, const ArrayProblem& problem,
                                               const BatchGroup& group, MakeArrays make,
                                               MakeArrays make_there, bool page_locked);

}  // namespace lufact
