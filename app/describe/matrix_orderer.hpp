// SPDX-License-Identifier: BSD-3-Clause
// A matrix matched once and permuted by several orderings, on the host.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/matrix/facts.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

struct OrderedMatrix {
  std::string asked;   // the ordering's name
  std::string chosen;  // the same, or what a choice has taken
  double seconds = 0;  // that the ordering took, with its postorder
  std::shared_ptr<const PermutedMatrix> matrix;
  std::optional<double> most_entries;  // of L + U, where the ordering counted them
  std::vector<Choice> choices;
};

class MatrixOrderer {
 public:
  // Matches the matrix. All arguments must outlive the object. Throws Error where the matching
  // does.
  MatrixOrderer(const Catalogue& catalogue, const CsrMatrix& a, const StageOptions& options);

  const std::string& scaling() const noexcept { return scaling_->info().name; }
  double matching_seconds() const noexcept { return matching_s_; }

  // By an ordering of that name, in place of one of the device by that of the host with the same
  // order, and by a postorder of the elimination tree unless the labels were given: that changes no
  // count. Throws UsageError for an unknown name and where it cannot run here.
  OrderedMatrix order(const std::string& name) const;

 private:
  const Catalogue& catalogue_;
  const CsrMatrix& a_;
  const StageOptions& options_;
  const ScalingStage* scaling_;
  Matching matching_;
  double matching_s_ = 0;
};

}  // namespace lufact
