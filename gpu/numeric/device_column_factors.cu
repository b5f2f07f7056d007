// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/numeric/device_column_factors.hpp"
#include "gpu/numeric/levels.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/numeric/values.hpp"
#include "gpu/solve/device_vectors.hpp"

namespace lufact::gpu {
namespace {

static_assert(sizeof(NumericCounters) == numeric_counter_bytes);

void require_same_order(Index expected, Index given, const char* what) {
  if (expected == given) return;
  throw std::logic_error(std::string(what) + " is of order " + std::to_string(given) +
                         ", the pattern of order " + std::to_string(expected));
}

}  // namespace

template <class T>
DeviceColumnFactors<T>::DeviceColumnFactors(DeviceSession& session, ProductPtr pattern,
                                            ProductPtr schedule, PhaseRecorder& phases)
    : session_(session),
      pattern_product_(std::move(pattern)),
      schedule_product_(std::move(schedule)),
      pattern_(product_cast<DeviceColumnPattern>(*pattern_product_)),
      schedule_(product_cast<DeviceColumnSchedule>(*schedule_product_)) {
  require_same_order(pattern_.n, schedule_.n, "the schedule");
  {
    const auto scope = phases.scope("transpose");
    columns_ = make_columns(session_, pattern_);
  }
  const auto scope = phases.scope("plan");
  plan_ = make_level_plan(session_, view(), schedule_.level_of, schedule_.columns,
                          static_cast<Index>(schedule_.level_ptr.size()) - 1);
  values_ = {session_, MemoryRole::resident, pattern_.nnz, "values by columns"};
  row_values_ = {session_, MemoryRole::resident, pattern_.nnz, "values by rows"};
  counters_ = {session_, MemoryRole::resident, 1, "counters"};
  sync_words_ = {session_, MemoryRole::resident, sync_words(pattern_.n), "flags of the solves"};
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
  {
    const auto scope = context.phases.scope("levels");
    const T smallest_pivot = static_cast<T>(context.options.pivot_threshold * matrix.scaled_norm);
    run_levels(session_, factors, plan_, schedule_.columns.data(),
               std::span<const Index>(schedule_.level_ptr), smallest_pivot, counters_.data());
  }
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
  figures_.precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
  figures_.perturbed_pivots = static_cast<Offset>(counters.perturbed_pivots);
  figures_.largest_perturbation = std::bit_cast<double>(counters.largest_perturbation);
  const double growth = std::bit_cast<double>(counters.largest_factor) /
                        std::bit_cast<double>(counters.largest_entry);
  if (std::isfinite(growth)) figures_.growth = growth;
  figures_.level_kernel_counts = plan_.counts();
  figures_.format = "sparse";
}

template <class T>
void DeviceColumnFactors<T>::solve(VectorBlock& x, std::string_view method) const {
  DeviceVectorBlock& block = device_block(x);
  require_same_order(pattern_.n, block.rows(), "the block of right-hand sides");
  if (method == "sync-free") {
    sync_free_solve(session_, by_rows(), sync_words_.data(), block.data(), block.columns());
  } else if (method == "level") {
    const BothLevels& levels = solve_levels();
    level_solve(session_, by_rows(), levels.lower, levels.upper, block.data(), block.columns());
  } else {
    throw Error(Outcome::unsupported, "solve_method",
                "gpu-binary-search solves by sync-free or level, not by " + std::string(method));
  }
}

template <class T>
auto DeviceColumnFactors<T>::solve_levels() const -> const BothLevels& {
  if (!solve_levels_) {
    BothLevels both;
    both.lower = make_solve_levels(session_, by_rows(), Triangle::lower, sync_words_.data());
    both.upper = make_solve_levels(session_, by_rows(), Triangle::upper, sync_words_.data());
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
std::vector<double> DeviceColumnFactors<T>::values_by_row() const {
  const std::vector<T> values = row_values_.download();
  return {values.begin(), values.end()};
}

template class DeviceColumnFactors<float>;
template class DeviceColumnFactors<double>;

}  // namespace lufact::gpu
