// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact {

// How `gpu-gsofa` will divide its memory, with the defaults of its options. #C, the sources in
// flight, starts from what the card's cache holds and follows the load: what is said here is how
// far it may go.
struct GsofaBatch {
  std::uint64_t budget_bytes = 0;  // half of what the limit leaves
  std::uint64_t array_bytes = 0;   // the one array of maxId, fill and queues
  std::uint64_t row_bytes = 0;     // counts and chunk bits of all rows, beside the array
  Offset most_sources = 0;         // #C at most, of the first batch
  Offset least_sources = 0;        // #C at most, of the last whole batch: maxId grows with the row
  Offset batches = 0;              // at least
  Offset paper_sources = 0;        // #C of --gsofa-concurrency paper
};

// For a matrix of n rows where `left_bytes` of the device are free when the search begins. Throws
// Error{oom_device, "gsofa_budget"} where not even one source fits.
GsofaBatch plan_gsofa_batch(Index n, std::uint64_t left_bytes);

}  // namespace lufact
