// SPDX-License-Identifier: BSD-3-Clause
#include "core/cpu/host_factors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/cpu/host_vectors.hpp"
#include "core/cpu/left_looking.hpp"

namespace lufact {
namespace {

std::size_t at(Offset position) noexcept {
  return static_cast<std::size_t>(position);
}

}  // namespace

template <class T>
HostFactors<T>::HostFactors(std::shared_ptr<const ColumnPattern> pattern,
                            std::shared_ptr<const ColumnSchedule> schedule)
    : pattern_(std::move(pattern)), schedule_(std::move(schedule)) {}

template <class T>
void HostFactors<T>::refactor(const ProductPtr& product, StageContext& context) {
  const auto& matrix = product_cast<PermutedMatrix>(*product);
  threads_ = context.options.threads;
  if (values_.empty()) {
    const auto phase = context.phases.scope("transpose");
    storage_ = columns_of(*pattern_, threads_);
    input_ = input_columns(matrix);
    values_.resize(storage_.columns.col_idx.size());
  }
  const auto phase = context.phases.scope("columns");
  const double smallest = context.options.pivot_threshold * matrix.scaled_norm;
  const LeftLookingProblem<T> problem{matrix,     input_,   storage_, schedule_->columns,
                                      {smallest}, threads_, values_};
  const PivotReport report = factor_left_looking(problem);
  figures_.precision = context.options.precision;
  figures_.perturbed_pivots = report.perturbed;
  figures_.largest_perturbation = report.largest_change;
  figures_.growth.reset();
  if (report.largest_input > 0) figures_.growth = report.largest_factor / report.largest_input;
  figures_.format = "sparse";
}

template <class T>
void HostFactors<T>::solve(VectorBlock& x, std::string_view method) const {
  if (method != "sequential") {
    throw std::logic_error("the CPU factors have no method " + std::string(method));
  }
  auto& block = dynamic_cast<HostVectorBlock&>(x);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
  for (Index c = 0; c < block.columns(); ++c) solve_column(block.column(c));
}

// x := U \ (L \ x), by columns.
template <class T>
void HostFactors<T>::solve_column(std::span<double> x) const {
  double norm = 0;
  for (const double value : x) norm = std::max(norm, std::abs(value));
  if (norm == 0) return;
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(x[i] / norm);
  const auto& ptr = storage_.columns.row_ptr;
  const Index* const rows = storage_.columns.col_idx.data();
  for (std::size_t j = 0; j < x.size(); ++j) {
    const T value = y[j];
    if (value == T(0)) continue;
    for (Offset p = storage_.diagonal[j] + 1; p < ptr[j + 1]; ++p) {
      y[at(rows[p])] -= values_[at(p)] * value;
    }
  }
  for (std::size_t j = x.size(); j-- > 0;) {
    const T value = y[j] /= values_[at(storage_.diagonal[j])];
    if (value == T(0)) continue;
    for (Offset p = ptr[j]; p < storage_.diagonal[j]; ++p) {
      y[at(rows[p])] -= values_[at(p)] * value;
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = norm * static_cast<double>(y[i]);
}

template <class T>
std::vector<double> HostFactors<T>::values_by_row() const {
  std::vector<double> by_row(values_.size());
  std::vector<Offset> next(pattern_->rows.row_ptr.begin(), pattern_->rows.row_ptr.end() - 1);
  for (std::size_t p = 0; p < values_.size(); ++p) {
    const Index row = storage_.columns.col_idx[p];
    by_row[at(next[at(row)]++)] = static_cast<double>(values_[p]);
  }
  return by_row;
}

template class HostFactors<float>;
template class HostFactors<double>;

}  // namespace lufact
