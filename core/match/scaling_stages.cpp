// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/scaling_stages.hpp"

#include "core/match/mc64.hpp"

namespace lufact {
namespace {

StageInfo scaling_info(const char* name, const char* description) {
  return {.name = name,
          .description = description,
          .source = "core/match",
          .takes = {product_types::matrix},
          .gives = product_types::matching};
}

class NoScaling final : public ScalingStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  Matching run(const CsrMatrix& a, StageContext&) const override {
    const auto n = static_cast<std::size_t>(a.pattern.n_rows);
    return {.rows = Permutation::identity(a.pattern.n_rows),
            .row_scale = std::vector<double>(n, 1.0),
            .col_scale = std::vector<double>(n, 1.0),
            .structural_rank = a.pattern.n_rows};
  }

 private:
  StageInfo info_ = scaling_info("none", "no row permutation, no scaling; rank is not examined");
};

class Mc64Scaling final : public ScalingStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  Matching run(const CsrMatrix& a, StageContext& context) const override {
    return mc64(a, context.options.allow_singular, context.notes.warnings, context.options.threads);
  }

 private:
  StageInfo info_ = scaling_info(
      "mc64", "maximum product matching to the diagonal with scaling (Duff and Koster, job 5)");
};

}  // namespace

std::vector<std::unique_ptr<ScalingStage>> scaling_stages() {
  std::vector<std::unique_ptr<ScalingStage>> stages;
  stages.push_back(std::make_unique<NoScaling>());
  stages.push_back(std::make_unique<Mc64Scaling>());
  return stages;
}

}  // namespace lufact
