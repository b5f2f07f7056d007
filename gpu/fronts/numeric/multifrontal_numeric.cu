// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/numeric/device_front_factors.hpp"
#include "gpu/fronts/numeric/multifrontal_numeric.hpp"

namespace lufact::gpu {
namespace {

template <class T>
std::shared_ptr<Factors> factorize(const ProductPtr& matrix, const ProductPtr& symbolic,
                                   const ProductPtr& schedule, StageContext& context) {
  const auto& b = product_cast<DevicePermutedMatrix>(*matrix);
  auto factors = std::make_shared<DeviceFrontFactors<T>>(symbolic, schedule, context);
  // A refactorization has no other sub-phase, and two events on the stream would add to its time.
  const auto scope = context.phases.scope("tiles");
  factors->compute(b, context);
  return factors;
}

class MultifrontalNumeric final : public GpuNumeric {
 public:
  using GpuNumeric::GpuNumeric;

  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return context.options.precision == Precision::float32
               ? factorize<float>(matrix, symbolic, schedule, context)
               : factorize<double>(matrix, symbolic, schedule, context);
  }
};

}  // namespace

std::unique_ptr<NumericStage> make_multifrontal_numeric() {
  return std::make_unique<MultifrontalNumeric>(multifrontal_numeric_facts());
}

}  // namespace lufact::gpu
