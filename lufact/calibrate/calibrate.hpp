// SPDX-License-Identifier: BSD-3-Clause
// Measures what rates say of a machine, by the stages themselves on a few generated matrices.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/base/machine.hpp"
#include "lufact/calibrate/rate_fit.hpp"

namespace lufact {

struct CalibrationOptions {
  int threads = 1;  // of the host's stages, and what the rates are then for
  int device = 0;
  double most_seconds = 30;  // no matrix is begun after them
};

struct SkippedStep {
  std::string step, reason;
};

struct Calibration {
  RateSet rates;
  std::vector<RateMeasurement> measurements;
  std::vector<SkippedStep> skipped;  // their rates are as shipped
  double elapsed_s = 0;
};

// The rates of `machine`, steps on the device only where it has one that the stages can use.
// `report` is told what is being measured. Throws Error as stages do.
Calibration calibrate(const CalibrationOptions& options, const Machine& machine,
                      const std::function<void(const std::string&)>& report);

}  // namespace lufact
