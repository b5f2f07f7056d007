// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "core/columns/cpu_stages.hpp"
#include "core/columns/host_factors.hpp"
#include "core/columns/left_looking.hpp"

namespace lufact {
namespace {

class CpuNumeric final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{
        .name = "cpu",
        .description =
            "left-looking column gather, OpenMP; the same bits for any number of threads",
        .source = "core/columns",
        .takes = {product_types::permuted_matrix, product_types::column_pattern,
                  product_types::column_schedule},
        .gives = product_types::column_factors,
        .solve_methods = {"sequential", "level"},
        .solves_transposed = true};
    return info;
  }

  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return factor_on_host<LeftLooking>(info().name, matrix, symbolic, schedule, context);
  }

  std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    return host_factors_bytes(n, nnz, nnz_lu, rhs, precision);
  }
};

}  // namespace

std::unique_ptr<NumericStage> make_cpu_numeric() {
  return std::make_unique<CpuNumeric>();
}

}  // namespace lufact
