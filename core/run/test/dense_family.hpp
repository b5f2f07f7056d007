// SPDX-License-Identifier: BSD-3-Clause
// A second family of factors for tests: the whole matrix as one dense block, eliminated without
// pivoting. Its products are its own, so whatever runs it knows no family by name.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/sha256.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact::dense_family {

inline constexpr ProductType block_plan{"block-plan"};
inline constexpr ProductType block_tasks{"block-tasks"};
inline constexpr ProductType block_factors{"block-factors"};

// Symbolic: storage for every entry of an n x n block, a bound on the pattern.
class BlockPlan final : public Product {
 public:
  explicit BlockPlan(Index order) : n(order) {}
  ProductType type() const noexcept override { return block_plan; }
  Side side() const noexcept override { return Side::host; }
  Index n;
};

// Schedule: one task per elimination step.
class BlockTasks final : public Product {
 public:
  explicit BlockTasks(Index count) : tasks(count) {}
  ProductType type() const noexcept override { return block_tasks; }
  Side side() const noexcept override { return Side::host; }
  Index tasks;
};

class BlockFactors final : public Factors {
 public:
  explicit BlockFactors(Index order) : n_(static_cast<std::size_t>(order)) {}
  ProductType type() const noexcept override { return block_factors; }
  Side side() const noexcept override { return Side::host; }

  void refactor(const ProductPtr& matrix, StageContext&) override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    lu_.assign(n_ * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      for (auto p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
        const auto q = static_cast<std::size_t>(p);
        const auto j = static_cast<std::size_t>(b.pattern.col_idx[q]);
        lu_[i * n_ + j] = b.row_scale[i] * b.values[q] * b.col_scale[j];
      }
    }
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t i = k + 1; i < n_; ++i) {
        const double l = lu_[i * n_ + k] /= lu_[k * n_ + k];
        for (std::size_t j = k + 1; j < n_; ++j) lu_[i * n_ + j] -= l * lu_[k * n_ + j];
      }
    }
  }

  void solve(VectorBlock& x, std::string_view) const override {
    auto& block = dynamic_cast<HostVectorBlock&>(x);
    for (std::size_t c = 0; c < static_cast<std::size_t>(x.columns()); ++c) {
      double* v = block.data().data() + c * n_;
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < i; ++j) v[i] -= lu_[i * n_ + j] * v[j];
      }
      for (std::size_t i = n_; i-- > 0;) {
        for (std::size_t j = i + 1; j < n_; ++j) v[i] -= lu_[i * n_ + j] * v[j];
        v[i] /= lu_[i * n_ + i];
      }
    }
  }

  // x := L' \ (U' \ x).
  void solve_transposed(VectorBlock& x) const {
    auto& block = dynamic_cast<HostVectorBlock&>(x);
    for (std::size_t c = 0; c < static_cast<std::size_t>(x.columns()); ++c) {
      double* v = block.data().data() + c * n_;
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < i; ++j) v[i] -= lu_[j * n_ + i] * v[j];
        v[i] /= lu_[i * n_ + i];
      }
      for (std::size_t i = n_; i-- > 0;) {
        for (std::size_t j = i + 1; j < n_; ++j) v[i] -= lu_[j * n_ + i] * v[j];
      }
    }
  }

  FactorFigures figures() const override { return {}; }

  std::string values_sha256() const override {
    Sha256 hash;
    hash.update(std::span<const double>(lu_));
    return hash.finish();
  }

 private:
  std::size_t n_;
  std::vector<double> lu_;
};

class DenseSymbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{.name = "dense-plan",
                                .description = "one dense block",
                                .source = "core/run/test",
                                .takes = {product_types::permuted_matrix},
                                .gives = block_plan};
    return info;
  }
  ProductPtr run(const ProductPtr& matrix, StageContext&) const override {
    return std::make_shared<BlockPlan>(product_cast<PermutedMatrix>(*matrix).pattern.n_rows);
  }
};

class DenseLevelize final : public LevelizeStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{.name = "dense-tasks",
                                .description = "one task per step",
                                .source = "core/run/test",
                                .takes = {block_plan},
                                .gives = block_tasks};
    return info;
  }
  ProductPtr run(const ProductPtr& symbolic, StageContext&) const override {
    return std::make_shared<BlockTasks>(product_cast<BlockPlan>(*symbolic).n);
  }
};

class DenseNumeric final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override {
    static const StageInfo info{.name = "dense-lu",
                                .description = "dense elimination",
                                .source = "core/run/test",
                                .takes = {product_types::permuted_matrix, block_plan, block_tasks},
                                .gives = block_factors,
                                .solve_methods = {"dense"}};
    return info;
  }
  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr&, StageContext& context) const override {
    auto factors = std::make_shared<BlockFactors>(product_cast<BlockPlan>(*symbolic).n);
    factors->refactor(matrix, context);
    return factors;
  }
  std::uint64_t resident_bytes(Index n, Offset, Offset, Index, Precision) const override {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * sizeof(double);
  }
};

class BlockPlanHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return block_plan; }
  ValidatorVerdict validate(const PermutedMatrix& matrix, const Product*,
                            const Product& product) const override {
    const bool right = product_cast<BlockPlan>(product).n == matrix.pattern.n_rows;
    return {right, "block-plan", right ? "" : "the block has the wrong order"};
  }
  void describe(const PermutedMatrix& matrix, const Product*, const Product&,
                FactorsRecord& record) const override {
    const Offset n = matrix.pattern.n_rows;
    record.pattern = "bound";
    record.nnz_l = n * (n - 1) / 2;
    record.nnz_u = n * (n + 1) / 2;
    record.fronts = 1;
  }
};

class BlockTasksHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return block_tasks; }
  ValidatorVerdict validate(const PermutedMatrix& matrix, const Product* upstream,
                            const Product& product) const override {
    const bool right =
        upstream != nullptr && product_cast<BlockTasks>(product).tasks == matrix.pattern.n_rows;
    return {right, "block-tasks", right ? "" : "there is not one task per step"};
  }
  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    record.tasks = product_cast<BlockTasks>(product).tasks;
  }
};

class BlockFactorsHandler final : public ProductHandler {
 public:
  ProductType type() const noexcept override { return block_factors; }
  ValidatorVerdict validate(const PermutedMatrix&, const Product* upstream,
                            const Product&) const override {
    return {upstream != nullptr, "block-factors", upstream == nullptr ? "there is no plan" : ""};
  }
  void describe(const PermutedMatrix&, const Product*, const Product& product,
                FactorsRecord& record) const override {
    record.values_sha256 = product_cast<BlockFactors>(product).values_sha256();
  }
};

// Adds the family to a catalogue that has scaling and ordering stages already.
inline void add_to(Catalogue& catalogue) {
  catalogue.symbolic.push_back(std::make_unique<DenseSymbolic>());
  catalogue.levelize.push_back(std::make_unique<DenseLevelize>());
  catalogue.numeric.push_back(std::make_unique<DenseNumeric>());
  catalogue.handlers.push_back(std::make_unique<BlockPlanHandler>());
  catalogue.handlers.push_back(std::make_unique<BlockTasksHandler>());
  catalogue.handlers.push_back(std::make_unique<BlockFactorsHandler>());
  StageSelection stages;
  stages.symbolic = "dense-plan";
  stages.levelize = "dense-tasks";
  stages.numeric = "dense-lu";
  catalogue.modes.push_back({"dense", "test family", stages});
}

}  // namespace lufact::dense_family
