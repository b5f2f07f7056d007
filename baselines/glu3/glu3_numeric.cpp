// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/glu3/glu3_stages.hpp"
#include "baselines/glu3/right_looking.hpp"
#include "core/columns/host_factors.hpp"

namespace lufact {
namespace {

class Glu3Numeric final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return factor_on_host<RightLooking>(info().name, matrix, symbolic, schedule, context);
  }

  // What the factors of every host stage keep, and the updates by level.
  std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    return host_factors_bytes(n, nnz, nnz_lu, rhs, precision) +
           static_cast<std::uint64_t>(nnz_lu) / 2 * (sizeof(ColumnUpdate) + sizeof(Offset));
  }

 private:
  StageInfo info_{.name = "cpu-glu3",
                  .description =
                      "GLU 3.0: right-looking over levels, dense target columns, "
                      "OpenMP; the same bits for any number of threads",
                  .source = "baselines/glu3",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::permuted_matrix, product_types::column_pattern,
                            product_types::column_schedule},
                  .gives = product_types::column_factors,
                  .solve_methods = {"sequential", "level"},
                  .solves_transposed = true};
};

}  // namespace

std::unique_ptr<NumericStage> make_glu3_numeric() {
  return std::make_unique<Glu3Numeric>();
}

}  // namespace lufact
