// SPDX-License-Identifier: BSD-3-Clause
// What a machine can do at most, as measured on it: what the rates of phases are set against.
#pragma once
#include <optional>
#include <string>

namespace lufact {

// Copies count what is read and what is written. Products are multiply-adds, of two operations
// each, on numbers in registers: no product of matrices is quicker.
struct HostPeaks {
  int threads = 0;  // that measured together
  double copy_bytes_per_s = 0, fp64_flops_per_s = 0;
  std::string measured_at;  // ISO 8601 in UTC
};

struct DevicePeaks {
  double copy_bytes_per_s = 0, fp64_flops_per_s = 0, fp32_flops_per_s = 0;
  std::string measured_at;
};

struct MachinePeaks {
  std::optional<HostPeaks> host;
  std::optional<DevicePeaks> device;
  std::string source;  // the file that they were read from; empty where nothing is known
};

}  // namespace lufact
