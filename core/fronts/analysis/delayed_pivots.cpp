// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/delayed_pivots.hpp"

#include <algorithm>

namespace lufact {
namespace {

constexpr std::uint8_t most_doublings = 30;

// The front that is `fronts` above f, counting those with pivots; where there are fewer, the
// highest of them, or f itself.
Index ancestor(const FrontTree& tree, Index f, std::int64_t fronts) {
  Index last = f;
  for (Index a = tree.parent[at(f)]; a >= 0 && fronts > 0; a = tree.parent[at(a)]) {
    if (tree.pivots(a) == 0) continue;
    last = a;
    --fronts;
  }
  return last;
}

// The block of pivots of a front in which rows are exchanged, by the position of a pivot.
Index block_of(const FrontTree& tree, Index f, Index position) {
  const bool one_block =
      round_up(tree.pivots(f), pivot_block) + tree.contributions(f) <= tile_order;
  return one_block ? 0 : (position - tree.first[at(f)]) / pivot_tile_width(tree.pivots(f));
}

class FrontPivotDelay final : public PivotDelay {
 public:
  ProductType type() const noexcept override { return product_types::front_factors; }

  std::vector<double> pivot_sizes(const Product& symbolic, const Factors& factors) const override {
    const auto& tree = product_cast<FrontTree>(symbolic);
    const std::vector<double> by_position =
        dynamic_cast<const FrontFactors&>(factors).pivot_sizes();
    std::vector<double> size(by_position.size());
    for (std::size_t p = 0; p < size.size(); ++p) size[at(tree.label[p])] = by_position[p];
    return size;
  }

  DelayedOrder delay(const Product& symbolic, std::span<const double> size, double smallest,
                     std::span<std::uint8_t> times) const override {
    return delay_pivots(product_cast<FrontTree>(symbolic), size, smallest, times);
  }
};

}  // namespace

DelayedOrder delay_pivots(const FrontTree& tree, std::span<const double> size, double smallest,
                          std::span<std::uint8_t> times) {
  DelayedOrder result;
  result.label.reserve(at(tree.n));
  std::vector<std::vector<Index>> arriving(at(tree.fronts()));
  bool together = true;  // in each front the weak ones are in one block
  for (Index f = 0; f < tree.fronts(); ++f) {
    Index block = -1;
    for (Index p = tree.first[at(f)]; p < tree.first[at(f) + 1]; ++p) {
      const Index label = tree.label[at(p)];
      if (!(size[at(label)] <= smallest)) {
        result.label.push_back(label);
        continue;
      }
      together &= block < 0 || block == block_of(tree, f, p);
      block = block_of(tree, f, p);
      std::uint8_t& before = times[at(label)];
      arriving[at(ancestor(tree, f, std::int64_t{1} << before))].push_back(label);
      before = std::min<std::uint8_t>(before + 1, most_doublings);
      ++result.weak;
    }
    result.label.insert(result.label.end(), arriving[at(f)].begin(), arriving[at(f)].end());
  }
  result.changed = !std::ranges::equal(result.label, tree.label);
  result.exhausted = result.weak > 0 && !result.changed && together;
  return result;
}

std::unique_ptr<PivotDelay> make_front_pivot_delay() {
  return std::make_unique<FrontPivotDelay>();
}

}  // namespace lufact
