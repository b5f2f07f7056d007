// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <limits>

namespace lufact {

// When a solution is refined, and which steps stay. A step costs as much as the solve did, so that
// none is taken for digits that nobody asked for.
class RefinementRule {
 public:
  // `error`: the backward error of the solution so far; `target`: what is enough.
  RefinementRule(double error, double target) : error_(error), enough_(enough(target)) {}

  // Below the rounding of a stable solve and of its residual nobody gets.
  static double enough(double target) {
    return std::max(target, 16 * std::numeric_limits<double>::epsilon());
  }

  bool wants_step() const { return open_ && error_ > enough_ && steps_ < most_steps; }
  // `next`: the error behind the step that was wanted. Whether the step stays; one that makes the
  // error no smaller does not. Steps go on while each at least halves it.
  bool keeps_step(double next) {
    if (!(next < error_)) return open_ = false;
    open_ = !(next > 0.5 * error_);
    error_ = next;
    ++steps_;
    return true;
  }

  double error() const { return error_; }
  int steps() const { return steps_; }  // that stay

 private:
  static constexpr int most_steps = 10;
  double error_, enough_;
  int steps_ = 0;
  bool open_ = true;
};

}  // namespace lufact
