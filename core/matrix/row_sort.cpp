// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/row_sort.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "core/matrix/parallel.hpp"

namespace lufact::matrix_market {
namespace {

// Consecutive runs that one thread sorts.
using Part = std::span<const Run>;

// Counts of 8 bytes per row and part stay below 16 bytes per entry; a small file is one part.
std::vector<Part> make_parts(const Triplets& triplets, Index n, int threads) {
  const Offset affordable = 2 * triplets.count / std::max<Index>(n, 1) + 1;
  const auto runs = static_cast<Offset>(triplets.runs.size());
  const Offset parts = std::max<Offset>(1, std::min({Offset{threads}, affordable, runs}));
  std::vector<Part> result;
  for (Offset p = 0; p < parts; ++p) {
    const Offset begin = runs * p / parts, end = runs * (p + 1) / parts;
    result.emplace_back(triplets.runs.data() + begin, at(end - begin));
  }
  return result;
}

// Calls visit(row, col, value) for every entry of a part and, with `mirror`, for its mirror.
template <class Visit>
void visit_part(const Triplets& triplets, Part part, Mirror mirror, const Visit& visit) {
  const double sign = mirror == Mirror::opposite ? -1 : 1;
  for (const Run& run : part) {
    const Entry* const end = triplets.entries.get() + run.begin + run.count;
    for (const Entry* e = triplets.entries.get() + run.begin; e != end; ++e) {
      visit(e->row, e->col, e->value);
      if (mirror != Mirror::none && e->row != e->col) visit(e->col, e->row, sign * e->value);
    }
  }
}

constexpr Offset row_block = 16384;

// Turns the counts of each part into its first position in each row, and fills row_ptr.
void place_parts(std::vector<std::vector<Offset>>& counts, Index n, int threads,
                 std::vector<Offset>& row_ptr) {
  const Offset blocks = (n + row_block - 1) / row_block;
  const auto for_rows = [&](const auto& body) {
    parallel_for(blocks, threads, [&](Offset b) {
      const Offset end = std::min<Offset>((b + 1) * row_block, n);
      for (Offset row = b * row_block; row < end; ++row) body(at(row));
    });
  };
  for_rows([&](std::size_t row) {
    Offset total = 0;
    for (const auto& part : counts) total += part[row];
    row_ptr[row + 1] = total;
  });
  for (std::size_t row = 0; row < at(n); ++row) row_ptr[row + 1] += row_ptr[row];
  for_rows([&](std::size_t row) {
    Offset position = row_ptr[row];
    for (auto& part : counts) {
      const Offset count = part[row];
      part[row] = position;
      position += count;
    }
  });
}

}  // namespace

RowEntries sort_by_row(const Triplets& triplets, Index n, Mirror mirror, int threads) {
  const std::vector<Part> parts = make_parts(triplets, n, threads);
  std::vector<std::vector<Offset>> counts(parts.size());
  parallel_for(static_cast<Offset>(parts.size()), threads, [&](Offset p) {
    std::vector<Offset>& count = counts[at(p)];
    count.assign(at(n), 0);
    visit_part(triplets, parts[at(p)], mirror, [&](Index row, Index, double) { ++count[at(row)]; });
  });
  RowEntries result;
  result.row_ptr.assign(at(n) + 1, 0);
  place_parts(counts, n, threads, result.row_ptr);
  const Offset total = result.row_ptr.back();
  result.entries.reset(new RowEntry[checked_bytes(total, sizeof(RowEntry)) / sizeof(RowEntry)]);
  parallel_for(static_cast<Offset>(parts.size()), threads, [&](Offset p) {
    std::vector<Offset>& next = counts[at(p)];
    RowEntry* const entries = result.entries.get();
    visit_part(triplets, parts[at(p)], mirror, [&](Index row, Index col, double value) {
      entries[next[at(row)]++] = {col, value};
    });
  });
  return result;
}

}  // namespace lufact::matrix_market
