// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/cpu/host_refined_columns.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/dense/refinement.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

using Vector = std::vector<double>;

constexpr Index block_rows = 256;  // that a thread takes at a time

double max_norm(const Vector& x) {
  double norm = 0;
  for (const double value : x) {
    if (!(std::abs(value) <= norm)) norm = std::abs(value);
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
    Vector sums(at(system.n));
    for_rows([&](Index begin, Index end) {
      for (Index k = 0; k < system_.n; ++k) {
        const double* const column = system_.a + k * system_.ld;
        for (Index i = begin; i < end; ++i) sums[at(i)] += std::abs(column[i]);
      }
    });
    norm_ = max_norm(sums);
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

class HostRefinedColumns final : public RefinedColumns {
 public:
  HostRefinedColumns(HostLu<float>& factors, const RefinedSystem& system, int threads)
      : factors_(factors), system_(system), a_(system, threads), threads_(threads) {
    for (Index c = 0; c < system.columns; ++c) {
      const double* const b = system.b + Offset{c} * system.n;
      Column column{.b = Vector(b, b + system.n)};
      column.now = {.x = Vector(at(system.n)), .residual = column.b};
      columns_.push_back(std::move(column));
    }
  }

  Index order() const override { return system_.n; }
  Index columns() const override { return system_.columns; }
  double matrix_norm() const override { return a_.norm(); }
  std::vector<double> right_hand_sides() override {
    std::vector<double> sizes;
    for (const Column& column : columns_) sizes.push_back(max_norm(column.b));
    return sizes;
  }

  std::vector<RefinedSizes> correct(std::span<const Index> open) override {
    std::vector<float> corrections(at(Offset{system_.n} * static_cast<Offset>(open.size())));
    std::vector<double> scales;
    float* to = corrections.data();
    for (const Index c : open) {
      const Vector& residual = columns_[at(c)].now.residual;
      const double size = max_norm(residual);
      scales.push_back(size > 0 && std::isfinite(size) ? size : 1);
      for (const double value : residual) *to++ = static_cast<float>(value / scales.back());
    }
    factors_.solve(corrections.data(), system_.n, static_cast<Index>(open.size()));
    const float* from = corrections.data();
    std::vector<RefinedSizes> sizes;
    for (std::size_t k = 0; k < open.size(); ++k) {
      Column& column = columns_[at(open[k])];
      column.candidate.x = column.now.x;
      for (double& value : column.candidate.x) value += double{*from++} * scales[k];
      sizes.push_back(measure(column));
    }
    return sizes;
  }
  void take(Index column) override { columns_[at(column)].now = columns_[at(column)].candidate; }

  bool open_krylov(int) override {
    if (!factors_.finite()) return false;
    in_double_.emplace(system_.n, system_.n, factors_.pivoting(), block, threads_);
    in_double_->take_factors(factors_);
    return true;
  }
  double start_krylov(Index column) override {
    basis_.clear();
    Vector first = columns_[at(column)].now.residual;
    in_double_->solve(first.data(), system_.n, 1);
    const double size = std::sqrt(dot(first, first));
    add_vector(std::move(first), size);
    return size;
  }
  // Modified Gram-Schmidt.
  std::vector<double> extend_krylov(int k) override {
    Vector next(at(system_.n)), h;
    a_.residual(nullptr, basis_[at(k)].data(), next.data());
    in_double_->solve(next.data(), system_.n, 1);
    for (const Vector& vector : basis_) {
      h.push_back(dot(next, vector));
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= h.back() * vector[i];
    }
    h.push_back(std::sqrt(dot(next, next)));
    add_vector(std::move(next), h.back());
    return h;
  }
  RefinedSizes combine_krylov(Index c, std::span<const double> factors) override {
    Column& column = columns_[at(c)];
    Vector& x = column.candidate.x;
    x = column.now.x;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += factors[j] * basis_[j][i];
    }
    return measure(column);
  }

  void write_solutions() const {
    for (Index c = 0; c < system_.columns; ++c) {
      std::ranges::copy(columns_[at(c)].now.x, system_.b + Offset{c} * system_.n);
    }
  }

 private:
  struct State {
    Vector x, residual;
  };
  struct Column {
    Vector b;
    State now{}, candidate{};
  };

  RefinedSizes measure(Column& column) const {
    State& state = column.candidate;
    state.residual.resize(at(system_.n));
    a_.residual(column.b.data(), state.x.data(), state.residual.data());
    return {max_norm(state.x), max_norm(state.residual)};
  }
  void add_vector(Vector vector, double length) {
    if (length > 0) {
      for (double& value : vector) value /= length;
    }
    basis_.push_back(std::move(vector));
  }

  static constexpr Index block = 64;
  HostLu<float>& factors_;
  const RefinedSystem& system_;
  const Operator a_;
  const int threads_;
  std::vector<Column> columns_;
  std::optional<HostLu<double>> in_double_;
  std::vector<Vector> basis_;
};

}  // namespace

RefinementRecord solve_refined(HostLu<float>& factors, const RefinedSystem& system, int threads) {
  HostRefinedColumns columns(factors, system, threads);
  RefinementRecord record = refine(columns);
  columns.write_solutions();
  return record;
}

}  // namespace lufact
