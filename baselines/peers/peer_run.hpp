// SPDX-License-Identifier: BSD-3-Clause
// A foreign solver on one linear system, one repetition at a time: what a worker process needs of
// it, be it behind a plug-in or a program of its own.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/options.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

struct PeerRunSettings {
  VerifyLevel verify = VerifyLevel::residual;
  double threshold = 1e-12;  // of the backward error
  std::uint64_t seed = 1;
};

class PeerRun {
 public:
  virtual ~PeerRun() = default;
  // Everything from the matrix to the solution, afresh, then verification; empty where the peer
  // gave no times. Throws Error; phase() tells where.
  virtual std::optional<Sample> run_repetition(int repetition) = 0;
  virtual bool can_refactor() const = 0;
  // With the values of refactor_matrix(); follows a repetition.
  virtual Sample run_refactorization(int number) = 0;
  // Fills pipeline, peer, factors, memory and verification. Not timed.
  virtual void describe(RunRecord& record) const = 0;
  // Makes the verification of a described record that of the worst repetition or refactorization.
  virtual void add_refactorizations(RunRecord& record) const = 0;
  // Frees the problem.
  virtual void release() = 0;
  virtual std::string phase() const = 0;
  // Of the last repetition; empty where there is none.
  virtual const std::vector<double>& solution() const noexcept = 0;
};

}  // namespace lufact
