// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/error.hpp"
#include "gpu/numeric/binary_search_numeric.hpp"
#include "gpu/numeric/device_column_factors.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

void refuse_unsafe(const DeviceColumnSchedule& schedule) {
  if (schedule.rule != DependencyRule::glu1) return;
  throw Error(Outcome::error, "unsafe_schedule",
              "gpu-binary-search updates the columns of a level at the same time; the rule glu1 "
              "leaves out dependencies that this needs; use --dependency relaxed or exact");
}

template <class T>
std::shared_ptr<Factors> factorize(const ProductPtr& matrix, const ProductPtr& symbolic,
                                   const ProductPtr& schedule, StageContext& context) {
  auto factors =
      std::make_shared<DeviceColumnFactors<T>>(*context.device, symbolic, schedule, context.phases);
  factors->compute(product_cast<DevicePermutedMatrix>(*matrix), context);
  return factors;
}

class BinarySearchNumeric final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override { return binary_search_numeric_info(); }

  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    refuse_unsafe(product_cast<DeviceColumnSchedule>(*schedule));
    const auto& pattern = product_cast<DeviceColumnPattern>(*symbolic);
    const Precision precision = context.options.precision;
    context.device->ledger().require_resident(
        column_factor_bytes(pattern.n, pattern.nnz, precision), "numeric factorization");
    return precision == Precision::float32 ? factorize<float>(matrix, symbolic, schedule, context)
                                           : factorize<double>(matrix, symbolic, schedule, context);
  }

  std::uint64_t resident_bytes(Index n, Offset, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    return column_resident_bytes(n, nnz_lu, rhs, precision);
  }
};

}  // namespace

std::unique_ptr<NumericStage> make_binary_search_numeric() {
  return std::make_unique<BinarySearchNumeric>();
}

}  // namespace lufact::gpu
