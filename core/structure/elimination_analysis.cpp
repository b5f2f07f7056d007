// SPDX-License-Identifier: BSD-3-Clause
#include "core/structure/elimination_analysis.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/fronts/analysis/column_counts.hpp"
#include "core/fronts/analysis/front_rows.hpp"

namespace lufact {
namespace {

ColumnForest forest_of(const PostorderedPattern& pattern, const Arrowheads& entries, int threads) {
  const std::span<const Index> parent = pattern.forest();
  ColumnForest forest{parent, subtree_sizes(parent), {}};
  if (threads == 1) return forest;
  std::vector<Offset> work(parent.size());
  for (std::size_t k = 0; k < work.size(); ++k) work[k] = entries.count(static_cast<Index>(k));
  forest.ranges = cut_subtrees(parent, forest.size, std::move(work), threads);
  return forest;
}

}  // namespace

EliminationAnalysis::EliminationAnalysis(const PermutedMatrix& b, int threads)
    : threads_(threads),
      pattern_(b, threads),
      entries_(gather_arrowheads(pattern_.view(), threads)),
      forest_(forest_of(pattern_, entries_, threads)),
      count_(lufact::column_counts(entries_, forest_, threads)) {}

Offset EliminationAnalysis::nnz_lu() const noexcept {
  return 2 * std::accumulate(count_.begin(), count_.end(), Offset{0}) - size();
}

double EliminationAnalysis::flops() const noexcept {
  double flops = 0;
  for (const Index count : count_) {
    const double below = count - 1;
    flops += below + 2 * below * below;
  }
  return flops;
}

// A column whose parent is the next one, with one entry less, has that one's rows and itself.
Supernodes EliminationAnalysis::nested_sets() const {
  Supernodes sets;
  sets.column.resize(at(size()));
  std::iota(sets.column.begin(), sets.column.end(), 0);
  sets.position = sets.column;
  std::vector<Index> set_of(at(size()));
  for (Index k = 0; k < size(); ++k) {
    set_of[at(k)] = static_cast<Index>(sets.rows.size());
    const bool nested =
        k + 1 < size() && parent()[at(k)] == k + 1 && count_[at(k)] == count_[at(k) + 1] + 1;
    if (nested) continue;
    sets.first.push_back(k + 1);
    sets.rows.push_back(count_[at(k)] - 1);
  }
  for (std::size_t s = 0; s < sets.rows.size(); ++s) {
    const Index above = parent()[at(sets.first[s + 1] - 1)];
    sets.parent.push_back(above < 0 ? -1 : set_of[at(above)]);
  }
  return sets;
}

FrontTree EliminationAnalysis::nested_columns(std::uint64_t most_bytes) const {
  const Supernodes sets = nested_sets();
  const Offset rows = std::accumulate(sets.rows.begin(), sets.rows.end(), Offset{0});
  const std::uint64_t bytes = checked_bytes(rows, sizeof(Index));
  if (bytes > most_bytes) {
    throw Error(Outcome::oom_host, "fill_structure",
                fmt::format("the structure of {} entries of L + U needs {}, more than the {} that "
                            "may be used; try another --ordering",
                            nnz_lu(), format_byte_size(bytes), format_byte_size(most_bytes)));
  }
  FrontTree tree;
  find_front_rows(entries_, sets, threads_, tree);
  tree.label.reserve(at(size()));
  for (Index k = 0; k < size(); ++k) tree.label.push_back(label(k));
  return tree;
}

Supernodes EliminationAnalysis::fronts(const FrontPathRates& rates) const {
  return find_supernodes(forest_, count_, threads_, rates);
}

}  // namespace lufact
