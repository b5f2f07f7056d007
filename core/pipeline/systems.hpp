// SPDX-License-Identifier: BSD-3-Clause
// Many systems with one pattern: one analysis, by the matrix that was read, and a numeric stage
// that factors and solves several sets of values together.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/pipeline/column_products.hpp"
#include "core/pipeline/host_array.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// What stands before the numeric stage, on its side.
struct AnalysedPattern {
  std::shared_ptr<const PermutedMatrix> host_matrix;  // B of the matrix that was analysed
  ProductPtr matrix, symbolic, schedule;
  std::string numeric, solve;  // the stage to come, and the method of its triangular solves
};

// Some systems, each one's arrays behind those of the one before, by A's labels.
struct SystemInputs {
  Index count = 0;
  HostSpan<const double> values;        // count x entries of A
  HostSpan<const double> b;             // count x n
  std::span<const double> matrix_norm;  // of each: largest row sum of |A|
};

// What happened to the pivots of one system.
struct SystemPivots {
  Offset perturbed = 0, exchanged = 0;
  double largest_perturbation = 0;
};

// Which of the systems that write() gave an operation is for: one byte each, 0 or 1.
using SystemMask = std::span<const std::uint8_t>;

// Factors and solves of the systems that write() gave last. The scalings, the orders and the plan
// are those of the analysed matrix. Every number of a system depends on its own values alone: its
// bits are those that it has without the others.
class SystemsEngine {
 public:
  virtual ~SystemsEngine() = default;
  virtual Index most() const = 0;                      // systems at a time
  virtual std::uint64_t bytes_per_system() const = 0;  // of arrays that each of these has
  // At most most() systems. Page-locked arrays must not change until the device is idle.
  virtual void write(const SystemInputs& inputs) = 0;
  // Warns `unusable_pivots` for pivots that are not finite or zero.
  virtual void factor(StageContext& context) = 0;
  virtual SystemPivots pivots(Index system) const = 0;
  // x := approximate A \ b, for all systems.
  virtual void solve() = 0;
  // r = b - A x; error[k] becomes ||r|| / (matrix_norm ||x|| + ||b||), as VectorBackend::residual.
  // Errors of other systems stay.
  virtual void residual(SystemMask of, std::span<double> error) = 0;
  // Keeps x, then x += approximate A \ r; r is that of the last residual().
  virtual void step(SystemMask of) = 0;
  // Back to the x that the last step() kept.
  virtual void take_back(SystemMask of) = 0;
  // count x n, by A's labels. Page-locked memory is filled once the device is idle.
  virtual void read(HostSpan<double> x) = 0;
};

// Beside a numeric stage, for the same products.
class SystemsStage {
 public:
  virtual ~SystemsStage() = default;
  virtual std::string_view numeric() const noexcept = 0;  // the name of that stage
  // For `count` systems, which go through in chunks where memory does not hold all. Throws
  // Error{oom_device} where it does not hold one.
  virtual std::unique_ptr<SystemsEngine> make(const AnalysedPattern& pattern, Index count,
                                              StageContext& context) const = 0;
};

}  // namespace lufact
