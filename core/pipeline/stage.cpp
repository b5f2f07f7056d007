// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/stage.hpp"

namespace lufact {

Support Stage::supported(const Machine& machine) const {
  if (info().side == Side::device && !machine.device.has_value()) {
    return {false, machine.device_absent_reason};
  }
  return {};
}

}  // namespace lufact
