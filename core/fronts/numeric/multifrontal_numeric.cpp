// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/front_stages.hpp"
#include "core/fronts/numeric/host_front_factors.hpp"

namespace lufact {
namespace {

// Fronts store the pattern of A + A', padded, and contribution blocks beside it: seen to be two to
// three times the entries of L + U on meshes and circuits.
constexpr std::uint64_t stored_per_factor_entry = 3;

template <class T>
std::shared_ptr<Factors> factorize(const ProductPtr& matrix, const ProductPtr& tree,
                                   const ProductPtr& schedule, StageContext& context) {
  std::shared_ptr<HostFrontFactors<T>> factors;
  {
    const auto scope = context.phases.scope("plan");
    factors = std::make_shared<HostFrontFactors<T>>(tree, schedule, context.options.pivoting,
                                                    context.options.threads);
  }
  factors->refactor(matrix, context);
  return factors;
}

class CpuMultifrontal final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{
        .name = "cpu-multifrontal",
        .description =
            "fronts by subtrees and then by all threads, vector instructions; the same bits for "
            "any number of threads",
        .source = "core/fronts/numeric",
        .side = Side::host,
        .deterministic = true,
        .takes = {product_types::permuted_matrix, product_types::front_tree,
                  product_types::front_schedule},
        .gives = product_types::front_factors,
        .solve_methods = {"subtrees"},
        .pivots_in_block = true,
        .solves_transposed = true};
    return info;
  }

  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return context.options.precision == Precision::float32
               ? factorize<float>(matrix, symbolic, schedule, context)
               : factorize<double>(matrix, symbolic, schedule, context);
  }

  std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    constexpr std::uint64_t refinement_blocks = 5;
    const std::uint64_t value = precision == Precision::float64 ? sizeof(double) : sizeof(float);
    const auto rows = static_cast<std::uint64_t>(n);
    return static_cast<std::uint64_t>(nnz_lu) * stored_per_factor_entry * value +
           static_cast<std::uint64_t>(nnz) * (3 * sizeof(Index) + sizeof(Offset) + sizeof(double)) +
           rows * (sizeof(Index) + 3 * sizeof(Offset)) +
           refinement_blocks * rows * static_cast<std::uint64_t>(rhs) * sizeof(double);
  }
};

}  // namespace

std::unique_ptr<NumericStage> make_cpu_multifrontal_numeric() {
  return std::make_unique<CpuMultifrontal>();
}

}  // namespace lufact
