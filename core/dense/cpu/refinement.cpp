// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

using Vector = std::vector<double>;

constexpr int most_steps = 30, most_corrections = 10, most_iterations = 50;
constexpr double enough_of_a_correction = 1e-4;  // GMRES: of the preconditioned residual
constexpr Index block_rows = 256;                // that a thread takes at a time

double max_norm(const double* x, Index n) {
  double norm = 0;
  for (Index i = 0; i < n; ++i) {
    if (!(std::abs(x[i]) <= norm)) norm = std::abs(x[i]);
  }
  return norm;
}

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

class Operator {
 public:
  Operator(const RefinedSystem& system, int threads) : system_(system), threads_(threads) {
    const Vector ones(at(system.n), 1.0);
    Vector sums(at(system.n));
    for_rows([&](Index begin, Index end) {
      for (Index k = 0; k < system_.n; ++k) {
        const double* const column = system_.a + k * system_.ld;
        for (Index i = begin; i < end; ++i) sums[at(i)] += std::abs(column[i]);
      }
    });
    norm_ = max_norm(sums.data(), system.n);
  }

  // y := b - A x, or A x where b is null.
  void residual(const double* b, const double* x, double* y) const {
    for_rows([&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) y[i] = b == nullptr ? 0 : b[i];
      const double sign = b == nullptr ? 1 : -1;
      for (Index k = 0; k < system_.n; ++k) {
        const double* const column = system_.a + k * system_.ld;
        const double factor = sign * x[k];
        for (Index i = begin; i < end; ++i) y[i] += column[i] * factor;
      }
    });
  }
  double norm() const noexcept { return norm_; }

 private:
  template <class Body>
  void for_rows(const Body& body) const {
    const Offset blocks = (Offset{system_.n} + block_rows - 1) / block_rows;
    parallel_for(blocks, threads_, [&](Offset block) {
      const auto begin = static_cast<Index>(block * block_rows);
      body(begin, std::min(system_.n, begin + block_rows));
    });
  }

  const RefinedSystem& system_;
  const int threads_;
  double norm_ = 0;
};

// One right-hand side with its solution so far.
struct Column {
  Vector b, x, residual;
  double error = std::numeric_limits<double>::infinity();
  bool stagnant = false;
};

// GMRES for M^-1 A d = M^-1 r, M = LU in double arithmetic (Saad and Schultz 1986), by modified
// Gram-Schmidt.
class PreconditionedGmres {
 public:
  PreconditionedGmres(const Operator& a, HostLu<double>& factors, Index n)
      : a_(a), factors_(factors), n_(n) {}

  // Adds the correction for `residual` to x.
  void correct(const Vector& residual, Vector& x) {
    start(residual);
    int k = 0;
    while (k < most_iterations && std::abs(right_[at(k)]) > enough_of_a_correction * size_) {
      if (!iterate(k++)) break;
    }
    add_solution(k, x);
  }

 private:
  void start(const Vector& residual) {
    Vector first = residual;
    factors_.solve(first.data(), n_, 1);
    size_ = std::sqrt(dot(first, first));
    right_.assign(at(most_iterations) + 1, 0.0);
    right_[0] = size_;
    basis_.clear();
    hessenberg_.clear();
    rotations_.clear();
    if (size_ > 0) {
      for (double& value : first) value /= size_;
    }
    basis_.push_back(std::move(first));
  }

  // False where the space is exhausted.
  bool iterate(int k) {
    Vector next(at(n_));
    a_.residual(nullptr, basis_[at(k)].data(), next.data());
    factors_.solve(next.data(), n_, 1);
    Vector h(at(k) + 2);
    for (int j = 0; j <= k; ++j) {
      h[at(j)] = dot(next, basis_[at(j)]);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= h[at(j)] * basis_[at(j)][i];
    }
    const double left = std::sqrt(dot(next, next));
    h[at(k) + 1] = left;
    rotate(h, k);
    hessenberg_.push_back(std::move(h));
    if (!(left > 0) || !std::isfinite(left)) return false;
    for (double& value : next) value /= left;
    basis_.push_back(std::move(next));
    return true;
  }

  // Givens rotations keep the Hessenberg matrix triangular.
  void rotate(Vector& h, int k) {
    for (int j = 0; j < k; ++j) {
      const auto [c, s] = rotations_[at(j)];
      const double above = c * h[at(j)] + s * h[at(j) + 1];
      h[at(j) + 1] = -s * h[at(j)] + c * h[at(j) + 1];
      h[at(j)] = above;
    }
    const double length = std::hypot(h[at(k)], h[at(k) + 1]);
    const double c = length > 0 ? h[at(k)] / length : 1, s = length > 0 ? h[at(k) + 1] / length : 0;
    rotations_.push_back({c, s});
    h[at(k)] = length;
    h[at(k) + 1] = 0;
    right_[at(k) + 1] = -s * right_[at(k)];
    right_[at(k)] *= c;
  }

  void add_solution(int k, Vector& x) {
    Vector y(right_.begin(), right_.begin() + k);
    for (int j = k - 1; j >= 0; --j) {
      for (int i = j + 1; i < k; ++i) y[at(j)] -= hessenberg_[at(i)][at(j)] * y[at(i)];
      y[at(j)] /= hessenberg_[at(j)][at(j)];
    }
    for (int j = 0; j < k; ++j) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[at(j)] * basis_[at(j)][i];
    }
  }

  struct Rotation {
    double c, s;
  };

  const Operator& a_;
  HostLu<double>& factors_;
  const Index n_;
  double size_ = 0;
  Vector right_;
  std::vector<Vector> basis_, hessenberg_;
  std::vector<Rotation> rotations_;
};

class Refinement {
 public:
  Refinement(HostLu<float>& factors, const RefinedSystem& system, int threads)
      : factors_(factors), system_(system), a_(system, threads), threads_(threads) {
    target_ = 2 * std::sqrt(system.n) * std::numeric_limits<double>::epsilon();
    for (Index c = 0; c < system.columns; ++c) {
      const double* const b = system.b + Offset{c} * system.n;
      columns_.push_back({Vector(b, b + system.n), Vector(at(system.n), 0.0), {}});
      columns_.back().residual = columns_.back().b;
    }
  }

  RefinementRecord run() {
    record_.method = "classical";
    for (int step = 0; step <= most_steps && classical_step(); ++step) {
      record_.steps = step;
      add_history();
    }
    if (std::ranges::any_of(columns_, [](const Column& c) { return c.stagnant; })) correct_all();
    for (Index c = 0; c < system_.columns; ++c) {
      std::ranges::copy(columns_[at(c)].x, system_.b + Offset{c} * system_.n);
    }
    return std::move(record_);
  }

 private:
  bool is_open(const Column& column) const {
    return !column.stagnant && !(column.error <= target_);
  }

  // One more correction of every column that needs it, all at once; false where none does.
  bool classical_step() {
    std::vector<Column*> open;
    for (Column& column : columns_) {
      if (is_open(column)) open.push_back(&column);
    }
    if (open.empty()) return false;
    std::vector<float> corrections(at(Offset{system_.n} * static_cast<Offset>(open.size())));
    std::vector<double> sizes;
    float* to = corrections.data();
    for (const Column* column : open) {
      const double size = max_norm(column->residual.data(), system_.n);
      sizes.push_back(size > 0 && std::isfinite(size) ? size : 1);
      for (const double value : column->residual) *to++ = static_cast<float>(value / sizes.back());
    }
    factors_.solve(corrections.data(), system_.n, static_cast<Index>(open.size()));
    const float* from = corrections.data();
    for (std::size_t c = 0; c < open.size(); ++c) {
      Vector x = open[c]->x;
      for (double& value : x) value += double{*from++} * sizes[c];
      take_if_better(*open[c], std::move(x));
    }
    return true;
  }

  // A solution that does not halve the error ends the steps of its kind.
  void take_if_better(Column& column, Vector x) {
    Vector residual(at(system_.n));
    a_.residual(column.b.data(), x.data(), residual.data());
    const double size =
        a_.norm() * max_norm(x.data(), system_.n) + max_norm(column.b.data(), system_.n);
    const double left = max_norm(residual.data(), system_.n);
    const double error = left == 0 ? 0 : left / size;
    column.stagnant = !(error <= column.error / 2) && !(error <= target_);
    if (!(error < column.error)) return;
    column.x = std::move(x);
    column.residual = std::move(residual);
    column.error = error;
  }

  void correct_all() {
    if (!factors_.finite()) return;
    record_.method = "gmres";
    HostLu<double> in_double(system_.n, system_.n, factors_.pivoting(), block, threads_);
    in_double.take_factors(factors_);
    PreconditionedGmres gmres(a_, in_double, system_.n);
    for (Column& column : columns_) column.stagnant = false;
    for (int correction = 0; correction < most_corrections; ++correction) {
      bool any = false;
      for (Column& column : columns_) {
        if (!is_open(column)) continue;
        Vector x = column.x;
        gmres.correct(column.residual, x);
        take_if_better(column, std::move(x));
        any = true;
      }
      if (!any) return;
      ++record_.steps;
      add_history();
    }
  }

  void add_history() {
    double worst = 0;
    for (const Column& column : columns_) worst = std::max(worst, column.error);
    record_.history.push_back(worst);
  }

  static constexpr Index block = 64;
  HostLu<float>& factors_;
  const RefinedSystem& system_;
  const Operator a_;
  const int threads_;
  double target_ = 0;
  std::vector<Column> columns_;
  RefinementRecord record_;
};

}  // namespace

RefinementRecord solve_refined(HostLu<float>& factors, const RefinedSystem& system, int threads) {
  return Refinement(factors, system, threads).run();
}

}  // namespace lufact
