// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/host_factors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// The power of two next to the largest magnitude; 1 for a vector of zeros or without a finite norm.
double binary_scale(std::span<const double> x) {
  double norm = 0;
  for (const double value : x) norm = std::max(norm, std::abs(value));
  return norm > 0 && std::isfinite(norm) ? std::exp2(std::ilogb(norm)) : 1.0;
}

constexpr Offset worthwhile_entries = 1 << 18;        // of a transposition
constexpr Offset worthwhile_multiply_adds = 500'000;  // of a factorization

// Sum over i of the entries of column i of L times the entries of row i of U.
Offset count_multiply_adds(const ColumnPattern& pattern, const ColumnStorage& storage) {
  Offset total = 0;
  for (std::size_t i = 0; i < storage.diagonal.size(); ++i) {
    const Offset lower = storage.columns.row_ptr[i + 1] - storage.diagonal[i] - 1;
    const Offset upper = pattern.rows.row_ptr[i + 1] - pattern.diagonal[i] - 1;
    total += lower * upper;
  }
  return total;
}

}  // namespace

std::uint64_t host_factors_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                                 Precision precision) noexcept {
  constexpr std::uint64_t refinement_blocks = 5;
  const std::uint64_t value = precision == Precision::float64 ? sizeof(double) : sizeof(float);
  const auto rows = static_cast<std::uint64_t>(n);
  return static_cast<std::uint64_t>(nnz_lu) * (sizeof(Index) + value) +
         static_cast<std::uint64_t>(nnz) * (sizeof(Index) + sizeof(Offset)) +
         rows * (3 * sizeof(Offset) + sizeof(Index)) +
         refinement_blocks * rows * static_cast<std::uint64_t>(rhs) * sizeof(double);
}

template <class T>
HostFactors<T>::HostFactors(std::shared_ptr<const ColumnPattern> pattern,
                            std::shared_ptr<const ColumnSchedule> schedule,
                            std::unique_ptr<ColumnElimination<T>> engine)
    : pattern_(std::move(pattern)), schedule_(std::move(schedule)), engine_(std::move(engine)) {}

template <class T>
void HostFactors<T>::prepare(const ProductPtr& product) {
  const auto& matrix = product_cast<PermutedMatrix>(*product);
  if (matrix.pattern.n_rows != pattern_->rows.n_rows) {
    throw std::invalid_argument("the matrix and the pattern of its factors differ in size");
  }
  storage_ = columns_of(*pattern_, threads_for(pattern_->rows.nnz(), worthwhile_entries, threads_));
  multiply_adds_ = count_multiply_adds(*pattern_, storage_);
  input_ = input_columns(matrix);
  values_.resize(storage_.columns.col_idx.size());
  first_matrix_ = product;
}

template <class T>
void HostFactors<T>::refactor(const ProductPtr& product, StageContext& context) {
  const auto& matrix = product_cast<PermutedMatrix>(*product);
  threads_ = std::max(1, context.options.threads);
  if (first_matrix_ == nullptr) {
    const auto phase = context.phases.scope("transpose");
    prepare(product);
  }
  const auto phase = context.phases.scope("columns");
  const auto& first = product_cast<PermutedMatrix>(*first_matrix_).pattern;
  if (matrix.pattern.row_ptr != first.row_ptr || matrix.pattern.col_idx != first.col_idx) {
    throw std::invalid_argument("refactor needs the pattern that was factored first");
  }
  if (level_solver_ != nullptr) level_solver_->clear_values();
  if (transposed_level_solver_ != nullptr) transposed_level_solver_->clear_values();
  const double smallest = context.options.pivot_threshold * matrix.scaled_norm;
  const int threads = threads_for(multiply_adds_, worthwhile_multiply_adds, threads_);
  const PivotReport report = engine_->factor(
      {matrix, input_, *pattern_, storage_, *schedule_, {smallest}, threads, values_});
  figures_.precision = context.options.precision;
  figures_.perturbed_pivots = report.perturbed;
  figures_.largest_perturbation = report.largest_change;
  figures_.growth.reset();
  if (report.largest_input > 0 && std::isfinite(report.largest_factor)) {
    figures_.growth = report.largest_factor / report.largest_input;
  }
  figures_.format = "sparse";
}

template <class T>
void HostFactors<T>::solve(VectorBlock& x, std::string_view method) const {
  solve(x, method, false);
}

template <class T>
void HostFactors<T>::solve_transposed(VectorBlock& x, std::string_view method) const {
  solve(x, method, true);
}

template <class T>
void HostFactors<T>::solve(VectorBlock& x, std::string_view method, bool transposed) const {
  auto& block = dynamic_cast<HostVectorBlock&>(x);
  const Index groups = (block.columns() + interleaved_sides - 1) / interleaved_sides;
  const auto sides = [&](Index group) {
    return std::min(interleaved_sides, block.columns() - group * interleaved_sides);
  };
  if (method == "level") {
    const LevelSolver<T>& solver = level_solver(transposed);
    for (Index g = 0; g < groups; ++g) {
      solve_sides(block, g * interleaved_sides, sides(g), transposed, &solver);
    }
  } else if (method == "sequential") {
    parallel_for(groups, threads_, [&](Offset g) {
      const auto group = static_cast<Index>(g);
      solve_sides(block, group * interleaved_sides, sides(group), transposed, nullptr);
    });
  } else {
    throw std::logic_error("the CPU factors have no method " + std::string(method));
  }
}

// Columns first .. first + sides - 1 of the block; by columns where `solver` is null.
template <class T>
void HostFactors<T>::solve_sides(HostVectorBlock& block, Index first, int sides, bool transposed,
                                 const LevelSolver<T>* solver) const {
  const auto n = at(block.rows());
  const auto width = static_cast<std::size_t>(sides);
  std::vector<T> y(n * width);
  std::vector<double> scale(width);
  for (std::size_t s = 0; s < width; ++s) {
    const auto x = block.column(first + static_cast<Index>(s));
    scale[s] = binary_scale(x);
    for (std::size_t i = 0; i < n; ++i) y[i * width + s] = static_cast<T>(x[i] / scale[s]);
  }
  if (solver != nullptr) {
    solver->solve(sides, y.data(), threads_);
  } else if (transposed) {
    solve_transposed_by_columns<T>(storage_, values_, sides, y.data());
  } else {
    solve_by_columns<T>(storage_, values_, sides, y.data());
  }
  for (std::size_t s = 0; s < width; ++s) {
    const auto x = block.column(first + static_cast<Index>(s));
    for (std::size_t i = 0; i < n; ++i) x[i] = scale[s] * static_cast<double>(y[i * width + s]);
  }
}

template <class T>
const LevelSolver<T>& HostFactors<T>::level_solver(bool transposed) const {
  const std::lock_guard lock(level_solver_mutex_);
  auto& solver = transposed ? transposed_level_solver_ : level_solver_;
  if (solver == nullptr && transposed) {
    solver =
        std::make_unique<LevelSolver<T>>(storage_.columns, storage_.diagonal, UnitFactor::upper);
  } else if (solver == nullptr) {
    solver =
        std::make_unique<LevelSolver<T>>(pattern_->rows, pattern_->diagonal, UnitFactor::lower);
  }
  if (!solver->has_values()) solver->set_values(transposed ? values_ : by_row<T>());
  return *solver;
}

template <class T>
std::vector<double> HostFactors<T>::values_by_row() const {
  return by_row<double>();
}

template <class T>
template <class Value>
std::vector<Value> HostFactors<T>::by_row() const {
  std::vector<Value> values(values_.size());
  std::vector<Offset> next(pattern_->rows.row_ptr.begin(), pattern_->rows.row_ptr.end() - 1);
  for (std::size_t p = 0; p < values_.size(); ++p) {
    const Index row = storage_.columns.col_idx[p];
    values[at(next[at(row)]++)] = static_cast<Value>(values_[p]);
  }
  return values;
}

template class HostFactors<float>;
template class HostFactors<double>;

}  // namespace lufact
