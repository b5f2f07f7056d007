// SPDX-License-Identifier: BSD-3-Clause
// One variant on one open input, measured one repetition at a time: our pipeline, a plug-in or a
// program of somebody else. A worker process needs no more of it.
#pragma once
#include <string>
#include <vector>

#include "core/pipeline/record.hpp"

namespace lufact {

class MeasuredRun {
 public:
  virtual ~MeasuredRun() = default;
  // Everything from the input to the solution, afresh, then verification. Without phases where a
  // foreign program gave no times. Throws Error; phase() tells where. The products stay until
  // release() or the next repetition.
  virtual Sample run_repetition(int repetition) = 0;
  virtual bool can_refactor() const { return true; }
  // The same structure with new values; follows a repetition that reached the solution.
  virtual Sample run_refactorization(int number) = 0;
  // Fills the sections of the record that the last repetition decides. Not timed.
  virtual void describe(RunRecord& record) const = 0;
  // Makes the verification of a described record that of the worst repetition or refactorization,
  // and adds the warnings of refactorizations.
  virtual void add_refactorizations(RunRecord& record) const = 0;
  // Frees every product.
  virtual void release() = 0;
  // The phase that is open or in which the last exception left; empty otherwise.
  virtual std::string phase() const = 0;
  // Of the last repetition, stored by columns; empty where there is none.
  virtual const std::vector<double>& solution() const noexcept = 0;
};

}  // namespace lufact
