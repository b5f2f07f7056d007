// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/affinity.hpp"

#include <omp.h>

#include <vector>

namespace lufact {

std::optional<cpu_set_t> given_processors() {
  if (omp_get_proc_bind() == omp_proc_bind_false) return std::nullopt;
  cpu_set_t given;
  CPU_ZERO(&given);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> processors(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data());
    for (const int processor : processors) CPU_SET(processor, &given);
  }
  return CPU_COUNT(&given) > 0 ? std::optional(given) : std::nullopt;
}

void run_on(const std::optional<cpu_set_t>& processors) noexcept {
  // A processor that was taken away since makes the call fail: the binding then stays as it is.
  if (processors) sched_setaffinity(0, sizeof *processors, &*processors);
}

}  // namespace lufact
