// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/launch.cuh"
#include "gpu/runtime/test/control_kernel.hpp"

namespace lufact::gpu::testing_support {
namespace {

__global__ void control_kernel(double first, ControlValue* to) {
  for (int k = 0; k < 8; ++k) to->numbers[k] = first + k;
}

}  // namespace

void launch_control_kernel(DeviceSession& session, double first, ControlValue* to) {
  launch(session, {1, 1}, control_kernel, first, to);
}

}  // namespace lufact::gpu::testing_support
