// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/symmetry_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/matrix/parallel.hpp"

namespace lufact::matrix_market {
namespace {

constexpr Offset none = std::numeric_limits<Offset>::max();

void check_skew_diagonal(const SourceText& source, const Header& header, const Triplets& triplets,
                         int threads) {
  std::vector<Offset> first(triplets.runs.size(), none);
  parallel_for(static_cast<Offset>(first.size()), threads, [&](Offset k) {
    const Run& run = triplets.runs[static_cast<std::size_t>(k)];
    for (Offset e = run.begin; e < run.begin + run.count; ++e) {
      const Entry& entry = triplets.entries[static_cast<std::size_t>(e)];
      if (entry.row != entry.col || entry.value == 0) continue;
      first[static_cast<std::size_t>(k)] = e;
      break;
    }
  });
  const auto found = std::find_if(first.begin(), first.end(), [](Offset e) { return e != none; });
  if (found == first.end()) return;
  const Index row = triplets.entries[static_cast<std::size_t>(*found)].row + 1;
  fail_at(source, text_offset(source, triplets, *found),
          fmt::format("diagonal entry ({}, {}) in a skew-symmetric {}", row, row,
                      header.field == Field::pattern ? "pattern" : "matrix must be 0"));
}

// An off-diagonal entry by its place in the lower triangle, its triangle and its place in the file.
struct Place {
  Index larger, smaller;
  bool above;
  Offset entry;
  bool operator<(const Place& other) const noexcept {
    return std::tie(larger, smaller, above, entry) <
           std::tie(other.larger, other.smaller, other.above, other.entry);
  }
};

std::vector<Place> off_diagonal_places(const Triplets& triplets) {
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(triplets.count));
  for (const Run& run : triplets.runs) {
    for (Offset e = run.begin; e < run.begin + run.count; ++e) {
      const auto [row, col, value] = triplets.entries[static_cast<std::size_t>(e)];
      if (row != col) places.push_back({std::max(row, col), std::min(row, col), row < col, e});
    }
  }
  return places;
}

// Only files that use both triangles get here: they are rare, so sorting is good enough.
void check_mirrors(const SourceText& source, const Triplets& triplets) {
  std::vector<Place> places = off_diagonal_places(triplets);
  std::sort(places.begin(), places.end());
  Offset first = none;
  for (std::size_t k = 0; k < places.size();) {
    const Offset below = places[k].entry;
    const bool starts_below = !places[k].above;
    std::size_t next = k + 1;
    while (next < places.size() && places[next].larger == places[k].larger &&
           places[next].smaller == places[k].smaller) {
      // The first entry of the other triangle: the later of the two is the one to complain about.
      if (starts_below && places[next].above && !places[next - 1].above) {
        first = std::min(first, std::max(below, places[next].entry));
      }
      ++next;
    }
    k = next;
  }
  if (first == none) return;
  const Entry& entry = triplets.entries[static_cast<std::size_t>(first)];
  fail_at(source, text_offset(source, triplets, first),
          fmt::format("entry ({}, {}) of a symmetric file is stored together with its mirror "
                      "({}, {})",
                      entry.row + 1, entry.col + 1, entry.col + 1, entry.row + 1));
}

Offset mirrored_pairs(const PatternView& pattern, Index row) {
  const auto columns = pattern.row(row);
  Offset pairs = 0;
  for (auto j = std::upper_bound(columns.begin(), columns.end(), row); j != columns.end(); ++j) {
    pairs += static_cast<Offset>(find_entry(pattern, *j, row) >= 0);
  }
  return pairs;
}

}  // namespace

void check_stored_symmetry(const SourceText& source, const Header& header, const Triplets& triplets,
                           int threads) {
  if (header.symmetry == FileSymmetry::general) return;
  if (header.symmetry == FileSymmetry::skew_symmetric) {
    check_skew_diagonal(source, header, triplets, threads);
  }
  if (triplets.below_diagonal && triplets.above_diagonal) check_mirrors(source, triplets);
}

double structural_symmetry(const PatternView& pattern, int threads) {
  constexpr Index block = 2048;
  const Offset blocks = (Offset{pattern.n_rows} + block - 1) / block;
  std::vector<Offset> pairs(static_cast<std::size_t>(blocks), 0);
  std::vector<Offset> diagonals(static_cast<std::size_t>(blocks), 0);
  parallel_for(blocks, threads, [&](Offset b) {
    const auto end = static_cast<Index>(std::min<Offset>((b + 1) * block, pattern.n_rows));
    Offset found = 0, diagonal = 0;
    for (auto row = static_cast<Index>(b * block); row < end; ++row) {
      found += mirrored_pairs(pattern, row);
      const auto columns = pattern.row(row);
      diagonal += static_cast<Offset>(std::binary_search(columns.begin(), columns.end(), row));
    }
    pairs[static_cast<std::size_t>(b)] = found;
    diagonals[static_cast<std::size_t>(b)] = diagonal;
  });
  Offset mirrored = 0, off_diagonal = pattern.nnz();
  for (std::size_t b = 0; b < pairs.size(); ++b) {
    mirrored += 2 * pairs[b];
    off_diagonal -= diagonals[b];
  }
  return off_diagonal == 0 ? 1 : static_cast<double>(mirrored) / static_cast<double>(off_diagonal);
}

}  // namespace lufact::matrix_market
