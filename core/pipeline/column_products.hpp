// SPDX-License-Identifier: BSD-3-Clause
// Host products of preprocessing and of the column family.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"
#include "core/pipeline/product.hpp"

namespace lufact {

namespace nd {
struct Graph;
}

// Row permutation and scalings: entry (i, j) of Dr A Dc is row_scale[i] a_ij col_scale[j], and row
// i of A moves to position rows.new_of_old()[i], which puts the matched entries on the diagonal.
struct Matching {
  Permutation rows;                          // old_of_new: row of A at position k of PA
  std::vector<double> row_scale, col_scale;  // by A's row and column labels; positive, finite
  Index structural_rank = 0;
};

// A symmetric permutation of PA: label k of the result is label perm.old_of_new()[k] of PA.
struct Ordering {
  Permutation perm;
  bool postordered = false;  // labels are a postorder of the elimination tree of A + A'
  // Parents in that tree, -1 for a root. Empty where labels are no postorder, or not known.
  std::vector<Index> forest{};
  // Input of a postorder that the ordering has at hand, or empty: the graph of A + A', and ranges
  // of labels [parts[p], parts[p + 1]) from 0 on that are not adjacent to one another.
  std::shared_ptr<const nd::Graph> graph{};
  std::vector<Index> parts{};
  // Upper bound of the entries of L, with diagonal, where the ordering counts them on its way.
  std::optional<double> most_nnz_l{};
};

// B = (P_o P_m) A P_o', the matrix that is factored: columns ascending, every diagonal entry
// present. Values are those of A, unscaled; the factors are those of row_scale * B * col_scale.
class PermutedMatrix final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::permuted_matrix; }
  Side side() const noexcept override { return Side::host; }

  CsrPattern pattern;
  RawVector<double> values;                  // 0 for an added diagonal
  RawVector<Offset> source;                  // position in A of each entry; -1: added diagonal
  std::vector<double> row_scale, col_scale;  // by B's labels
  Permutation rows, cols;                    // old_of_new: A's row (column) at B's row (column) k
  // Parents in the elimination forest of B + B', of which labels are a postorder; empty: not known.
  std::vector<Index> forest;
  Index missing_diagonals_added = 0;
  // Largest row sum of |row_scale B col_scale|, NaN aside: pivot threshold's unit. Rounded as
  // row_scale times the sum of |B col_scale|, in the order that norm_window fixes.
  double scaled_norm = 0;
  // A, where its entries have not been placed here, since a device places its own: col_idx, values
  // and source are empty then, and scaled_norm is 0. place_entries() places them.
  const CsrMatrix* unplaced = nullptr;
};

// A row sum for a norm is cut at positions of B that are multiples of these, so that a device cuts
// all rows at once, whatever their lengths. The entries of a piece are added in order, then the
// pieces of a window in order, then the windows in order.
inline constexpr Offset norm_piece = 16, norm_window = 2048;

// The pattern of L + U by rows: columns ascending, diagonal present in every row.
class ColumnPattern final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::column_pattern; }
  Side side() const noexcept override { return Side::host; }

  CsrPattern rows;
  std::vector<Offset> diagonal;  // position of (i, i) in rows.col_idx
  // Supernode s is rows supernodes[s] .. supernodes[s + 1]; empty where they were not looked for.
  std::vector<Index> supernodes;
};

// Rules for which column must come before which other; docs/modes.md and
// core/columns/dependency.hpp say them.
enum class DependencyRule { glu1, exact, relaxed };
std::string_view to_string(DependencyRule rule) noexcept;

// Columns grouped by level; the columns of a level are independent under `rule`.
class ColumnSchedule final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::column_schedule; }
  Side side() const noexcept override { return Side::host; }

  DependencyRule rule = DependencyRule::exact;
  std::vector<Index> level_of;   // level of each column, from 0
  std::vector<Index> columns;    // all columns by level, ascending inside a level
  std::vector<Index> level_ptr;  // level l is columns[level_ptr[l] .. level_ptr[l+1])

  Index levels() const noexcept { return static_cast<Index>(level_ptr.size()) - 1; }
  // Columns of the widest level.
  Index max_width() const noexcept {
    Index width = 0;
    for (std::size_t l = 0; l + 1 < level_ptr.size(); ++l) {
      width = std::max(width, level_ptr[l + 1] - level_ptr[l]);
    }
    return width;
  }
};

}  // namespace lufact
