// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/describe/matrix_orderer.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// Seconds that a mode will take behind its ordering, by the forecasts of the catalogue's selectors.
struct ModeTime {
  double first_s = 0;     // from the symbolic step to the solution
  double each_s = 0;      // of every further factorization, with its solve
  bool at_least = false;  // forecast by entries alone, which takes no account of operations
  std::string numeric;    // the stage that factors
  std::vector<Choice> choices;
};

// What is known of the matrix.
struct KnownMatrix {
  const OrderedMatrix& ordered;
  Offset nnz_lu = 0;
  // The front tree of the ordered matrix; it is made when a forecast asks for it.
  std::function<ProductPtr()> front_tree;
  std::optional<std::uint64_t> device_room{};  // free bytes of the device, where there is one
};

// The selectors of the chain choose as they would in a run, whether or not this machine has a
// device; then the forecasts of the stages that they lead to are added up. Empty where a stage has
// none.
std::optional<ModeTime> forecast_time(const Catalogue& catalogue, const Chain& chain,
                                      const KnownMatrix& matrix, const StageOptions& options);

}  // namespace lufact
