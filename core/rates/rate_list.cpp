// SPDX-License-Identifier: BSD-3-Clause
#include "core/rates/rate_list.hpp"

#include <array>

namespace lufact {
namespace {

template <auto Group, auto Member>
double& rate_of(Rates& rates) {
  return rates.*Group.*Member;
}

// NOLINTNEXTLINE: the name of a member, once
#define LUFACT_RATE(group, name, unit, meaning)                                           \
  RateEntry {                                                                             \
#group, #name, unit, meaning, rate_of < &Rates::group, &decltype(Rates::group)::name> \
  }

constexpr std::array rates{
    LUFACT_RATE(column_path, short_below, "entries", "columns with fewer below it are short"),
    LUFACT_RATE(column_path, short_column_s, "s", "of a short column on a path, on the device"),
    LUFACT_RATE(column_path, long_column_s, "s", "of another column on a path, on the device"),
    LUFACT_RATE(device_order, factorization_s, "s", "of a factorization, whatever its order"),
    LUFACT_RATE(device_order, column_s, "s", "of a column"),
    LUFACT_RATE(device_order, flops_per_s, "flops/s", "of the arithmetic"),
    LUFACT_RATE(host_order, threads_start_s, "s", "for waking several threads"),
    LUFACT_RATE(host_order, entry_s, "s", "of an entry of the matrix"),
    LUFACT_RATE(host_order, path_column_s, "s", "of a column on the longest path"),
    LUFACT_RATE(host_order, factor_entry_s, "s", "of an entry of L"),
    LUFACT_RATE(host_order, flops_per_s, "flops/s", "of one thread"),
    LUFACT_RATE(host_order, use_of_another_thread, "threads", "what one more thread is worth"),
    LUFACT_RATE(host_order, most_useful_threads, "threads", "more are worth nothing"),
    LUFACT_RATE(ordering, amd_entry_s, "s", "of amd, for an entry of the matrix"),
    LUFACT_RATE(ordering, metis_entry_s, "s", "of metis, for an entry"),
    LUFACT_RATE(ordering, dissection_s, "s", "of nd-parallel, whatever the matrix"),
    LUFACT_RATE(ordering, dissection_entry_s, "s", "of nd-parallel, for an entry, one thread"),
    LUFACT_RATE(ordering, most_useful_threads, "threads", "more are worth nothing"),
    LUFACT_RATE(host_symbolic, threads_start_s, "s", "of cpu-fronts, for waking several threads"),
    LUFACT_RATE(host_symbolic, row_s, "s", "of a row, by one thread while others wait"),
    LUFACT_RATE(host_symbolic, shared_row_s, "s", "of a row, by all threads"),
    LUFACT_RATE(host_symbolic, entry_s, "s", "of an entry, by one thread while others wait"),
    LUFACT_RATE(host_symbolic, shared_entry_s, "s", "of an entry, by all threads"),
    LUFACT_RATE(device_symbolic, launches_s, "s", "of gpu-fronts, for launches"),
    LUFACT_RATE(device_symbolic, row_s, "s", "of a row, by one thread of the host"),
    LUFACT_RATE(device_symbolic, shared_row_s, "s", "of a row, by all threads of the host"),
    LUFACT_RATE(front_path, front_s, "s", "of a front on a path: assembly and hand-over"),
    LUFACT_RATE(front_path, tile_s, "s", "of a tile of pivots on a path"),
    LUFACT_RATE(front_path, pivot_block_s, "s", "of 8 pivots on a path"),
    LUFACT_RATE(front_path, flops_worth_a_second, "flops",
                "work that may be added where it makes a path a second shorter"),
    LUFACT_RATE(device_fronts, plan_s, "s", "of gpu-multifrontal, once"),
    LUFACT_RATE(device_fronts, plan_front_s, "s", "of a front, once"),
    LUFACT_RATE(device_fronts, plan_task_s, "s", "of a task, once"),
    LUFACT_RATE(device_fronts, plan_entry_s, "s", "of an entry, once"),
    LUFACT_RATE(device_fronts, launches_s, "s", "of launches and copies, each time"),
    LUFACT_RATE(device_fronts, path_share, "paths", "the longest path is worth, each time"),
    LUFACT_RATE(device_fronts, flops_per_s, "flops/s", "of the arithmetic"),
    LUFACT_RATE(device_fronts, task_s, "s", "of a task, each time"),
    LUFACT_RATE(device_fronts, entry_s, "s", "of an entry, each time"),
    LUFACT_RATE(device_fronts, row_s, "s", "of a row, each time"),
    LUFACT_RATE(host_fronts, plan_s, "s", "of cpu-multifrontal, once"),
    LUFACT_RATE(host_fronts, plan_front_s, "s", "of a front, once"),
    LUFACT_RATE(host_fronts, touch_value_s, "s", "of a value of the factors, once"),
    LUFACT_RATE(host_fronts, threads_start_s, "s", "for waking several threads, each time"),
    LUFACT_RATE(host_fronts, use_of_another_thread, "threads", "what one more thread is worth"),
    LUFACT_RATE(host_fronts, shared_tile_s, "s", "of a tile that all threads share, a thread"),
    LUFACT_RATE(host_fronts, flops_per_s, "flops/s", "of one thread"),
    LUFACT_RATE(host_fronts, front_flops, "flops", "that handling a front is worth"),
    LUFACT_RATE(host_fronts, entry_s, "s", "of an entry, each time"),
    LUFACT_RATE(host_fronts, row_s, "s", "of a row, each time"),
    LUFACT_RATE(host_fronts, most_useful_threads, "threads", "more are worth nothing"),
    LUFACT_RATE(few_entries, fronts_once_s, "s", "of small fronts behind the ordering, once"),
    LUFACT_RATE(few_entries, fronts_each_s, "s", "of small fronts, each time"),
    LUFACT_RATE(few_entries, column_entry_once_s, "s", "of columns, for an entry of L + U, once"),
    LUFACT_RATE(few_entries, column_entry_each_s, "s", "of columns, for an entry, each time"),
    LUFACT_RATE(few_entries, column_entry_solve_s, "s", "for an entry and a right-hand side"),
    LUFACT_RATE(order_thresholds, small_matrix_rows, "rows", "with fewer, no order is forecast"),
    LUFACT_RATE(order_thresholds, few_refactorizations, "factorizations",
                "with fewer, no order of a small matrix is forecast"),
    LUFACT_RATE(order_thresholds, amd_saves, "share", "hoped for from amd"),
    LUFACT_RATE(order_thresholds, dissection_saves, "share", "hoped for from nested dissection"),
    LUFACT_RATE(order_thresholds, another_dissection_saves, "share", "hoped for from one more"),
    LUFACT_RATE(order_thresholds, metis_saves, "share", "hoped for from metis"),
    LUFACT_RATE(order_thresholds, device_rows, "rows", "with fewer, the host dissects"),
    LUFACT_RATE(order_thresholds, device_entries, "entries", "with fewer, the host makes a graph"),
    LUFACT_RATE(order_thresholds, device_vertices, "vertices", "with fewer, the host coarsens"),
    LUFACT_RATE(order_thresholds, device_list_edges, "edges",
                "of one vertex; with more, the host finds the separator"),
};

#undef LUFACT_RATE

}  // namespace

std::string RateEntry::key() const {
  return std::string(group) + "." + std::string(name);
}

double RateEntry::value(const Rates& rates) const {
  Rates copy = rates;
  return of(copy);
}

std::span<const RateEntry> rate_list() {
  return rates;
}

}  // namespace lufact
