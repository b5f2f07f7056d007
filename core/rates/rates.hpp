// SPDX-License-Identifier: BSD-3-Clause
// What forecasts and choices know of a machine: times, rates and thresholds, as data. The defaults
// are those of an H200 with 16 cores (shipped_rates.hpp); rate_list.hpp says what each one means.
// Names end with their unit: _s are seconds, _flops_per_s operations in a second, others counts.
#pragma once

namespace lufact {

// A path of the elimination tree on the device, column by column, before fronts are known.
struct ColumnPathRates {
  double short_below = 64;
  double short_column_s = 1.7e-6, long_column_s = 0.78e-6;

  // What a column of so many entries below the diagonal adds to a path on which every column waits
  // for the one before it. Few columns with short lists make a front, so that more of them than of
  // long ones wait for an assembly.
  constexpr double column_s(double below) const noexcept {
    return below < short_below ? short_column_s : long_column_s;
  }
};

// One factorization on the device, from an order alone. A least-squares fit of relative errors to
// the refactorizations of gpu-multifrontal on an H200 in results/h200/peers.json: 19 matrices of
// 2,500 to 200,000 rows, 0.39 to 4.95 ms, orders of nd-parallel and two of amd. Root mean square
// deviation 11%, largest 20%; the same terms with one rate for all columns of a path: 16% and 39%.
struct DeviceOrderRates {
  double factorization_s = 72e-6, column_s = 3.0e-9, flops_per_s = 19e12;
};

// One factorization by cpu-multifrontal, from an order alone. Fitted to refactorizations of 16
// matrices of 1,800 to 115,000 rows by 1, 4 and 16 threads on 16 cores: 47 of 48, 0.36 to 7.3 ms,
// take 0.48 to 1.9 of it, root mean square deviation 30%.
struct HostOrderRates {
  double threads_start_s = 0.15e-3, entry_s = 13e-9, path_column_s = 0.1e-6;
  double factor_entry_s = 11e-9, flops_per_s = 25e9;
  double use_of_another_thread = 0.1, most_useful_threads = 16;
};

// Computing an order. Geometric means over 11 matrices of 12,000 to 200,000 rows, within a factor
// of 3 of each; METIS: over 14, a factor of 2, and 8 where many rows are alike (bcsstk32).
struct OrderingRates {
  double amd_entry_s = 60e-9, metis_entry_s = 560e-9;
  double dissection_s = 2e-3, dissection_entry_s = 150e-9, most_useful_threads = 16;
};

// The symbolic stage of fronts; gpu-fronts with what it costs the stages behind it that entries
// come to the host. Fitted to 35 matrices of 1,800 to 200,000 rows on 16 cores and an H200:
// cpu-fronts takes 0.6 to 1.8 of it, as fill is not known, gpu-fronts 0.6 to 1.7, two up to 3 where
// fronts have thousands of children. Of the 35 the forecasts send 31 to where symbolic, transfer
// and levelize take less together.
struct HostSymbolicRates {
  double threads_start_s = 0.28e-3;
  double row_s = 44e-9, shared_row_s = 20e-9, entry_s = 2.1e-9, shared_entry_s = 2.6e-9;
};
struct DeviceSymbolicRates {
  double launches_s = 0.85e-3, row_s = 18e-9, shared_row_s = 20e-9;
};

// A path of fronts in gpu-multifrontal. pivot_block_s is 2475 cycles of an H200, measured alone;
// the others were fitted to refactorizations of 0.09 to 3.5 ms there, together with a time for each
// task (17 matrices, root mean square deviation 12%). The kernel has gained since: refactorizations
// of 35 matrices, with upload and solve, take 0.73 to 1.11 of their forecast.
struct FrontPathRates {
  double front_s = 3.1e-6, tile_s = 11.8e-6, pivot_block_s = 1.25e-6;
  double flops_worth_a_second = 2e10;
};

// gpu-multifrontal, from its fronts: what is done once, then in every factorization. From the steps
// of 10 refactorizations on an H200, measured one by one; results/README.md says how whole runs
// compare.
struct DeviceFrontRates {
  double plan_s = 0.455e-3, plan_front_s = 124e-9, plan_task_s = 45e-9, plan_entry_s = 1.1e-9;
  double launches_s = 0.135e-3, path_share = 1.1, flops_per_s = 50e12;
  double task_s = 15e-9, entry_s = 0.3e-9, row_s = 0.5e-9;
};

// cpu-multifrontal, likewise. Fitted on 16 cores beside an H200 with 1, 4 and 16 threads, 16
// matrices of 1,800 to 115,000 rows: 47 of 48 refactorizations, 0.36 to 7.3 ms, take 0.62 to 1.42
// of it, root mean square deviation 22%.
struct HostFrontRates {
  double plan_s = 0.14e-3, plan_front_s = 55e-9, touch_value_s = 1.7e-9;
  double threads_start_s = 0.08e-3, use_of_another_thread = 0.6, shared_tile_s = 5e-6;
  double flops_per_s = 20e9, front_flops = 6000;
  double entry_s = 10e-9, row_s = 25e-9, most_useful_threads = 16;
};

// Columns or fronts, from the ordering's count of entries. From postorder or symbolic step to
// solution on one H200 and its 16 cores, 11 matrices of 1,800 to 16,000 rows in
// results/h200/fast.json of commit dd06007, where all of them are fronts: `fast` takes 1.7 to 2.9
// ms; `cpu` 25 to 68 ns for each entry of its L + U, of which there are 0.4 to 1.0 times what
// minimum degree counts at most.
struct FewEntriesRates {
  double fronts_once_s = 1.7e-3, fronts_each_s = 0.2e-3;
  double column_entry_once_s = 20e-9, column_entry_each_s = 25e-9, column_entry_solve_s = 10e-9;
};

// The part of all factorizations that one more order is hoped to save: what it takes to compute
// must be less. Forecasts of 16 matrices: METIS 0 to 30% below nd-parallel, the best of other runs
// of nd-parallel 0 to 40%, each a few; amd hardly ever below, but up to three times above.
// Matrices and patterns below the sizes gain nothing from a choice, or from a device: on an H200
// and 16 threads the device was the quicker on 3 of 11 matrices with fewer rows than device_rows,
// on 14 of 19 with more (those without long lists). A warp walks a list by itself, in up to 24
// rounds of the separator, each edge about as long as a read of memory: 1 ms at about 1200 edges,
// where the host's threads take 0.2 to 0.8 ms in all.
struct OrderThresholds {
  double small_matrix_rows = 3000, few_refactorizations = 100;
  double amd_saves = 0.05, dissection_saves = 0.3, another_dissection_saves = 0.05,
         metis_saves = 0.15;
  double device_rows = 10'000, device_entries = 50'000, device_vertices = 1000;
  double device_list_edges = 512;
};

struct Rates {
  ColumnPathRates column_path;
  DeviceOrderRates device_order;
  HostOrderRates host_order;
  OrderingRates ordering;
  HostSymbolicRates host_symbolic;
  DeviceSymbolicRates device_symbolic;
  FrontPathRates front_path;
  DeviceFrontRates device_fronts;
  HostFrontRates host_fronts;
  FewEntriesRates few_entries;
  OrderThresholds order_thresholds;
};

}  // namespace lufact
