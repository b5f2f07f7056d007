// SPDX-License-Identifier: BSD-3-Clause
// Meshes with several unknowns per node and an exact number of entries: the couplings of all nodes
// with the nearest ones first, then with farther ones, until the entries are reached. Nodes stand
// on a brick of `layers` layers whose other two sides are about equal; node (x, y, z) has the
// number z + layers * (x + width * y), and the last node may have fewer unknowns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/position_set.hpp"

namespace lufact::generate {
namespace {

constexpr Index kReach = 8;  // nodes along each axis

using Step = std::array<Index, 3>;  // along x, y, z

Index squared_length(const Step& step) {
  return step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
}

// Every step within reach, shorter ones first.
std::vector<Step> steps_by_length(Index layers) {
  std::vector<Step> steps;
  const Index high = std::min(kReach, layers - 1);
  for (Index x = -kReach; x <= kReach; ++x) {
    for (Index y = -kReach; y <= kReach; ++y) {
      for (Index z = -high; z <= high; ++z) steps.push_back({x, y, z});
    }
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tuple(squared_length(a), a) < std::tuple(squared_length(b), b);
  });
  return steps;
}

class Mesh {
 public:
  explicit Mesh(std::span<const Offset> sizes)
      : n_(static_cast<Index>(sizes[0])),
        nnz_(static_cast<std::size_t>(sizes[1])),
        unknowns_(static_cast<Index>(std::min(sizes[2], sizes[0]))),
        layers_(static_cast<Index>(std::min(sizes[3], sizes[0]))),
        nodes_(1 + (n_ - 1) / unknowns_),
        width_(1) {
    while (Offset{width_} * width_ * layers_ < nodes_) ++width_;
    positions_.reserve(nnz_);
    for (Index i = 0; i < n_; ++i) positions_.push_back(position(i, i));
  }

  Index order() const noexcept { return n_; }

  // Calls add(row, col, positions) for every pair of unknowns of two nodes a step apart, shorter
  // steps first, until all entries are there. Throws UsageError where they do not suffice.
  template <class Add>
  Positions fill(const Add& add) {
    for (const Step& step : steps_by_length(layers_)) {
      for (Index node = 0; node < nodes_; ++node) {
        const Index other = neighbour(node, step);
        if (other < 0) continue;
        if (!couple(node, other, add)) return finished();
      }
    }
    if (left() > 0) {
      throw UsageError(fmt::format(
          "generate: nnz is {}, but the nodes of this mesh have only {} couplings within reach; "
          "choose a smaller nnz or more unknowns per node",
          nnz_, positions_.size()));
    }
    return finished();
  }

 private:
  std::size_t left() const { return nnz_ - positions_.size(); }
  Positions finished() {
    std::sort(positions_.begin(), positions_.end());
    return std::move(positions_);
  }

  // One past the unknowns of a node.
  Index end_of(Index node) const {
    return static_cast<Index>(std::min<Offset>((Offset{node} + 1) * unknowns_, n_));
  }

  // The node a step away, or -1 where there is none.
  Index neighbour(Index node, const Step& step) const {
    const Index x = node / layers_ % width_ + step[0];
    const Index y = node / layers_ / width_ + step[1];
    const Index z = node % layers_ + step[2];
    if (x < 0 || x >= width_ || y < 0 || z < 0 || z >= layers_) return -1;
    const Offset other = z + Offset{layers_} * (x + Offset{width_} * y);
    return other < nodes_ ? static_cast<Index>(other) : -1;
  }

  // False where the entries are reached.
  template <class Add>
  bool couple(Index node, Index other, const Add& add) {
    for (Index row = node * unknowns_; row < end_of(node); ++row) {
      for (Index col = other * unknowns_; col < end_of(other); ++col) {
        if (left() == 0) return false;
        add(row, col, positions_);
      }
    }
    return true;
  }

  Index n_;
  std::size_t nnz_;
  Index unknowns_, layers_, nodes_, width_;
  Positions positions_;
};

std::uint64_t bits(std::uint64_t seed, Index row, Index col) {
  return hash64(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col));
}

}  // namespace

CsrMatrix make_structural(std::span<const Offset> sizes, std::uint64_t seed) {
  Mesh mesh(sizes);
  const Positions positions = mesh.fill([](Index row, Index col, Positions& found) {
    if (row >= col) return;
    found.push_back(position(row, col));
    found.push_back(position(col, row));
  });
  return dominant_matrix(
      mesh.order(), positions, [](Index row) { return row; },
      [seed](Index row, Index col) {
        return signed_weight(bits(seed, std::min(row, col), std::max(row, col)));
      });
}

CsrMatrix make_flow(std::span<const Offset> sizes, std::uint64_t seed) {
  Mesh mesh(sizes);
  const Positions positions = mesh.fill([seed](Index row, Index col, Positions& found) {
    const bool downstream = col > row;
    if (row == col || (downstream && bits(seed, row, col) % 8 == 0)) return;
    found.push_back(position(row, col));
  });
  return dominant_matrix(
      mesh.order(), positions, [](Index row) { return row; },
      [seed](Index row, Index col) { return signed_weight(mix64(bits(seed, row, col))); });
}

}  // namespace lufact::generate
