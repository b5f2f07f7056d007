// SPDX-License-Identifier: BSD-3-Clause
// The factors of the column family on the device: values by columns for the elimination by an
// engine, then by rows for the solves.
#pragma once
#include <optional>

#include "core/pipeline/column_factors.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/column_engine.hpp"
#include "gpu/numeric/transpose.hpp"
#include "gpu/solve/triangular_solve.hpp"

namespace lufact::gpu {

// T is float or double.
template <class T>
class DeviceColumnFactors final : public ColumnFactors {
 public:
  // Analyses the pattern (sub-phases `transpose` and `plan`); `compute` must follow. Keeps the two
  // products. `kind` must outlive the object. Throws Error{oom_device, "device_budget"}.
  DeviceColumnFactors(const ColumnEngineKind& kind, ProductPtr pattern, ProductPtr schedule,
                      StageContext& context);

  Side side() const noexcept override { return Side::device; }

  // Sub-phases `place`, those of the engine and `rows`; one control read. Throws Error{error,
  // "pattern_mismatch"} where an entry of the matrix, or an update, has no place in the pattern;
  // the factors are then unusable. Warns `unusable_pivots` for pivots that are not finite or zero.
  void compute(const DevicePermutedMatrix& matrix, StageContext& context);

  // `method` is "sync-free" or "level"; the latter finds its levels at the first call.
  void solve(VectorBlock& x, std::string_view method) const override;
  void refactor(const ProductPtr& matrix, StageContext& context) override;
  FactorFigures figures() const override;
  LevelProfile level_profile() const override;
  std::vector<double> values_by_row() const override;

 private:
  struct BothLevels {
    SolveLevels lower, upper;
  };
  FactorPattern view() const noexcept;
  RowFactors<T> by_rows() const noexcept;
  const BothLevels& solve_levels() const;
  void report(const NumericCounters& counters, StageContext& context);

  const ColumnEngineKind& kind_;
  DeviceSession& session_;
  ProductPtr pattern_product_, schedule_product_;
  const DeviceColumnPattern& pattern_;
  const DeviceColumnSchedule& schedule_;
  DeviceColumns columns_;
  std::unique_ptr<ColumnEngine<T>> engine_;
  Buffer<T> values_, row_values_;
  Buffer<NumericCounters> counters_;
  mutable Buffer<double> solve_workspace_;
  mutable std::optional<BothLevels> solve_levels_;
  FactorFigures figures_;
};

extern template class DeviceColumnFactors<float>;
extern template class DeviceColumnFactors<double>;

}  // namespace lufact::gpu
