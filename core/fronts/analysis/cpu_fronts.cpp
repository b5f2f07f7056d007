// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <optional>
#include <utility>

#include "core/fronts/analysis/assembly_maps.hpp"
#include "core/fronts/analysis/column_counts.hpp"
#include "core/fronts/analysis/front_rows.hpp"
#include "core/fronts/analysis/group_children.hpp"
#include "core/fronts/analysis/postordered_pattern.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 20'000;  // of B

ColumnForest column_forest(const Arrowheads& entries, std::span<const Index> parent, int threads) {
  ColumnForest forest{parent, subtree_sizes(parent), {}};
  if (threads == 1) return forest;
  std::vector<Offset> work(parent.size());
  for (std::size_t k = 0; k < work.size(); ++k) work[k] = entries.count(static_cast<Index>(k));
  forest.ranges = cut_subtrees(parent, forest.size, std::move(work), threads);
  return forest;
}

class CpuFronts final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    const int threads = threads_for(b.pattern.nnz(), worthwhile_entries, context.options.threads);
    auto tree = std::make_shared<FrontTree>();
    std::optional<PostorderedPattern> pattern;
    Arrowheads entries;
    {
      const auto scope = context.phases.scope("forest");
      pattern.emplace(b, threads);
      entries = gather_arrowheads(pattern->view(), threads);
    }
    Supernodes sets;
    Offset nnz_l = 0;
    {
      const auto scope = context.phases.scope("count");
      const ColumnForest forest = column_forest(entries, pattern->forest(), threads);
      const std::vector<Index> count = column_counts(entries, forest, threads);
      nnz_l = std::accumulate(count.begin(), count.end(), Offset{0});
      sets = find_supernodes(forest, count, threads, context.options.rates.front_path);
    }
    {
      const auto scope = context.phases.scope("rows");
      find_front_rows(entries, sets, threads, *tree);
      group_children(*tree, context.options.rates.front_path);
    }
    tree->nnz_bound = 2 * nnz_l - Offset{b.pattern.n_rows};
    tree->exact = entries.symmetric;
    const auto scope = context.phases.scope("positions");
    make_assembly_maps(*pattern, entries, sets, threads, *tree);
    return tree;
  }

 private:
  StageInfo info_{
      .name = "cpu-fronts",
      .description =
          "fronts of the elimination forest of A + A', merged where few zeros are stored "
          "or the longest paths get shorter, OpenMP",
      .source = "core/fronts/analysis",
      .side = Side::host,
      .deterministic = true,
      .takes = {product_types::permuted_matrix},
      .gives = product_types::front_tree};
};

}  // namespace

std::unique_ptr<SymbolicStage> make_cpu_fronts_symbolic() {
  return std::make_unique<CpuFronts>();
}

}  // namespace lufact
