// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/ours/ours_launch.hpp"

#include "gpu/batch/ours/shared_sizes.hpp"

namespace lufact::gpu::ours {

OursLaunch::OursLaunch(DeviceSession& session, const ArrayProblem& problem,
                       const LaneLayout& layout, int warps)
    : session_(session),
      problem_(problem),
      layout_(layout),
      kernel_(KernelModule(session, "ours", problem.precision, problem.order())
                  .kernel(layout.kernel(problem.operation))),
      warps_(warps) {
  while (warps_ > 1 && kernel_.resident_blocks(warps_ * lanes_per_warp, shared_bytes()) == 0) {
    --warps_;
  }
}

std::size_t OursLaunch::shared_bytes() const {
  return static_cast<std::size_t>(warps_) *
         static_cast<std::size_t>(layout_.shared_bytes(problem_.order(), problem_.precision));
}

void OursLaunch::run(const ArrayOperands& operands, Offset count) {
  const Offset blocks = (count + matrices_per_block() - 1) / matrices_per_block();
  kernel_.launch(session_, blocks, dim3(lanes_per_warp, static_cast<unsigned>(warps_)),
                 shared_bytes(), kernel_arguments(problem_, operands, count));
}

ArrayLaunchFacts OursLaunch::launch() const {
  ArrayLaunchFacts facts;
  facts.matrices_per_block = matrices_per_block();
  facts.lanes = layout_.lanes;
  facts.rows_per_lane = layout_.is_thread() ? problem_.order() : layout_.rows;
  facts.registers = kernel_.attributes().registers;
  facts.shared_bytes = static_cast<Offset>(shared_bytes());
  facts.resident_warps = kernel_.resident_warps(warps_ * lanes_per_warp, shared_bytes());
  facts.settings["kernel"] = kernel_.name();
  return facts;
}

}  // namespace lufact::gpu::ours
