// SPDX-License-Identifier: BSD-3-Clause
// The factors of the host's numeric stages: values by column, in float or double.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/columns/column_elimination.hpp"
#include "core/columns/column_storage.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/columns/triangular.hpp"
#include "core/pipeline/column_factors.hpp"
#include "core/pipeline/schedule_safety.hpp"
#include "core/pipeline/transposed.hpp"

namespace lufact {

// The product as a shared pointer to its concrete class, which the catalogue has checked.
template <class Derived>
std::shared_ptr<const Derived> shared_product(const ProductPtr& product) {
  product_cast<Derived>(*product);
  return std::static_pointer_cast<const Derived>(product);
}

template <class T>
class HostFactors final : public ColumnFactors, public TransposedFactors {
 public:
  // `pattern` and `schedule` must fit the matrix given to refactor(), which computes the values
  // with `engine`.
  HostFactors(std::shared_ptr<const ColumnPattern> pattern,
              std::shared_ptr<const ColumnSchedule> schedule,
              std::unique_ptr<ColumnElimination<T>> engine);
  Side side() const noexcept override { return Side::host; }

  // Throws std::invalid_argument where the pattern of `matrix` differs from the first call's.
  void refactor(const ProductPtr& matrix, StageContext& context) override;
  // "sequential": by columns, one thread for up to `interleaved_sides` right-hand sides. "level":
  // by rows in levels, all threads; its first call after a factorization copies the values to rows.
  // Both give the same solution for any number of threads. Each vector is scaled by a power of two
  // to a largest magnitude near 1, so that float neither loses small residuals nor rounds because
  // of the scaling.
  void solve(VectorBlock& x, std::string_view method) const override;
  // By the same methods, with what is said of them.
  void solve_transposed(VectorBlock& x, std::string_view method) const override;
  FactorFigures figures() const override { return figures_; }
  std::vector<double> values_by_row() const override;

 private:
  void prepare(const ProductPtr& matrix);
  void solve(VectorBlock& x, std::string_view method, bool transposed) const;
  void solve_sides(HostVectorBlock& block, Index first, int sides, bool transposed,
                   const LevelSolver<T>* solver) const;
  const LevelSolver<T>& level_solver(bool transposed) const;
  template <class Value>
  std::vector<Value> by_row() const;

  std::shared_ptr<const ColumnPattern> pattern_;
  std::shared_ptr<const ColumnSchedule> schedule_;
  std::unique_ptr<ColumnElimination<T>> engine_;
  ProductPtr first_matrix_;  // whose pattern input_ describes
  ColumnStorage storage_;
  TransposedPattern input_;
  Offset multiply_adds_ = 0;
  std::vector<T> values_;
  FactorFigures figures_;
  int threads_ = 1;
  mutable std::mutex level_solver_mutex_;
  // Made when first asked for.
  mutable std::unique_ptr<LevelSolver<T>> level_solver_, transposed_level_solver_;
};

// Bytes of HostFactors and of the vectors of refinement: the pattern by columns with its values,
// diagonal and blocks, B by columns with its sources. Solves by level keep a second copy of the
// values in addition. Arguments as in NumericStage::resident_bytes.
std::uint64_t host_factors_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                                 Precision precision) noexcept;

// The factors of `matrix` by the engine Engine<T>, T as options.precision says, for the numeric
// stage called `stage`. Throws what require_safe_schedule throws.
template <template <class> class Engine>
std::shared_ptr<Factors> factor_on_host(std::string_view stage, const ProductPtr& matrix,
                                        const ProductPtr& symbolic, const ProductPtr& schedule,
                                        StageContext& context) {
  const auto pattern = shared_product<ColumnPattern>(symbolic);
  const auto levels = shared_product<ColumnSchedule>(schedule);
  require_safe_schedule(levels->rule, stage, context);
  std::shared_ptr<Factors> factors;
  if (context.options.precision == Precision::float64) {
    factors =
        std::make_shared<HostFactors<double>>(pattern, levels, std::make_unique<Engine<double>>());
  } else {
    factors =
        std::make_shared<HostFactors<float>>(pattern, levels, std::make_unique<Engine<float>>());
  }
  factors->refactor(matrix, context);
  return factors;
}

}  // namespace lufact
