// SPDX-License-Identifier: BSD-3-Clause
// The factors of the CPU line: values by column, in float or double.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/cpu/column_storage.hpp"
#include "core/pipeline/column_factors.hpp"

namespace lufact {

template <class T>
class HostFactors final : public ColumnFactors {
 public:
  // `pattern` and `schedule` must fit the matrix given to refactor(), which computes the values.
  HostFactors(std::shared_ptr<const ColumnPattern> pattern,
              std::shared_ptr<const ColumnSchedule> schedule);
  Side side() const noexcept override { return Side::host; }

  void refactor(const ProductPtr& matrix, StageContext& context) override;
  // The one method is "sequential": each right-hand side by one thread. Vectors are scaled to norm
  // 1 on the way, so that float does not lose small residuals.
  void solve(VectorBlock& x, std::string_view method) const override;
  FactorFigures figures() const override { return figures_; }
  std::vector<double> values_by_row() const override;

 private:
  void solve_column(std::span<double> x) const;

  std::shared_ptr<const ColumnPattern> pattern_;
  std::shared_ptr<const ColumnSchedule> schedule_;
  ColumnStorage storage_;
  TransposedPattern input_;
  std::vector<T> values_;
  FactorFigures figures_;
  int threads_ = 1;
};

}  // namespace lufact
