// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>

#include "app/config/run_config.hpp"
#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The steps before symbolic factorization, by the names of their stages.
struct HostPreprocessing {
  std::string scaling, ordering;
  bool postorder = false;  // composed with an ordering that is none
  StageOptions options{};
};

// A after these steps, all on the host; an ordering of the device stands for that of the host which
// gives the same. Throws UsageError for a name that is none, Error{unsupported, "no_host_stage"}
// for one that the host cannot do, and what the stages throw. Not timed.
std::shared_ptr<PermutedMatrix> permuted_on_host(const HostPreprocessing& steps,
                                                 const CsrMatrix& a);

// A after the scaling stage's matching and the ordering stage that the configuration names (mc64
// and amd unless it says otherwise), diagonal entries that were missing added as zeros, values
// unscaled: what a program that only factors is given.
CsrMatrix permuted_input(const RunConfig& config, const CsrMatrix& a);

}  // namespace lufact
