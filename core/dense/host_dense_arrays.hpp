// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/dense/dense_arrays.hpp"
#include "core/dense/dense_input.hpp"
#include "core/pipeline/host_array.hpp"

namespace lufact {

// The arrays of one large matrix in the memory of the host.
class HostDenseArrays : public DenseArrays {
 public:
  // Whether nothing was written beside the arrays and between the rows m and ld.
  virtual bool only_results_written() const = 0;
};

struct HostDenseOptions {
  int threads = 1;
  PageLockedMemory memory{};  // of all that travels to a device; empty: ordinary memory
  Offset guard = 0;           // entries before and behind every array
};

// Bytes that the arrays of `problem` take. Throws Error{oom_host, "size_overflow"}.
std::uint64_t host_dense_bytes(const ArrayProblem& problem);

// Of a problem with one matrix of the source's sizes, contiguous and in place; right-hand sides are
// made from the source's seed. Throws std::invalid_argument where they do not fit,
// Error{oom_host, "host_memory"} naming the need where the machine has less memory, before anything
// is allocated. restore() must be called before the first use.
std::unique_ptr<HostDenseArrays> make_host_dense_arrays(const ArrayProblem& problem,
                                                        const DenseMatrixSource& source,
                                                        const HostDenseOptions& options);

}  // namespace lufact
