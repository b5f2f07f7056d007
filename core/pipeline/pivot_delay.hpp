// SPDX-License-Identifier: BSD-3-Clause
// What a finished factorization says of its weak pivots, for a plan in which they come later.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

// An order of B's labels in which weak pivots come later.
struct DelayedOrder {
  std::vector<Index> label;  // by place
  Index weak = 0;            // pivots that are to come later
  bool changed = false;      // false: there are none, or all of them stood last already
  // Not changed, and rows are exchanged among all of them: no order helps.
  bool exhausted = false;
};

// One for a family of factors, whose symbolic product says where later is.
class PivotDelay {
 public:
  virtual ~PivotDelay() = default;
  virtual ProductType type() const noexcept = 0;  // of the factors
  // |pivot| by B's labels, as it divides after tiny ones were replaced. Copies. `symbolic` is that
  // of the factors, on the host.
  virtual std::vector<double> pivot_sizes(const Product& symbolic,
                                          const Factors& factors) const = 0;
  // Pivots of at most `smallest` come later; a size that is not a number is none. `size` and
  // `times` are by B's labels; `times` says how often each has come later, and is counted on.
  virtual DelayedOrder delay(const Product& symbolic, std::span<const double> size, double smallest,
                             std::span<std::uint8_t> times) const = 0;
};

}  // namespace lufact
