// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::testing_support {

struct ControlValue {
  double numbers[8];
};

// One thread writes first, first + 1 ... to `to`, asynchronously.
void launch_control_kernel(DeviceSession& session, double first, ControlValue* to);

}  // namespace lufact::gpu::testing_support
