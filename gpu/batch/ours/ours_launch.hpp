// SPDX-License-Identifier: BSD-3-Clause
// One of our kernels, loaded, and how it is launched.
#pragma once
#include "core/array/array_stage.hpp"
#include "gpu/batch/kernel_module.hpp"
#include "gpu/batch/ours/lane_layouts.hpp"

namespace lufact::gpu::ours {

class OursLaunch final : public PreparedArrays {
 public:
  // `warps` a block at most: fewer where shared memory does not suffice.
  OursLaunch(DeviceSession& session, const ArrayProblem& problem, const LaneLayout& layout,
             int warps);

  void run(const ArrayOperands& operands, Offset count) override;
  ArrayLaunchFacts launch() const override;
  int matrices_per_block() const { return warps_ * layout_.matrices_per_warp(); }

 private:
  std::size_t shared_bytes() const;

  DeviceSession& session_;
  ArrayProblem problem_;
  LaneLayout layout_;
  BatchKernel kernel_;
  int warps_;
};

}  // namespace lufact::gpu::ours
