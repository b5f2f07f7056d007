// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/column_handlers.hpp"

#include <stdexcept>

#include "core/pipeline/column_factors.hpp"
#include "core/verify/column_counts.hpp"
#include "core/verify/validate_factors.hpp"
#include "core/verify/validate_pattern.hpp"
#include "core/verify/validate_schedule.hpp"
#include "core/verify/validate_supernodes.hpp"

namespace lufact {
namespace {

class ColumnPatternHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::column_pattern; }

  ValidatorVerdict validate(const PermutedMatrix& matrix, const Product*,
                            const Product& product) const override {
    return validate_column_pattern(matrix.pattern, product_cast<ColumnPattern>(product));
  }

  void describe(const PermutedMatrix& matrix, const Product*, const Product& product,
                FactorsRecord& record) const override {
    const auto& pattern = product_cast<ColumnPattern>(product);
    const PatternCounts counts = count_pattern(pattern);
    const Offset nnz_lu = counts.nnz_l + counts.nnz_u;
    const Offset nnz = matrix.pattern.nnz() - matrix.missing_diagonals_added;
    record.pattern = "exact";
    record.pattern_sha256 = pattern_sha256(pattern.rows);
    record.nnz_l = counts.nnz_l;
    record.nnz_u = counts.nnz_u;
    record.nnz_exact = nnz_lu;
    record.fill_in = nnz_lu - matrix.pattern.nnz();
    record.fill_ratio = ratio(static_cast<double>(nnz_lu), nnz);
    record.flops = counts.flops;
    record.flops_per_nnz = ratio(counts.flops, nnz_lu);
    record.levels_by_rule = count_levels(pattern);
    if (!pattern.supernodes.empty()) {
      record.supernodes = static_cast<Offset>(pattern.supernodes.size()) - 1;
    }
  }

  std::optional<SupernodeNotes> count_supernodes(const Product& product,
                                                 Index most_rows) const override {
    const auto& pattern = product_cast<ColumnPattern>(product);
    if (pattern.supernodes.empty()) return std::nullopt;
    return lufact::count_supernodes(pattern, most_rows);
  }

  ValidatorVerdict validate_supernodes(const Product& product, Index most_rows) const override {
    return lufact::validate_supernodes(product_cast<ColumnPattern>(product), most_rows);
  }

 private:
  static std::optional<double> ratio(double numerator, Offset denominator) {
    if (denominator == 0) return std::nullopt;
    return numerator / static_cast<double>(denominator);
  }
};

class ColumnScheduleHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::column_schedule; }

  ValidatorVerdict validate(const PermutedMatrix&, const Product* upstream,
                            const Product& product) const override {
    if (upstream == nullptr) {
      throw std::logic_error("a column schedule is validated against its column pattern");
    }
    return validate_column_schedule(product_cast<ColumnPattern>(*upstream),
                                    product_cast<ColumnSchedule>(product));
  }

  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    const auto& schedule = product_cast<ColumnSchedule>(product);
    record.levels = schedule.levels();
    record.max_level_width = schedule.max_width();
    record.levels_sha256 = levels_sha256(schedule);
    levels_of(schedule.rule, record.levels_by_rule) = schedule.levels();
  }

 private:
  static std::optional<Offset>& levels_of(DependencyRule rule, LevelsByRule& levels) {
    switch (rule) {
      case DependencyRule::glu1:
        return levels.glu1;
      case DependencyRule::relaxed:
        return levels.relaxed;
      case DependencyRule::exact:
        break;
    }
    return levels.exact;
  }
};

class ColumnFactorsHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::column_factors; }

  ValidatorVerdict validate(const PermutedMatrix& matrix, const Product* upstream,
                            const Product& product) const override {
    if (upstream == nullptr) {
      throw std::logic_error("column factors are validated against their column pattern");
    }
    const auto& factors = product_cast<ColumnFactors>(product);
    const FactorFigures figures = factors.figures();
    return check_factors(matrix, product_cast<ColumnPattern>(*upstream), factors.values_by_row(),
                         figures.precision, figures.largest_perturbation)
        .verdict;
  }

  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    record.values_sha256 = product_cast<ColumnFactors>(product).values_sha256();
  }
};

}  // namespace

std::vector<std::unique_ptr<ProductHandler>> column_product_handlers() {
  std::vector<std::unique_ptr<ProductHandler>> handlers;
  handlers.push_back(std::make_unique<ColumnPatternHandler>());
  handlers.push_back(std::make_unique<ColumnScheduleHandler>());
  handlers.push_back(std::make_unique<ColumnFactorsHandler>());
  return handlers;
}

}  // namespace lufact
