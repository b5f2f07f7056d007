// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/host_batch_arrays.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/array/guarded_array.hpp"
#include "core/array/strided_matrix.hpp"
#include "core/batch/result_hash.hpp"
#include "core/matrix/parallel.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact {
namespace {

constexpr Offset chunk_matrices = 1024;  // that a thread takes at a time

// `entries` of each of `count` matrices.
Offset checked_entries(Offset count, Offset entries, std::size_t size) {
  return static_cast<Offset>(checked_bytes(count, at(entries) * size) / size);
}

// Entry (i, j) of matrix k in double, before it is rounded to the precision of the run.
double group_entry(const BatchGroup& group, Offset k, Index i, Index j) {
  if (group.kind) return batch_entry(*group.kind, group.seed, group.n, k, i, j);
  const GivenMatrices& given = *group.given;
  const Offset source = k % given.count;
  const double value = given.values[at((source * group.n + j) * group.n + i)];
  if (k < given.count) return value;
  return value * batch_repeat_factor(group.seed, group.n, k, i, j);
}

std::vector<Offset> shuffled(Offset count, std::uint64_t seed) {
  std::vector<Offset> order(at(count));
  std::iota(order.begin(), order.end(), Offset{0});
  for (Offset k = count - 1; k > 0; --k) {
    const std::uint64_t bits = hash64(seed, static_cast<std::uint64_t>(k), 0x706f696e746572);
    std::swap(order[at(k)], order[bits % static_cast<std::uint64_t>(k + 1)]);
  }
  return order;
}

// Storage of `count` matrices in one of the layouts.
template <class Real>
class StoredMatrices {
 public:
  StoredMatrices() = default;
  StoredMatrices(ArrayLayout layout, Index rows, Index columns, Index ld, Offset count,
                 const HostBatchOptions& options, std::uint64_t seed)
      : rows_(rows), map_{nullptr, layout, columns, ld, count} {
    const bool apart = layout == ArrayLayout::pointers;
    slot_ = Offset{ld} * columns + (apart ? options.guard : 0);
    entries_ = GuardedArray<Real>(checked_entries(count, slot_, sizeof(Real)), options.guard,
                                  options.memory);
    map_.base = entries_.data();
    if (!apart) return;
    for (const Offset place : shuffled(count, seed)) {
      addresses_.push_back(entries_.data() + place * slot_);
    }
    map_.base = addresses_.data();
  }

  void* base() noexcept { return map_.base; }
  StridedMatrix<Real> operator[](Offset k) const noexcept { return map_[k]; }
  Offset count() const noexcept { return map_.count; }
  std::uint64_t bytes() const noexcept {
    return entries_.bytes() + addresses_.size() * sizeof(Real*);
  }

  void overwrite(int threads) {
    constexpr Offset step = 1 << 16;
    parallel_for((entries_.size() + step - 1) / step, threads, [&](Offset part) {
      const Offset end = std::min(entries_.size(), (part + 1) * step);
      std::fill(entries_.data() + part * step, entries_.data() + end, guard_value<Real>);
    });
  }

  // Matrices [begin, end) from packed ones.
  void fill(Offset begin, Offset end, const Real* packed) {
    if (map_.layout != ArrayLayout::interleaved) {
      for (Offset k = begin; k < end; ++k) fill_one(k, packed);
      return;
    }
    constexpr Offset some = 32;  // a stretch of equal entries side by side
    for (Offset k = begin; k < end; k += some) {
      fill_side_by_side(k, std::min(end, k + some), packed);
    }
  }

  bool guards_intact() const {
    if (!entries_.guards_intact()) return false;
    for (Offset p = 0; p < entries_.size(); ++p) {
      if (is_padding(p) && entries_.data()[p] != guard_value<Real>) return false;
    }
    return true;
  }

 private:
  void fill_one(Offset k, const Real* packed) {
    const StridedMatrix<Real> matrix = map_[k];
    const Real* from = packed + k * rows_ * map_.columns;
    for (Index j = 0; j < map_.columns; ++j, from += rows_) {
      std::copy_n(from, rows_, &matrix(0, j));
    }
  }

  void fill_side_by_side(Offset begin, Offset end, const Real* packed) {
    const StridedMatrix<Real> first = map_[begin];
    const Offset size = Offset{rows_} * map_.columns;
    for (Index j = 0; j < map_.columns; ++j) {
      for (Index i = 0; i < rows_; ++i) {
        const Real* const from = packed + begin * size + Offset{j} * rows_ + i;
        Real* const to = &first(i, j);
        for (Offset k = 0; k < end - begin; ++k) to[k] = from[k * size];
      }
    }
  }

  // Whether no entry of a matrix is at `place` of the storage.
  bool is_padding(Offset place) const noexcept {
    if (map_.layout == ArrayLayout::interleaved) return place / map_.count % map_.ld >= rows_;
    const Offset in_slot = place % slot_;
    return in_slot >= Offset{map_.ld} * map_.columns || in_slot % map_.ld >= rows_;
  }

  Index rows_ = 1;
  Offset slot_ = 1;  // entries from one matrix to the next; not of interleaved ones
  MatrixArray<Real> map_{nullptr, ArrayLayout::contiguous, 1, 1, 0};
  GuardedArray<Real> entries_;
  std::vector<Real*> addresses_;
};

template <class Real>
class TypedBatchArrays final : public HostBatchArrays {
 public:
  TypedBatchArrays(const ArrayProblem& problem, const BatchGroup& group,
                   const HostBatchOptions& options)
      : problem_(problem), group_(group), threads_(options.threads) {
    const Index n = problem.rows;
    const auto stored = [&](Index columns, Index ld, std::uint64_t salt) {
      return StoredMatrices<Real>(problem.layout, n, columns, ld, problem.count, options,
                                  group.seed + salt);
    };
    given_a_.resize(at(checked_entries(problem.count, Offset{n} * n, sizeof(Real))));
    given_b_.resize(at(checked_entries(problem.count, Offset{n} * problem.rhs, sizeof(Real))));
    a_ = stored(n, problem.ld, 0);
    if (!problem.in_place) result_ = stored(n, problem.ld, 1);
    if (problem.operation == ArrayOperation::solve) b_ = stored(problem.rhs, n, 2);
    if (problem.pivoting == ArrayPivoting::partial) {
      const Offset pivots = checked_entries(problem.count, n, sizeof(std::int32_t));
      pivots_ = GuardedArray<std::int32_t>(pivots, options.guard, options.memory);
    }
    info_ = GuardedArray<std::int32_t>(problem.count, options.guard, options.memory);
    make_input();
  }

  const ArrayProblem& problem() const noexcept override { return problem_; }

  void restore() override {
    a_.overwrite(threads_);
    result_.overwrite(threads_);
    b_.overwrite(threads_);
    for_chunks([&](Offset begin, Offset end) {
      a_.fill(begin, end, given_a_.data());
      if (problem_.rhs > 0) b_.fill(begin, end, given_b_.data());
    });
    std::fill_n(pivots_.data(), pivots_.size(), guard_value<std::int32_t>);
    std::fill_n(info_.data(), info_.size(), guard_value<std::int32_t>);
  }

  ArrayOperands operands() noexcept override {
    return {.a = a_.base(),
            .result = problem_.in_place ? a_.base() : result_.base(),
            .b = b_.base(),
            .pivots = pivots_.data(),
            .info = info_.data()};
  }

  BatchCheck check(const BatchCheckRequest& request) override {
    const BatchSample sample(group_.seed, problem_.count, request.host_sample);
    std::vector<BatchCheck> parts(at((problem_.count + chunk_matrices - 1) / chunk_matrices));
    for_chunks([&](Offset begin, Offset end) {
      BatchCheck& part = parts[at(begin / chunk_matrices)];
      for (Offset k = begin; k < end; ++k) {
        const bool replay = sample.contains(k) || info_.data()[k] > 0;
        add_verdict(part, k, info_.data()[k], verdict(k, request, replay));
      }
    });
    BatchCheck all;
    for (const BatchCheck& part : parts) add_check(all, part);
    return all;
  }

  void pack_results(std::span<const Offset> matrices, ResultPart part,
                    PackedResults& results) const override {
    results.values.clear();
    results.pivots.clear();
    results.info.clear();
    for (const Offset matrix : matrices) {
      if (part != ResultPart::pivots) add_values(matrix, results.values);
      if (part != ResultPart::values) add_pivots(matrix, results.pivots);
      if (part == ResultPart::all) results.info.push_back(info_.data()[matrix]);
    }
  }

  std::string values_sha256() const override { return lufact::values_sha256(*this, hashed()); }
  std::string pivots_sha256() const override { return lufact::pivots_sha256(*this, hashed()); }

  std::uint64_t bytes() const noexcept override {
    return (given_a_.size() + given_b_.size()) * sizeof(Real) + a_.bytes() + result_.bytes() +
           b_.bytes() + pivots_.bytes() + info_.bytes();
  }

  bool only_results_written() const override {
    return a_.guards_intact() && result_.guards_intact() && b_.guards_intact() &&
           pivots_.guards_intact() && info_.guards_intact() && (problem_.in_place || a_is_given());
  }

 private:
  template <class Body>
  void for_chunks(const Body& body) const {
    const Offset chunks = (problem_.count + chunk_matrices - 1) / chunk_matrices;
    parallel_for(chunks, threads_, [&](Offset chunk) {
      const Offset begin = chunk * chunk_matrices;
      body(begin, std::min(problem_.count, begin + chunk_matrices));
    });
  }

  void make_input() {
    const Index n = problem_.rows;
    for_chunks([&](Offset begin, Offset end) {
      Real* a = given_a_.data() + begin * n * n;
      Real* b = given_b_.data() + begin * n * problem_.rhs;
      for (Offset k = begin; k < end; ++k) {
        for (Index j = 0; j < n; ++j) {
          for (Index i = 0; i < n; ++i) *a++ = static_cast<Real>(group_entry(group_, k, i, j));
        }
        for (Index c = 0; c < problem_.rhs; ++c) {
          for (Index i = 0; i < n; ++i) {
            *b++ = static_cast<Real>(batch_rhs_entry(group_.seed, n, k, i, c));
          }
        }
      }
    });
  }

  const StoredMatrices<Real>& stored_results() const noexcept {
    if (problem_.operation == ArrayOperation::solve) return b_;
    return problem_.in_place ? a_ : result_;
  }

  Index result_columns() const noexcept {
    return problem_.operation == ArrayOperation::solve ? problem_.rhs : problem_.columns;
  }

  void add_values(Offset matrix, std::vector<double>& all) const {
    const StridedMatrix<Real> result = stored_results()[matrix];
    for (Index j = 0; j < result_columns(); ++j) {
      for (Index i = 0; i < problem_.rows; ++i) all.push_back(double{result(i, j)});
    }
  }

  void add_pivots(Offset matrix, std::vector<std::int32_t>& all) const {
    if (pivots_.size() == 0) return;
    const std::int32_t* const first = pivots_.data() + matrix * problem_.rows;
    all.insert(all.end(), first, first + problem_.rows);
  }

  static std::vector<double> packed(const RawVector<Real>& given, Offset k, Offset size) {
    return {given.begin() + k * size, given.begin() + (k + 1) * size};
  }

  MatrixVerdict verdict(Offset k, const BatchCheckRequest& request, bool replay) const {
    const Index n = problem_.rows;
    const std::vector<double> a = packed(given_a_, k, Offset{n} * n);
    const std::vector<double> b = packed(given_b_, k, Offset{n} * problem_.rhs);
    PackedResults made;
    pack_results({&k, 1}, ResultPart::all, made);
    std::span<const std::int32_t> pivots;
    if (request.has_pivots) pivots = made.pivots;
    return validate_matrix({.operation = problem_.operation,
                            .precision = problem_.precision,
                            .n = n,
                            .rhs = problem_.rhs,
                            .a = a,
                            .b = b,
                            .result = made.values,
                            .pivots = pivots,
                            .info = made.info.front()},
                           replay, request.own_result);
  }

  // Bits, since NaN does not equal itself.
  bool a_is_given() const {
    const Index n = problem_.rows;
    const Real* given = given_a_.data();
    for (Offset k = 0; k < problem_.count; ++k) {
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
          const Real now = a_[k](i, j), before = *given++;
          if (now != before && (now == now || before == before)) return false;
        }
      }
    }
    return true;
  }

  BatchSample hashed() const noexcept { return {group_.seed, problem_.count, hashed_matrices}; }

  ArrayProblem problem_;
  BatchGroup group_;
  int threads_;
  RawVector<Real> given_a_, given_b_;  // without padding, matrix after matrix
  StoredMatrices<Real> a_, result_, b_;
  GuardedArray<std::int32_t> pivots_, info_;
};

}  // namespace

std::unique_ptr<HostBatchArrays> make_host_batch_arrays(const ArrayProblem& problem,
                                                        const BatchGroup& group,
                                                        const HostBatchOptions& options) {
  if (problem.rows != problem.columns || problem.rows != group.n || problem.count != group.count ||
      problem.ld < problem.rows || problem.count < 1) {
    throw std::invalid_argument("arrays of a batch: the problem does not fit the group");
  }
  if (problem.precision == Precision::float32) {
    return std::make_unique<TypedBatchArrays<float>>(problem, group, options);
  }
  return std::make_unique<TypedBatchArrays<double>>(problem, group, options);
}

}  // namespace lufact
