// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/device_bytes.hpp"

#include <algorithm>

namespace lufact {
namespace {

template <class Array>
std::uint64_t bytes_of(const Array& array) {
  return checked_bytes(static_cast<Offset>(array.size()), sizeof(array[0]));
}

}  // namespace

FrontCounts front_counts(const FrontTree& tree, const TaskGraph& graph,
                         const StageOptions& options) {
  return {.n = tree.n,
          .rows = static_cast<Offset>(tree.row.size()),
          .entries = graph.entries(),
          .fronts = static_cast<Offset>(graph.shape.size()),
          .flags = graph.flags,
          .tasks = static_cast<Offset>(graph.factorization.task.size() + graph.solve.task.size()),
          .parts = static_cast<Offset>(graph.part_end.size()),
          .solve_parts = std::max<Offset>(static_cast<Offset>(graph.solve_end.size()), 1),
          .pivoting = options.pivoting,
          .sweeps = many_sweeps(options.rhs, options.transposed)};
}

Offset factorization_words(const FrontCounts& counts) {
  const Offset words =
      front_counter_words + 1 + counts.parts + counts.flags + 2 * counts.fronts + 1;
  constexpr Offset aligned = 2;  // counters of 64 bits begin both sets
  return (words + aligned - 1) / aligned * aligned;
}

Offset solve_words(const FrontCounts& counts) {
  const Offset of_sweep = 2 * counts.solve_parts - 1 + 2 * (counts.flags + counts.fronts);
  return std::max<Index>(counts.sweeps, 1) * of_sweep;
}

std::uint64_t front_work_bytes(const FrontCounts& counts, std::uint64_t value_bytes) {
  const Offset row_sources = counts.pivoting == Pivoting::fixed_rows ? 0 : counts.n;
  return checked_bytes(solve_columns(counts.sweeps) * (counts.n + counts.rows), value_bytes) +
         checked_bytes(counts.tasks, sizeof(FrontTask) + sizeof(FrontShape)) +
         checked_bytes(counts.entries, sizeof(double)) +
         checked_bytes(2 * (factorization_words(counts) + solve_words(counts)), sizeof(Index)) +
         checked_bytes(row_sources, sizeof(std::uint8_t));
}

std::uint64_t front_product_bytes(const FrontTree& tree, const TaskGraph& graph) {
  return bytes_of(tree.label) + bytes_of(tree.row) + bytes_of(tree.parent_row) +
         bytes_of(graph.shape) + bytes_of(graph.child) + bytes_of(graph.factorization.task) +
         bytes_of(graph.factorization.ticket) + bytes_of(graph.solve.task) +
         bytes_of(graph.solve.ticket) + bytes_of(graph.block) +
         checked_bytes(graph.entries(), sizeof(Index) + sizeof(std::uint16_t));
}

}  // namespace lufact
