// SPDX-License-Identifier: BSD-3-Clause
// The factors of the CPU line: values by column, in float or double.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/cpu/column_storage.hpp"
#include "core/cpu/host_vectors.hpp"
#include "core/cpu/triangular.hpp"
#include "core/pipeline/column_factors.hpp"

namespace lufact {

template <class T>
class HostFactors final : public ColumnFactors {
 public:
  // `pattern` and `schedule` must fit the matrix given to refactor(), which computes the values.
  HostFactors(std::shared_ptr<const ColumnPattern> pattern,
              std::shared_ptr<const ColumnSchedule> schedule);
  Side side() const noexcept override { return Side::host; }

  // Throws std::invalid_argument where the pattern of `matrix` differs from the first call's.
  void refactor(const ProductPtr& matrix, StageContext& context) override;
  // "sequential": by columns, one thread for up to `interleaved_sides` right-hand sides.
  // "level": by rows in levels, all threads; its first call after a factorization copies the values
  // to rows. Both give the same solution for any number of threads. Each vector is scaled to norm 1
  // by a power of two on the way, so that float neither loses small residuals nor rounds for it.
  void solve(VectorBlock& x, std::string_view method) const override;
  FactorFigures figures() const override { return figures_; }
  std::vector<double> values_by_row() const override;

 private:
  void prepare(const ProductPtr& matrix);
  void solve_sides(HostVectorBlock& block, Index first, int sides,
                   const LevelSolver<T>* solver) const;
  const LevelSolver<T>& level_solver() const;
  template <class Value>
  std::vector<Value> by_row() const;

  std::shared_ptr<const ColumnPattern> pattern_;
  std::shared_ptr<const ColumnSchedule> schedule_;
  ProductPtr first_matrix_;  // whose pattern input_ describes
  ColumnStorage storage_;
  TransposedPattern input_;
  Offset multiply_adds_ = 0;
  std::vector<T> values_;
  FactorFigures figures_;
  int threads_ = 1;
  mutable std::mutex level_solver_mutex_;
  mutable std::unique_ptr<LevelSolver<T>> level_solver_;  // made when first asked for
};

}  // namespace lufact
