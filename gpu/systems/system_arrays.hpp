// SPDX-License-Identifier: BSD-3-Clause
// What each of several systems has on the device.
#pragma once
#include "gpu/solve/backward_error.cuh"
#include "gpu/systems/shared_plan.hpp"
#include "gpu/systems/systems_problem.cuh"

namespace lufact::gpu {

// Arrays of a system begin at multiples of this many entries: tiles are copied by 16 bytes.
inline constexpr Offset entries_together = 32;
constexpr Offset padded(Offset entries) {
  return (entries + entries_together - 1) / entries_together * entries_together;
}

// What every system has, in entries.
struct SystemSizes {
  Index n = 0;
  Offset given = 0;  // values of A
  SystemStrides stride;
  Offset row_sources = 0;
  const DeviceLanePlan* lane_plan = nullptr;  // null: no front goes by lanes

  SystemSizes(const AnalysedPattern& pattern, const SharedPlan& plan, Pivoting pivoting)
      : n(plan.tree.n),
        given(pattern.host_matrix->pattern.nnz() - pattern.host_matrix->missing_diagonals_added),
        row_sources(pivoting == Pivoting::fixed_rows ? 0 : plan.tree.n),
        lane_plan(plan.lanes ? &*plan.lanes : nullptr) {
    const DeviceTaskGraph& graph = plan.graph;
    const Offset flags = Offset{graph.flags} + graph.fronts;
    stride.values = pattern.host_matrix->pattern.nnz();
    stride.factors = padded(graph.factor_entries);
    stride.contributions = padded(graph.contribution_entries);
    stride.words = flags;
    stride.solve_contributions = plan.tree.row.size();
    stride.solve_words = 2 * flags;
    stride.n = n;
  }

  // Vectors: b, x, r, a step, the x before it.
  static constexpr Offset vectors = 5;
  // Of arrays of T: factors, contribution blocks, the solve's solution and contributions.
  Offset values_of_t() const {
    return stride.factors + stride.contributions + n + stride.solve_contributions;
  }
  template <class T>
  std::uint64_t bytes() const {
    return checked_bytes(values_of_t(), sizeof(T)) + lane_bytes<T>() +
           checked_bytes(given + stride.values + vectors * n + 2, sizeof(double)) +
           checked_bytes(stride.words + stride.solve_words, sizeof(unsigned)) +
           checked_bytes(row_sources + 1, sizeof(unsigned char)) + sizeof(NumericCounters) +
           sizeof(ColumnNorms) + sizeof(unsigned long long);
  }
  template <class T>
  std::uint64_t lane_bytes() const {
    return lane_plan == nullptr ? 0 : lane_plan->bytes_per_system(sizeof(T));
  }
};

// The arrays of `most` systems.
template <class T>
struct SystemArrays {
  SystemArrays(DeviceSession& session, const SystemSizes& sizes, Index most)
      : given(make<double>(session, most, sizes.given, "values of A")),
        values(make<double>(session, most, sizes.stride.values, "values of B")),
        factors(make<T>(session, most, sizes.stride.factors, "values of fronts")),
        contributions(make<T>(session, most, sizes.stride.contributions, "contribution blocks")),
        row_source(make<unsigned char>(session, most, sizes.row_sources, "rows of pivots")),
        words(make<unsigned>(session, most, sizes.stride.words, "flags of tiles")),
        counters(make<NumericCounters>(session, most, 1, "counts of pivots")),
        scaled_norm(make<unsigned long long>(session, most, 1, "norms of scaled matrices")),
        solution(make<T>(session, most, sizes.n, "solutions of fronts")),
        solve_contributions(make<T>(session, most, sizes.stride.solve_contributions,
                                    "contributions of the solves")),
        solve_words(make<unsigned>(session, most, sizes.stride.solve_words, "flags of the solves")),
        b(make<double>(session, most, sizes.n, "right-hand sides")),
        x(make<double>(session, most, sizes.n, "solutions")),
        r(make<double>(session, most, sizes.n, "residuals")),
        step(make<double>(session, most, sizes.n, "steps of refinement")),
        before(make<double>(session, most, sizes.n, "solutions before a step")),
        matrix_norm(make<double>(session, most, 1, "norms of matrices")),
        error(make<double>(session, most, 1, "backward errors")),
        norms(make<ColumnNorms>(session, most, 1, "norms of residuals")),
        marked(make<unsigned char>(session, most, 1, "systems to refine")) {
    // No kernel writes the gaps and paddings of factors, nor the sources of large fronts.
    factors.fill_bytes(0);
    row_source.fill_bytes(0);
    norms.fill_bytes(0);
  }

  Buffer<double> given, values;
  Buffer<T> factors, contributions;
  Buffer<unsigned char> row_source;
  Buffer<unsigned> words;
  Buffer<NumericCounters> counters;
  Buffer<unsigned long long> scaled_norm;
  Buffer<T> solution, solve_contributions;
  Buffer<unsigned> solve_words;
  Buffer<double> b, x, r, step, before;
  Buffer<double> matrix_norm, error;
  Buffer<ColumnNorms> norms;
  Buffer<unsigned char> marked;

 private:
  template <class Entry>
  static Buffer<Entry> make(DeviceSession& session, Index most, Offset entries,
                            std::string_view what) {
    return {session, MemoryRole::resident, most * entries, what};
  }
};

}  // namespace lufact::gpu
