// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/entropic_duals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lufact {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rows are cut into so many ranges whatever the number of threads. Column sums are taken range by
// range and added in order of ranges, so that they round the same for every number of threads.
constexpr Index parts = 8;

class Scaling {
 public:
  Scaling(const PatternView& pattern, std::span<const double> costs, int threads)
      : pattern_(pattern),
        costs_(costs),
        threads_(threads),
        matrix_(pattern.nnz()),
        duals_(pattern.n_cols),
        scales_(pattern.n_cols),
        sums_(Offset{parts} * pattern.n_cols) {
    std::fill(duals_.begin(), duals_.end(), 0.0);
  }

  // exp((dual_j - c_ij) / T) relative to the largest of each row, and column scales 1.
  void set_matrix(double temperature);
  // Rows, then columns get the sum 1.
  void sweep();
  void add_scales_to_duals(double temperature);
  nd::Buffer<double> take_duals() { return std::move(duals_); }

 private:
  Index first_row(Index part) const noexcept {
    return static_cast<Index>(Offset{pattern_.n_rows} * part / parts);
  }
  void set_row(Index i, double temperature) noexcept;
  void add_rows(Index part) noexcept;

  PatternView pattern_;
  std::span<const double> costs_;
  int threads_;
  nd::Buffer<double> matrix_;
  nd::Buffer<double> duals_, scales_;  // of columns
  nd::Buffer<double> sums_;            // of columns, part after part
};

void Scaling::set_matrix(double temperature) {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
#pragma omp for
    for (Index j = 0; j < pattern_.n_cols; ++j) scales_[j] = 1;
#pragma omp for schedule(dynamic, 1)
    for (Index part = 0; part < parts; ++part) {
      for (Index i = first_row(part); i < first_row(part + 1); ++i) set_row(i, temperature);
    }
  }
}

void Scaling::set_row(Index i, double temperature) noexcept {
  double largest = -infinity;
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    matrix_[p] = duals_[pattern_.col_idx[p]] - costs_[p];
    largest = std::max(largest, matrix_[p]);
  }
  for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
    matrix_[p] = largest > -infinity ? std::exp((matrix_[p] - largest) / temperature) : 0;
  }
}

void Scaling::sweep() {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
#pragma omp for schedule(dynamic, 1)
    for (Index part = 0; part < parts; ++part) add_rows(part);
#pragma omp for
    for (Index j = 0; j < pattern_.n_cols; ++j) {
      double sum = 0;
      for (Index part = 0; part < parts; ++part) sum += sums_[Offset{pattern_.n_cols} * part + j];
      const double scale = 1 / sum;
      if (std::isnormal(scale)) scales_[j] = scale;
    }
  }
}

// Scales the rows of one part to the sum 1 and adds them up by column.
void Scaling::add_rows(Index part) noexcept {
  double* const sums = sums_.begin() + Offset{pattern_.n_cols} * part;
  std::fill(sums, sums + pattern_.n_cols, 0.0);
  for (Index i = first_row(part); i < first_row(part + 1); ++i) {
    double sum = 0;
    for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
      sum += matrix_[p] * scales_[pattern_.col_idx[p]];
    }
    const double scale = 1 / sum;
    if (!std::isnormal(scale)) continue;
    for (Offset p = pattern_.row_ptr[i]; p < pattern_.row_ptr[i + 1]; ++p) {
      sums[pattern_.col_idx[p]] += matrix_[p] * scale;
    }
  }
}

void Scaling::add_scales_to_duals(double temperature) {
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
  for (Index j = 0; j < pattern_.n_cols; ++j) duals_[j] += temperature * std::log(scales_[j]);
}

}  // namespace

nd::Buffer<double> entropic_column_duals(const PatternView& pattern, std::span<const double> costs,
                                         int threads) {
  constexpr int sweeps = 6;
  Scaling scaling(pattern, costs, threads);
  for (const double temperature : {2.0, 1.0, 0.5}) {
    scaling.set_matrix(temperature);
    for (int k = 0; k < sweeps; ++k) scaling.sweep();
    scaling.add_scales_to_duals(temperature);
  }
  return scaling.take_duals();
}

}  // namespace lufact
