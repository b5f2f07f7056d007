// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/host_dense_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "core/array/guarded_array.hpp"
#include "core/base/memory_limit.hpp"
#include "core/base/sha256.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

std::size_t entry_bytes(const ArrayProblem& problem) {
  return problem.precision == Precision::float64 ? sizeof(double) : sizeof(float);
}

// Columns of `rows` entries, `ld` apart, between guards.
template <class Real>
class StoredColumns {
 public:
  StoredColumns() = default;
  StoredColumns(Index rows, Index columns, Index ld, const HostDenseOptions& options)
      : rows_(rows), columns_(columns), ld_(ld), threads_(options.threads) {
    const Offset entries = Offset{ld} * columns;
    given_.resize(checked_bytes(Offset{rows} * columns, sizeof(Real)) / sizeof(Real));
    entries_ = GuardedArray<Real>(entries, options.guard, options.memory);
  }

  // make(j, to) writes column j in double.
  template <class Make>
  void fill(const Make& make) {
    for_columns([&](Index j) {
      std::vector<double> column(at(rows_));
      make(j, column.data());
      std::ranges::transform(column, given_.begin() + Offset{j} * rows_,
                             [](double value) { return static_cast<Real>(value); });
    });
  }

  void restore() {
    for_columns([&](Index j) {
      Real* const column = entries_.data() + Offset{j} * ld_;
      std::copy_n(given_.begin() + Offset{j} * rows_, rows_, column);
      std::fill(column + rows_, column + ld_, guard_value<Real>);
    });
  }

  bool guards_intact() const {
    if (!entries_.guards_intact()) return false;
    for (Index j = 0; j < columns_; ++j) {
      const Real* const column = entries_.data() + Offset{j} * ld_;
      const auto intact = [](Real value) { return value == guard_value<Real>; };
      if (!std::all_of(column + rows_, column + ld_, intact)) return false;
    }
    return true;
  }

  Real* data() noexcept { return entries_.data(); }
  DenseView<Real> given() const { return {given_.data(), rows_, columns_, rows_}; }
  DenseView<Real> now() const { return {entries_.data(), rows_, columns_, ld_}; }
  std::uint64_t bytes() const noexcept { return entries_.bytes() + given_.size() * sizeof(Real); }

 private:
  template <class Body>
  void for_columns(const Body& body) const {
    const Offset some = std::max<Offset>(1, (Offset{1} << 16) / std::max(1, rows_));
    parallel_for((columns_ + some - 1) / some, threads_, [&](Offset part) {
      const Offset end = std::min<Offset>(columns_, (part + 1) * some);
      for (Offset j = part * some; j < end; ++j) body(static_cast<Index>(j));
    });
  }

  Index rows_ = 0, columns_ = 0, ld_ = 0;
  int threads_ = 1;
  RawVector<Real> given_;  // without padding
  GuardedArray<Real> entries_;
};

template <class Real>
class TypedDenseArrays final : public HostDenseArrays {
 public:
  TypedDenseArrays(const ArrayProblem& problem, const DenseMatrixSource& source,
                   const HostDenseOptions& options)
      : problem_(problem), a_(problem.rows, problem.columns, problem.ld, options) {
    a_.fill([&](Index j, double* to) { source.column(j, to); });
    if (problem.operation == ArrayOperation::solve) {
      b_ = StoredColumns<Real>(problem.rows, problem.rhs, problem.rows, options);
      b_.fill([&](Index c, double* to) {
        for (Index i = 0; i < problem.rows; ++i) to[i] = dense_rhs_entry(source.seed(), i, c);
      });
    }
    if (problem.pivoting == ArrayPivoting::partial) {
      pivots_ = GuardedArray<std::int32_t>(problem.order(), options.guard, options.memory);
    }
    info_ = GuardedArray<std::int32_t>(1, options.guard, options.memory);
  }

  const ArrayProblem& problem() const noexcept override { return problem_; }

  void restore() override {
    a_.restore();
    b_.restore();
    std::fill_n(pivots_.data(), pivots_.size(), guard_value<std::int32_t>);
    std::fill_n(info_.data(), info_.size(), guard_value<std::int32_t>);
  }

  ArrayOperands operands() noexcept override {
    return {.a = a_.data(),
            .result = a_.data(),
            .b = b_.data(),
            .pivots = pivots_.data(),
            .info = info_.data()};
  }

  DenseCheck check(const DenseCheckRequest& request) override {
    if (problem_.operation == ArrayOperation::solve) {
      return validate_dense_solution(a_.given(), b_.given(), b_.now(), info(), request);
    }
    std::span<const std::int32_t> pivots;
    if (request.has_pivots) pivots = {pivots_.data(), at(pivots_.size())};
    return validate_dense_lu(a_.given(), a_.now(), pivots, info(), request);
  }

  std::vector<double> result_column(Index j) const override {
    const DenseView<Real> view = results();
    std::vector<double> column(at(view.rows));
    for (Index i = 0; i < view.rows; ++i) column[at(i)] = view(i, j);
    return column;
  }

  std::vector<std::int32_t> pivots() const override {
    return {pivots_.data(), pivots_.data() + pivots_.size()};
  }
  std::int32_t info() const override { return *info_.data(); }

  std::string values_sha256() const override {
    Sha256 hash;
    const Index columns = results().columns;
    for (Index j = 0; j < columns; ++j) {
      std::vector<double> column = result_column(j);
      for (double& value : column) {
        if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
      }
      hash.update(std::span<const double>(column));
    }
    return hash.finish();
  }

  std::string pivots_sha256() const override {
    Sha256 hash;
    hash.update(std::span<const std::int32_t>(pivots_.data(), at(pivots_.size())));
    return hash.finish();
  }

  std::uint64_t bytes() const noexcept override {
    return a_.bytes() + b_.bytes() + pivots_.bytes() + info_.bytes();
  }

  bool only_results_written() const override {
    return a_.guards_intact() && b_.guards_intact() && pivots_.guards_intact() &&
           info_.guards_intact();
  }

 private:
  DenseView<Real> results() const {
    return problem_.operation == ArrayOperation::solve ? b_.now() : a_.now();
  }

  const ArrayProblem problem_;
  StoredColumns<Real> a_, b_;
  GuardedArray<std::int32_t> pivots_, info_;
};

void require_fit(const ArrayProblem& problem, const DenseMatrixSource& source) {
  const bool fits = problem.count == 1 && problem.layout == ArrayLayout::contiguous &&
                    problem.in_place && problem.rows == source.m() &&
                    problem.columns == source.n() && problem.ld >= problem.rows &&
                    problem.operation != ArrayOperation::inverse &&
                    (problem.operation != ArrayOperation::solve || problem.rows == problem.columns);
  if (!fits) throw std::invalid_argument("the problem does not fit the matrix");
}

void require_memory(const ArrayProblem& problem) {
  const std::uint64_t need = host_dense_bytes(problem);
  const std::uint64_t has = usable_memory();
  if (has == 0 || need <= has) return;
  throw Error(
      Outcome::oom_host, "host_memory",
      fmt::format("a matrix of {} x {} with its copy and right-hand sides needs {}; {} can "
                  "be used here",
                  problem.rows, problem.columns, format_byte_size(need), format_byte_size(has)));
}

}  // namespace

std::uint64_t host_dense_bytes(const ArrayProblem& problem) {
  const std::size_t size = entry_bytes(problem);
  const std::uint64_t matrices = checked_bytes(Offset{problem.ld} * problem.columns, 2 * size);
  const std::uint64_t vectors = checked_bytes(Offset{problem.rows} * problem.rhs, 2 * size);
  return matrices + vectors;
}

std::unique_ptr<HostDenseArrays> make_host_dense_arrays(const ArrayProblem& problem,
                                                        const DenseMatrixSource& source,
                                                        const HostDenseOptions& options) {
  require_fit(problem, source);
  require_memory(problem);
  if (problem.precision == Precision::float32) {
    return std::make_unique<TypedDenseArrays<float>>(problem, source, options);
  }
  return std::make_unique<TypedDenseArrays<double>>(problem, source, options);
}

}  // namespace lufact
