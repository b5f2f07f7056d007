// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/column_numeric.hpp"

#include "core/pipeline/schedule_safety.hpp"
#include "gpu/numeric/device_column_factors.hpp"
#include "gpu/numeric/resident_bytes.hpp"

namespace lufact::gpu {
namespace {

template <class T>
std::shared_ptr<Factors> factorize(const ColumnEngineKind& kind, const ProductPtr& matrix,
                                   const ProductPtr& symbolic, const ProductPtr& schedule,
                                   StageContext& context) {
  auto factors = std::make_shared<DeviceColumnFactors<T>>(kind, symbolic, schedule, context);
  factors->compute(product_cast<DevicePermutedMatrix>(*matrix), context);
  return factors;
}

class ColumnNumeric final : public GpuNumeric {
 public:
  explicit ColumnNumeric(const ColumnEngineKind& kind) : GpuNumeric(kind.facts), kind_(kind) {}

  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return factorize_columns(kind_, matrix, symbolic, schedule, context);
  }

 private:
  const ColumnEngineKind& kind_;
};

}  // namespace

std::unique_ptr<NumericStage> make_column_numeric(const ColumnEngineKind& kind) {
  return std::make_unique<ColumnNumeric>(kind);
}

std::shared_ptr<Factors> factorize_columns(const ColumnEngineKind& kind, const ProductPtr& matrix,
                                           const ProductPtr& symbolic, const ProductPtr& schedule,
                                           StageContext& context) {
  require_safe_schedule(product_cast<DeviceColumnSchedule>(*schedule).rule, kind.facts.info.name,
                        context);
  const auto& pattern = product_cast<DeviceColumnPattern>(*symbolic);
  const Precision precision = context.options.precision;
  context.device->ledger().require_resident(
      column_factor_bytes(pattern.n, pattern.nnz, precision) +
          kind.engine_bytes(pattern.n, pattern.nnz, precision),
      "numeric factorization");
  return precision == Precision::float32
             ? factorize<float>(kind, matrix, symbolic, schedule, context)
             : factorize<double>(kind, matrix, symbolic, schedule, context);
}

}  // namespace lufact::gpu
