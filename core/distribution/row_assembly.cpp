// SPDX-License-Identifier: BSD-3-Clause
#include "core/distribution/row_assembly.hpp"

#include <algorithm>
#include <numeric>

#include "core/matrix/first_touch.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset piece_entries = static_cast<Offset>(RankGroup::most_bytes / sizeof(Index));
constexpr Offset rows_per_step = 64;

class Assembly {
 public:
  Assembly(Index n, int threads) : n_(n), threads_(threads), row_ptr_(at(n) + 1, 0) {
    pattern_.rows.n_rows = pattern_.rows.n_cols = n;
    pattern_.diagonal.resize(at(n));
  }

  void add_counts(const FoundRows& rows) {
    for (Offset place = 0; place < rows.share.count(); ++place) {
      const auto row = at(rows.share.row(place));
      row_ptr_[row + 1] = rows.row_ptr[at(place) + 1] - rows.row_ptr[at(place)];
      pattern_.diagonal[row] = rows.diagonal[at(place)] - rows.row_ptr[at(place)];
    }
  }

  void close_rows() {
    std::partial_sum(row_ptr_.begin(), row_ptr_.end(), row_ptr_.begin());
    for (Index row = 0; row < n_; ++row) pattern_.diagonal[at(row)] += row_ptr_[at(row)];
    pattern_.rows.col_idx = zeros_touched_by<Index>(threads_, row_ptr_.back());
  }

  // columns[0 .. count) are those of the share from `first` on.
  void place(const FoundRows& rows, const Index* columns, Offset first, Offset count) {
    const auto begin = rows.row_ptr.begin();
    const Offset end = first + count;
    const Offset low = std::upper_bound(begin, rows.row_ptr.end(), first) - begin - 1;
    const Offset high = std::lower_bound(begin + low, rows.row_ptr.end(), end) - begin;
    const Offset steps = (high - low + rows_per_step - 1) / rows_per_step;
    parallel_for(steps, threads_, [&](Offset step) {
      const Offset last = std::min(low + (step + 1) * rows_per_step, high);
      for (Offset place = low + step * rows_per_step; place < last; ++place) {
        const Offset own = rows.row_ptr[at(place)];
        const Offset from = std::max(own, first), to = std::min(rows.row_ptr[at(place) + 1], end);
        Index* const target = pattern_.rows.col_idx.data() + row_ptr_[at(rows.share.row(place))];
        std::copy(columns + (from - first), columns + (to - first), target + (from - own));
      }
    });
  }

  ColumnPattern take() {
    pattern_.rows.row_ptr = std::move(row_ptr_);
    return std::move(pattern_);
  }

 private:
  Index n_;
  int threads_;
  std::vector<Offset> row_ptr_;
  ColumnPattern pattern_;
};

// All but the columns, which stay where they are.
FoundRows receive_counts(RankGroup& ranks, Index from, const GsofaShare& share) {
  FoundRows rows{.share = share};
  rows.row_ptr.resize(at(share.count()) + 1);
  rows.diagonal.resize(at(share.count()));
  receive_array(ranks, from, std::span<Offset>(rows.row_ptr));
  receive_array(ranks, from, std::span<Offset>(rows.diagonal));
  return rows;
}

}  // namespace

void send_rows(RankGroup& ranks, const FoundRows& rows) {
  send_array(ranks, 0, std::span<const Offset>(rows.row_ptr));
  send_array(ranks, 0, std::span<const Offset>(rows.diagonal));
  send_array(ranks, 0, std::span<const Index>(rows.columns));
}

ColumnPattern assemble_rows(RankGroup& ranks, Index n, FoundRows own,
                            std::span<const GsofaShare> shares, std::span<const RankReport> reports,
                            int threads) {
  Assembly assembly(n, threads);
  assembly.add_counts(own);
  // Every rank sends its columns as soon as its counts have gone.
  std::vector<FoundRows> others;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    others.push_back(receive_counts(ranks, static_cast<Index>(k) + 1, shares[k]));
    assembly.add_counts(others.back());
  }
  assembly.close_rows();
  assembly.place(own, own.columns.data(), 0, own.entries());
  own = {};
  std::vector<Index> piece;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const Offset entries = reports[k].slice_entries.at(0);
    for (Offset first = 0; first < entries; first += piece_entries) {
      piece.resize(at(std::min(piece_entries, entries - first)));
      ranks.receive(static_cast<Index>(k) + 1, piece.data(), piece.size() * sizeof(Index));
      assembly.place(others[k], piece.data(), first, static_cast<Offset>(piece.size()));
    }
  }
  return assembly.take();
}

std::uint64_t sent_bytes(Offset rows, const RankReport& report) noexcept {
  const Offset entries =
      std::accumulate(report.slice_entries.begin(), report.slice_entries.end(), Offset{0});
  return static_cast<std::uint64_t>(2 * rows + 1) * sizeof(Offset) +
         static_cast<std::uint64_t>(entries + report.supernodes) * sizeof(Index);
}

}  // namespace lufact
