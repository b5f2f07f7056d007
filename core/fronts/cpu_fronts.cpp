// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "core/cpu/elimination_forest.hpp"
#include "core/fronts/column_counts.hpp"
#include "core/fronts/front_rows.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/fronts/group_children.hpp"
#include "core/fronts/place_fronts.hpp"
#include "core/matrix/parallel.hpp"
#include "core/preprocess/elimination_tree.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 20'000;  // of B

std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

// The labels of B in a postorder of the elimination forest, and the forest by position.
struct PostorderedForest {
  std::vector<Index> label, position, parent;
  bool symmetric = false;
};

PostorderedForest find_forest(const PatternView& b, int threads) {
  const EarlierNeighbours graph(b, threads);
  const std::vector<Index> parent = elimination_forest(graph, threads);
  PostorderedForest forest;
  forest.symmetric = graph.symmetric();
  forest.label = postorder(parent);
  forest.position.resize(parent.size());
  for (Index k = 0; k < b.n_rows; ++k) forest.position[at(forest.label[at(k)])] = k;
  forest.parent.assign(parent.size(), -1);
  for (Index k = 0; k < b.n_rows; ++k) {
    const Index above = parent[at(forest.label[at(k)])];
    if (above >= 0) forest.parent[at(k)] = forest.position[at(above)];
  }
  return forest;
}

class CpuFronts final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }

  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const PatternView b = product_cast<PermutedMatrix>(*matrix).pattern.view();
    const int threads = threads_for(b.nnz(), worthwhile_entries, context.options.threads);
    auto tree = std::make_shared<FrontTree>();
    PostorderedForest forest;
    {
      const auto scope = context.phases.scope("forest");
      forest = find_forest(b, threads);
    }
    PivotEntries entries;
    Supernodes sets;
    Offset nnz_bound = 0;
    {
      const auto scope = context.phases.scope("count");
      entries = sort_by_pivot(b, forest.position, forest.symmetric, threads);
      const std::vector<Index> count = column_counts(entries, forest.parent);
      nnz_bound = 2 * std::accumulate(count.begin(), count.end(), Offset{0}) - Offset{b.n_rows};
      sets = find_supernodes(forest.parent, count);
    }
    {
      const auto scope = context.phases.scope("rows");
      find_front_rows(entries, sets, threads, *tree);
      group_children(*tree);
    }
    tree->nnz_bound = nnz_bound;
    tree->exact = forest.symmetric;
    const auto scope = context.phases.scope("positions");
    find_parent_rows(*tree, threads);
    place_entries(entries, sets, forest.label, threads, *tree);
    return tree;
  }

 private:
  StageInfo info_{.name = "cpu-fronts",
                  .description =
                      "fronts of the elimination forest of A + A', merged where few "
                      "zeros are stored, OpenMP",
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
