// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>

#include "core/pipeline/record.hpp"

namespace lufact {

struct MedianTime {
  double seconds = 0;
  bool of_device = false;
};

// Of the samples, in the phases `numeric` and `solve`: that of the device where every sample has
// one, since waiting for a device takes as long as a small problem. Empty without samples.
std::optional<MedianTime> median_work_time(const RunRecord& run);

}  // namespace lufact
