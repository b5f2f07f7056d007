// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/numeric/device_column_factors.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/numeric/values.hpp"
#include "gpu/runtime/launch.cuh"
#include "gpu/solve/device_vectors.hpp"

namespace lufact::gpu {
namespace {

static_assert(sizeof(NumericCounters) == numeric_counter_bytes);

void require_same_order(Index expected, Index given, const char* what) {
  if (expected == given) return;
  throw std::logic_error(std::string(what) + " is of order " + std::to_string(given) +
                         ", the pattern of order " + std::to_string(expected));
}

LevelKernelCounts count_modes(const std::vector<GluMode>& modes) {
  LevelKernelCounts counts;
  counts.small_block = std::count(modes.begin(), modes.end(), GluMode::small_block);
  counts.large_block = std::count(modes.begin(), modes.end(), GluMode::large_block);
  counts.stream = std::count(modes.begin(), modes.end(), GluMode::stream);
  return counts;
}

// One thread per column: raises its level's largest number of sub-columns.
__global__ void level_sub_columns(FactorPattern pattern, const Index* level_of, unsigned* largest) {
  const Offset column = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (column >= pattern.n) return;
  const Offset count = pattern.row_ptr[column + 1] - pattern.diagonal[column] - 1;
  atomicMax(largest + level_of[column], static_cast<unsigned>(count));
}

}  // namespace

template <class T>
DeviceColumnFactors<T>::DeviceColumnFactors(const ColumnEngineKind& kind, ProductPtr pattern,
                                            ProductPtr schedule, StageContext& context)
    : kind_(kind),
      session_(*context.device),
      pattern_product_(std::move(pattern)),
      schedule_product_(std::move(schedule)),
      pattern_(product_cast<DeviceColumnPattern>(*pattern_product_)),
      schedule_(product_cast<DeviceColumnSchedule>(*schedule_product_)) {
  require_same_order(pattern_.n, schedule_.n, "the schedule");
  {
    const auto scope = context.phases.scope("transpose");
    columns_ = make_columns(session_, pattern_);
  }
  const auto scope = context.phases.scope("plan");
  const auto to_come = column_value_bytes(pattern_.n, pattern_.nnz, precision_of<T>);
  engine_ = kind_.make<T>(
      {session_, view(), pattern_.nnz, schedule_, to_come, context.options, context.notes});
  values_ = {session_, MemoryRole::resident, pattern_.nnz, "values by columns"};
  row_values_ = {session_, MemoryRole::resident, pattern_.nnz, "values by rows"};
  counters_ = {session_, MemoryRole::resident, 1, "counters"};
  solve_workspace_ = {session_, MemoryRole::resident, solve_workspace(pattern_.n),
                      "workspace of the solves"};
}

template <class T>
FactorPattern DeviceColumnFactors<T>::view() const noexcept {
  return {pattern_.n,
          pattern_.row_ptr.data(),
          pattern_.col_idx.data(),
          pattern_.diagonal.data(),
          columns_.col_ptr.data(),
          columns_.row_idx.data(),
          columns_.position.data()};
}

template <class T>
RowFactors<T> DeviceColumnFactors<T>::by_rows() const noexcept {
  return {pattern_.n, pattern_.row_ptr.data(), pattern_.col_idx.data(), pattern_.diagonal.data(),
          row_values_.data()};
}

template <class T>
void DeviceColumnFactors<T>::compute(const DevicePermutedMatrix& matrix, StageContext& context) {
  require_same_order(pattern_.n, matrix.n, "the matrix");
  const FactorsRef<T> factors{view(), values_.data()};
  counters_.fill_bytes(0);
  {
    const auto scope = context.phases.scope("place");
    place_values(session_, matrix, factors, pattern_.nnz, counters_.data());
  }
  const T smallest_pivot = static_cast<T>(context.options.pivot_threshold * matrix.scaled_norm);
  engine_->eliminate(factors, smallest_pivot, counters_.data(), context.phases);
  const auto scope = context.phases.scope("rows");
  gather_rows(session_, factors, pattern_.nnz, row_values_.data(), counters_.data());
  report(read_value(session_, counters_.data()), context);
}

template <class T>
void DeviceColumnFactors<T>::report(const NumericCounters& counters, StageContext& context) {
  if (counters.misplaced > 0) {
    throw Error(Outcome::error, "pattern_mismatch",
                std::to_string(counters.misplaced) +
                    " entries or updates have no place in the pattern of L + U: it does not "
                    "belong to this matrix, or it is not closed under elimination");
  }
  if (counters.unusable_pivots > 0) {
    context.notes.warnings.push_back(
        {"unusable_pivots", std::to_string(counters.unusable_pivots) +
                                " pivots are zero or not finite; the factors are not usable"});
  }
  figures_ = {};
  figures_.precision = precision_of<T>;
  figures_.perturbed_pivots = static_cast<Offset>(counters.perturbed_pivots);
  figures_.largest_perturbation = std::bit_cast<double>(counters.largest_perturbation);
  const double growth = std::bit_cast<double>(counters.largest_factor) /
                        std::bit_cast<double>(counters.largest_entry);
  if (std::isfinite(growth)) figures_.growth = growth;
  const std::vector<GluMode> modes = engine_->level_modes();
  if (!modes.empty()) figures_.level_kernel_counts = count_modes(modes);
  engine_->describe(figures_);
}

template <class T>
void DeviceColumnFactors<T>::solve(VectorBlock& x, std::string_view method) const {
  DeviceVectorBlock& block = device_block(x);
  require_same_order(pattern_.n, block.rows(), "the block of right-hand sides");
  if (method == "sync-free") {
    sync_free_solve(session_, by_rows(), solve_workspace_.data(), block.data(), block.columns());
  } else if (method == "level") {
    const BothLevels& levels = solve_levels();
    level_solve(session_, by_rows(), levels.lower, levels.upper, block.data(), block.columns());
  } else {
    throw Error(
        Outcome::unsupported, "solve_method",
        kind_.facts.info.name + " solves by sync-free or level, not by " + std::string(method));
  }
}

template <class T>
auto DeviceColumnFactors<T>::solve_levels() const -> const BothLevels& {
  if (!solve_levels_) {
    BothLevels both;
    both.lower = make_solve_levels(session_, by_rows(), Triangle::lower, solve_workspace_.data());
    both.upper = make_solve_levels(session_, by_rows(), Triangle::upper, solve_workspace_.data());
    solve_levels_ = std::move(both);
  }
  return *solve_levels_;
}

template <class T>
void DeviceColumnFactors<T>::refactor(const ProductPtr& matrix, StageContext& context) {
  compute(product_cast<DevicePermutedMatrix>(*matrix), context);
}

template <class T>
FactorFigures DeviceColumnFactors<T>::figures() const {
  return figures_;
}

template <class T>
LevelProfile DeviceColumnFactors<T>::level_profile() const {
  LevelProfile profile;
  const std::vector<GluMode> modes = engine_->level_modes();
  if (modes.empty()) return profile;
  constexpr int threads = 256;
  Buffer<unsigned> sub_columns(session_, MemoryRole::scratch, schedule_.levels,
                               "the largest sub-columns of the levels");
  sub_columns.fill_bytes(0);
  launch(session_, {ceil_div(pattern_.n, threads), threads}, level_sub_columns, view(),
         schedule_.level_of.data(), sub_columns.data());
  const std::vector<unsigned> largest = sub_columns.download();
  const std::vector<Index>& level_ptr = schedule_.host_level_ptr(session_);
  for (std::size_t level = 0; level < modes.size(); ++level) {
    profile.columns.push_back(level_ptr[level + 1] - level_ptr[level]);
    profile.max_subcolumns.push_back(largest[level]);
    profile.kernel_mode.emplace_back(to_string(modes[level]));
  }
  return profile;
}

template <class T>
std::vector<double> DeviceColumnFactors<T>::values_by_row() const {
  const std::vector<T> values = row_values_.download();
  return {values.begin(), values.end()};
}

template class DeviceColumnFactors<float>;
template class DeviceColumnFactors<double>;

}  // namespace lufact::gpu
