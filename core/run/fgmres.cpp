// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/fgmres.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace lufact {
namespace {

constexpr int restart = 30;
constexpr int max_cycles = 4;
constexpr double converged = std::numeric_limits<double>::epsilon();

// The small least-squares problem min || beta e1 - H y ||, kept triangular by Givens rotations.
class HessenbergLeastSquares {
 public:
  explicit HessenbergLeastSquares(double beta) : rhs_{beta} {}

  // Adds column h(0..k+1), k the columns so far; returns the new residual norm.
  double add_column(std::vector<double> h) {
    for (std::size_t i = 0; i < cosines_.size(); ++i) {
      const double upper = cosines_[i] * h[i] + sines_[i] * h[i + 1];
      h[i + 1] = -sines_[i] * h[i] + cosines_[i] * h[i + 1];
      h[i] = upper;
    }
    const std::size_t k = cosines_.size();
    const double length = std::hypot(h[k], h[k + 1]);
    cosines_.push_back(length == 0 ? 1 : h[k] / length);
    sines_.push_back(length == 0 ? 0 : h[k + 1] / length);
    h[k] = length;
    h.resize(k + 1);
    columns_.push_back(std::move(h));
    rhs_.push_back(-sines_[k] * rhs_[k]);
    rhs_[k] *= cosines_[k];
    return std::abs(rhs_[k + 1]);
  }

  std::vector<double> solve() const {
    const std::size_t k = columns_.size();
    std::vector<double> y(rhs_.begin(), rhs_.begin() + static_cast<std::ptrdiff_t>(k));
    for (std::size_t j = k; j-- > 0;) {
      y[j] = columns_[j][j] == 0 ? 0 : y[j] / columns_[j][j];
      for (std::size_t i = 0; i < j; ++i) y[i] -= columns_[j][i] * y[j];
    }
    return y;
  }

 private:
  std::vector<std::vector<double>> columns_;
  std::vector<double> cosines_, sines_, rhs_;
};

// One system with one right-hand side; keeps its basis vectors between cycles.
class ColumnSolver {
 public:
  ColumnSolver(const SolveProblem& problem, const VectorBlock& b, Index column)
      : problem_(problem),
        vectors_(problem.vectors),
        b_(vectors_.make(b.rows(), 1)),
        x_(vectors_.make(b.rows(), 1)),
        r_(vectors_.make(b.rows(), 1)),
        best_(vectors_.make(b.rows(), 1)) {
    vectors_.copy_column(b, column, *b_, 0);
  }

  int run(VectorBlock& x, Index column) {
    vectors_.copy_column(x, column, *x_, 0);
    double error = measure();
    if (!std::isfinite(error)) {
      // A start that overflowed is no start: begin at zero.
      vectors_.set_to_zero(*x_);
      error = measure();
    }
    int iterations = 0;
    for (int cycle = 0; cycle < max_cycles && error > converged; ++cycle) {
      vectors_.copy(*x_, *best_);
      iterations += run_cycle();
      const double next = measure();
      if (!(next < error)) {
        vectors_.copy(*best_, *x_);
        break;
      }
      const bool slow = next > 0.5 * error;
      error = next;
      if (slow) break;
    }
    vectors_.copy_column(*x_, 0, x, column);
    return iterations;
  }

 private:
  double measure() { return find_residual(problem_, *x_, *b_, *r_); }

  VectorBlock& slot(std::vector<std::unique_ptr<VectorBlock>>& basis, std::size_t k) {
    while (basis.size() <= k) basis.push_back(vectors_.make(b_->rows(), 1));
    return *basis[k];
  }

  // Arnoldi with modified Gram-Schmidt from the residual in r_; adds the correction to x_.
  int run_cycle() {
    const double beta = std::sqrt(vectors_.dot(*r_, *r_));
    if (!(beta > 0) || !std::isfinite(beta)) return 0;
    VectorBlock& first = slot(basis_, 0);
    vectors_.copy(*r_, first);
    vectors_.scale(1 / beta, first);
    HessenbergLeastSquares small(beta);
    int steps = 0;
    for (int k = 0; k < restart; ++k) {
      const auto column = arnoldi_step(static_cast<std::size_t>(k));
      if (column.empty()) break;
      const double next = column.back();
      const double residual = small.add_column(column);
      ++steps;
      if (residual <= converged * beta || next == 0) break;
    }
    const std::vector<double> y = small.solve();
    for (std::size_t k = 0; k < y.size(); ++k) vectors_.add_scaled(y[k], *preconditioned_[k], *x_);
    return steps;
  }

  // The k-th column of the Hessenberg matrix, k + 2 long; empty where the factors gave no finite
  // direction.
  std::vector<double> arnoldi_step(std::size_t k) {
    VectorBlock& z = slot(preconditioned_, k);
    apply_factors(problem_, *basis_[k], z);
    VectorBlock& w = slot(basis_, k + 1);
    multiply(problem_, z, w);
    std::vector<double> column(k + 2);
    for (std::size_t i = 0; i <= k; ++i) {
      column[i] = vectors_.dot(*basis_[i], w);
      vectors_.add_scaled(-column[i], *basis_[i], w);
    }
    column[k + 1] = std::sqrt(vectors_.dot(w, w));
    for (const double entry : column) {
      if (!std::isfinite(entry)) return {};
    }
    if (column[k + 1] > 0) vectors_.scale(1 / column[k + 1], w);
    return column;
  }

  const SolveProblem& problem_;
  VectorBackend& vectors_;
  std::unique_ptr<VectorBlock> b_, x_, r_, best_;
  std::vector<std::unique_ptr<VectorBlock>> basis_, preconditioned_;
};

}  // namespace

int fgmres(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x) {
  int iterations = 0;
  for (Index column = 0; column < b.columns(); ++column) {
    iterations += ColumnSolver(problem, b, column).run(x, column);
  }
  return iterations;
}

}  // namespace lufact
