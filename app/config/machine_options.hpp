// SPDX-License-Identifier: BSD-3-Clause
// Options that commands have in common which measure or look at a matrix.
#pragma once
#include "app/config/option.hpp"

namespace lufact {

// More than any machine has; with many more the run-time of OpenMP ends the process.
inline constexpr int most_threads = 1024;
inline constexpr InRange range_of_threads = between(0, most_threads, "1 to 1024; 0 for all");

void visit_device(auto&& option, auto& device) {
  option(Option{"--device", "device", option_groups::machine, "CUDA device number"}, device,
         at_least(0, "0 or more"));
}

}  // namespace lufact
