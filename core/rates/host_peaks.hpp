// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

#include "core/rates/peaks.hpp"

namespace lufact {

struct HostPeakSettings {
  int threads = 1;
  std::size_t copied_bytes = std::size_t{512} << 20;  // beyond every cache
  int rounds = 5;                                     // of which the best counts
  double round_s = 0.05;                              // of multiply-adds, about
};

// Copies of one array to another by all threads, each its own part, and multiply-adds of all
// threads in the widest registers that the processor has. Takes some 2 s and twice copied_bytes;
// measured_at stays empty. Throws std::bad_alloc.
HostPeaks measure_host_peaks(const HostPeakSettings& settings);

}  // namespace lufact
