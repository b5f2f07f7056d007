// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/front_handlers.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/pipeline/front_schedule.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

const FrontTree& tree_of(const Product* upstream) {
  if (upstream == nullptr) throw std::logic_error("it is validated against its front tree");
  return product_cast<FrontTree>(*upstream);
}

std::optional<double> ratio(double numerator, Offset denominator) {
  if (denominator == 0) return std::nullopt;
  return numerator / static_cast<double>(denominator);
}

struct FrontCounts {
  Offset lower = 0, upper = 0;  // strictly lower; with the diagonal
  double flops = 0;             // divisions, and 2 for each multiply-add

  void add(double pivots, double order) {
    const Offset square = static_cast<Offset>(pivots) * (static_cast<Offset>(pivots) - 1) / 2;
    const Offset rows = static_cast<Offset>(order - pivots) * static_cast<Offset>(pivots);
    lower += square + rows;
    upper += square + rows + static_cast<Offset>(pivots);
    for (double k = order - pivots; k < order; ++k) flops += k + 2 * k * k;
  }
};

class FrontTreeHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::front_tree; }

  ValidatorVerdict validate(const PermutedMatrix& matrix, const Product*,
                            const Product& product) const override {
    return validate_front_tree(matrix, product_cast<FrontTree>(product));
  }

  void describe(const PermutedMatrix& matrix, const Product*, const Product& product,
                FactorsRecord& record) const override {
    const auto& tree = product_cast<FrontTree>(product);
    FrontCounts counts;
    for (Index f = 0; f < tree.fronts(); ++f) counts.add(tree.pivots(f), tree.order(f));
    const Offset nnz_lu = counts.lower + counts.upper;
    record.pattern = "bound";
    record.nnz_l = counts.lower;
    record.nnz_u = counts.upper;
    if (tree.exact) record.nnz_exact = tree.nnz_bound;
    record.fill_in = nnz_lu - matrix.pattern.nnz();
    record.fill_ratio =
        ratio(static_cast<double>(nnz_lu), matrix.pattern.nnz() - matrix.missing_diagonals_added);
    record.flops = counts.flops;
    record.flops_per_nnz = ratio(counts.flops, nnz_lu);
    record.fronts = tree.fronts();
  }
};

class TaskGraphHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::task_graph; }

  ValidatorVerdict validate(const PermutedMatrix&, const Product* upstream,
                            const Product& product) const override {
    return validate_task_graph(tree_of(upstream), product_cast<TaskGraph>(product));
  }

  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    const auto& graph = product_cast<TaskGraph>(product);
    record.tasks = static_cast<Offset>(graph.factorization.task.size());
    record.critical_path = graph.critical_path;
  }
};

class FrontScheduleHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::front_schedule; }

  ValidatorVerdict validate(const PermutedMatrix&, const Product* upstream,
                            const Product& product) const override {
    return validate_front_schedule(tree_of(upstream), product_cast<FrontSchedule>(product));
  }

  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    const auto& schedule = product_cast<FrontSchedule>(product);
    record.tasks = std::count_if(schedule.front.begin(), schedule.front.end(),
                                 [](const ScheduledFront& front) { return front.pivots > 0; });
    record.critical_path = schedule.critical_work / front_work_per_second;
  }
};

class FrontFactorsHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return product_types::front_factors; }

  ValidatorVerdict validate(const PermutedMatrix& matrix, const Product* upstream,
                            const Product& product) const override {
    const auto& factors = product_cast<FrontFactors>(product);
    return validate_front_factors(matrix, tree_of(upstream), factors.shapes(),
                                  factors.stored_values(), factors.row_sources(),
                                  factors.figures());
  }

  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    record.values_sha256 = product_cast<FrontFactors>(product).values_sha256();
  }
};

}  // namespace

std::vector<std::unique_ptr<ProductHandler>> front_product_handlers() {
  std::vector<std::unique_ptr<ProductHandler>> handlers;
  handlers.push_back(std::make_unique<FrontTreeHandler>());
  handlers.push_back(std::make_unique<TaskGraphHandler>());
  handlers.push_back(std::make_unique<FrontScheduleHandler>());
  handlers.push_back(std::make_unique<FrontFactorsHandler>());
  return handlers;
}

}  // namespace lufact
