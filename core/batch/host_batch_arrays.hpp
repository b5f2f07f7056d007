// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/batch/batch_arrays.hpp"
#include "core/pipeline/host_array.hpp"

namespace lufact {

// Arrays of a batch in the memory of the host.
class HostBatchArrays : public BatchArrays {
 public:
  // Whether nothing was written beside the arrays, between the rows `n` and `ld`, between matrices
  // behind pointers, or over an A that was not to be overwritten.
  virtual bool only_results_written() const = 0;
};

struct HostBatchOptions {
  int threads = 1;
  PageLockedMemory memory{};  // of all that travels to a device; empty: ordinary memory
  Offset guard = 0;  // entries before and behind every array, and between matrices of `pointers`
};

// Of a square problem with the count of `group`; throws std::invalid_argument where they do not
// fit, std::bad_alloc or Error{oom_host, "size_overflow"}. Pointers are in a seeded random order.
// restore() must be called before the first use.
std::unique_ptr<HostBatchArrays> make_host_batch_arrays(const ArrayProblem& problem,
                                                        const BatchGroup& group,
                                                        const HostBatchOptions& options);

}  // namespace lufact
