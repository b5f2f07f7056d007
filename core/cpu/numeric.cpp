// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "core/base/error.hpp"
#include "core/cpu/cpu_stages.hpp"
#include "core/cpu/host_factors.hpp"

namespace lufact {
namespace {

template <class Derived>
std::shared_ptr<const Derived> shared_cast(const ProductPtr& product) {
  product_cast<Derived>(*product);
  return std::static_pointer_cast<const Derived>(product);
}

class CpuNumeric final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{"cpu",
                                "left-looking column gather, OpenMP; the same bits for any number "
                                "of threads",
                                Side::host,
                                true,
                                {product_types::permuted_matrix, product_types::column_pattern,
                                 product_types::column_schedule},
                                product_types::column_factors,
                                {"sequential", "level"}};
    return info;
  }

  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    const auto pattern = shared_cast<ColumnPattern>(symbolic);
    const auto levels = shared_cast<ColumnSchedule>(schedule);
    if (levels->rule == DependencyRule::glu1) {
      throw Error(Outcome::error, "unsafe_schedule",
                  "levels under the rule glu1 are for study; use --dependency exact or relaxed");
    }
    std::shared_ptr<Factors> factors;
    if (context.options.precision == Precision::float64) {
      factors = std::make_shared<HostFactors<double>>(pattern, levels);
    } else {
      factors = std::make_shared<HostFactors<float>>(pattern, levels);
    }
    factors->refactor(matrix, context);
    return factors;
  }

  // The pattern by columns with its values, diagonal and blocks, B by columns with its sources, and
  // the vectors of refinement. Solves by level keep a second copy of the values beside.
  std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    constexpr std::uint64_t refinement_blocks = 5;
    const std::uint64_t value = precision == Precision::float64 ? sizeof(double) : sizeof(float);
    const auto rows = static_cast<std::uint64_t>(n);
    return static_cast<std::uint64_t>(nnz_lu) * (sizeof(Index) + value) +
           static_cast<std::uint64_t>(nnz) * (sizeof(Index) + sizeof(Offset)) +
           rows * (3 * sizeof(Offset) + sizeof(Index)) +
           refinement_blocks * rows * static_cast<std::uint64_t>(rhs) * sizeof(double);
  }
};

}  // namespace

std::unique_ptr<NumericStage> make_cpu_numeric() {
  return std::make_unique<CpuNumeric>();
}

}  // namespace lufact
