// SPDX-License-Identifier: BSD-3-Clause
// Named matrices with their host products, and their copies on the device, for the device tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/matrix/transfers.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu::testing_support {

using Entries = std::map<std::pair<Index, Index>, double>;

struct HostProblem {
  std::string name;
  PermutedMatrix matrix;
  ColumnPattern pattern;
};

// The diagonal is added where it is missing; the scalings are powers of two that vary. B is A.
inline HostProblem make_problem(std::string name, Index n, Entries entries) {
  HostProblem problem;
  problem.name = std::move(name);
  PermutedMatrix& b = problem.matrix;
  for (Index i = 0; i < n; ++i) entries.try_emplace({i, i}, 0.0);
  b.pattern.n_rows = b.pattern.n_cols = n;
  b.pattern.row_ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  std::vector<double> row_sums(static_cast<std::size_t>(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    b.row_scale.push_back(i % 3 == 0 ? 0.5 : 1.0);
    b.col_scale.push_back(i % 2 == 0 ? 2.0 : 1.0);
  }
  for (const auto& [place, value] : entries) {
    const auto row = static_cast<std::size_t>(place.first);
    const auto column = static_cast<std::size_t>(place.second);
    ++b.pattern.row_ptr[row + 1];
    b.pattern.col_idx.push_back(place.second);
    b.source.push_back(static_cast<Offset>(b.values.size()));
    b.values.push_back(value);
    row_sums[row] += std::abs(b.row_scale[row] * value * b.col_scale[column]);
  }
  for (std::size_t i = 0; i < row_sums.size(); ++i) {
    b.pattern.row_ptr[i + 1] += b.pattern.row_ptr[i];
    b.scaled_norm = std::max(b.scaled_norm, row_sums[i]);
  }
  problem.pattern = reference::row_merge(b.pattern);
  return problem;
}

// About `per_row` entries in each row, diagonally dominant.
inline Entries random_entries(Index n, int per_row, std::uint64_t seed, Index first = 0) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    entries[{first + i, first + i}] = 2.0 + per_row;
    for (int k = 0; k < per_row; ++k) {
      const std::uint64_t bits = hash64(seed, row, static_cast<std::uint64_t>(k));
      const auto column = static_cast<Index>(bits % static_cast<std::uint64_t>(n));
      if (column != i) entries[{first + i, first + column}] = symmetric_interval(mix64(bits));
    }
  }
  return entries;
}

inline HostProblem random_problem(Index n, int per_row = 3) {
  return make_problem("random" + std::to_string(n), n,
                      random_entries(n, per_row, static_cast<std::uint64_t>(n)));
}

// Dense row and column: at the end no fill, at the beginning everything fills.
inline HostProblem arrow_problem(Index n, bool at_end) {
  Entries entries;
  const Index tip = at_end ? n - 1 : 0;
  for (Index i = 0; i < n; ++i) {
    entries[{i, tip}] = entries[{tip, i}] = 0.25 + 0.001 * i;
    entries[{i, i}] = 2.0 + n * 0.3;
  }
  return make_problem(at_end ? "arrow_end" : "arrow_start", n, std::move(entries));
}

inline HostProblem dense_row_problem(Index n) {
  Entries entries = random_entries(n, 1, 7);
  for (Index j = 0; j < n; ++j) entries[{n / 2, j}] = 1.0 / (1 + j);
  entries[{n / 2, n / 2}] = 8;
  return make_problem("dense_row", n, std::move(entries));
}

// Every third diagonal entry is missing and filled in by its left neighbour.
inline HostProblem missing_diagonal_problem(Index n) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    if (i % 3 != 1) entries[{i, i}] = 4.0 + i % 5;
    if (i > 0) entries[{i - 1, i}] = entries[{i, i - 1}] = 1.5;
  }
  return make_problem("missing_diagonal", n, std::move(entries));
}

// Two pivots that are exactly zero when their turn comes: an empty row, and a singular block.
inline HostProblem zero_pivot_problem() {
  Entries entries = random_entries(40, 2, 11);
  entries[{40, 40}] = 0;
  entries[{41, 41}] = entries[{41, 42}] = entries[{42, 41}] = entries[{42, 42}] = 1;
  return make_problem("zero_pivot", 43, std::move(entries));
}

inline HostProblem disconnected_problem() {
  Entries entries = random_entries(50, 3, 5);
  entries.merge(random_entries(37, 2, 6, 60));
  return make_problem("disconnected", 100, std::move(entries));
}

// Two matrices that share nothing.
inline HostProblem side_by_side(const HostProblem& first, const HostProblem& second) {
  Entries entries;
  Index begin = 0;
  for (const HostProblem* problem : {&first, &second}) {
    const PermutedMatrix& matrix = problem->matrix;
    for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
      for (Offset p = matrix.pattern.row_ptr[i]; p < matrix.pattern.row_ptr[i + 1]; ++p) {
        entries[{begin + i, begin + matrix.pattern.col_idx[p]}] = matrix.values[at(p)];
      }
    }
    begin += matrix.pattern.n_rows;
  }
  return make_problem(first.name + " beside " + second.name, begin, std::move(entries));
}

inline HostProblem chain_problem(Index n) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    entries[{i, i}] = 3.0 + 0.01 * (i % 10);
    if (i > 0) entries[{i - 1, i}] = entries[{i, i - 1}] = -1.0;
  }
  return make_problem("chain", n, std::move(entries));
}

// A chain whose last row and column are dense: level i holds column i, which updates column i + 1
// and the last one.
inline HostProblem bordered_chain_problem(Index n) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) entries[{i - 1, i}] = entries[{i, i - 1}] = -1.0;
    entries[{i, n - 1}] = entries[{n - 1, i}] = 0.25;
    entries[{i, i}] = i < n - 1 ? 4.0 : n;
  }
  return make_problem("bordered_chain", n, std::move(entries));
}

inline HostProblem dense_problem(Index n) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      entries[{i, j}] = symmetric_interval(
          hash64(3, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
    }
    entries[{i, i}] = n;
  }
  return make_problem("dense", n, std::move(entries));
}

// `columns` independent columns, each coupled with a border of `width`: one level that is wide.
inline HostProblem bordered_problem(Index columns, Index width) {
  Entries entries;
  for (Index i = 0; i < columns; ++i) {
    entries[{i, i}] = 4.0 + i % 7;
    for (Index k = 0; k < width; ++k) {
      entries[{i, columns + k}] = 0.5 + 0.1 * k;
      entries[{columns + k, i}] = 0.3 - 0.05 * k;
    }
  }
  for (Index k = 0; k < width; ++k) entries[{columns + k, columns + k}] = columns;
  return make_problem("bordered", columns + width, std::move(entries));
}

// A pivot column of n - 1 entries below the diagonal with two sub-columns, which fill.
inline HostProblem tall_column_problem(Index n) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    entries[{i, i}] = 4.0 + i % 5;
    if (i > 0) entries[{i, 0}] = 0.5 + 0.001 * (i % 9);
  }
  for (const Index k : {n / 2, n - 1}) entries[{0, k}] = 0.75;
  return make_problem("tall_column" + std::to_string(n), n, std::move(entries));
}

// The same by rows: a pivot column of two entries with n - 1 sub-columns.
inline HostProblem wide_row_problem(Index n) {
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    entries[{i, i}] = 4.0 + i % 5;
    if (i > 0) entries[{0, i}] = 0.5 + 0.001 * (i % 9);
  }
  for (const Index i : {n / 2, n - 1}) entries[{i, 0}] = 0.75;
  return make_problem("wide_row" + std::to_string(n), n, std::move(entries));
}

// Of at most 500 rows, so that they also run under the sanitizers.
inline std::vector<HostProblem> small_problems() {
  std::vector<HostProblem> problems;
  for (const Index n : {1, 2, 31, 32, 33, 65, 200}) problems.push_back(random_problem(n));
  problems.push_back(arrow_problem(65, true));
  problems.push_back(arrow_problem(65, false));
  problems.push_back(dense_row_problem(100));
  problems.push_back(missing_diagonal_problem(64));
  problems.push_back(zero_pivot_problem());
  problems.push_back(disconnected_problem());
  problems.push_back(chain_problem(300));
  return problems;
}

template <class T, class Allocator>
Buffer<T> to_device(DeviceSession& session, const std::vector<T, Allocator>& values) {
  return upload_copy<T>(session, MemoryRole::resident, values, "a test's array");
}

inline std::shared_ptr<DevicePermutedMatrix> upload(DeviceSession& session,
                                                    const PermutedMatrix& from) {
  auto to = std::make_shared<DevicePermutedMatrix>();
  to->n = from.pattern.n_rows;
  to->nnz = from.pattern.nnz();
  to->row_ptr = to_device(session, from.pattern.row_ptr);
  to->col_idx = to_device(session, from.pattern.col_idx);
  to->values = to_device(session, from.values);
  to->row_scale = to_device(session, from.row_scale);
  to->col_scale = to_device(session, from.col_scale);
  to->scaled_norm = from.scaled_norm;
  return to;
}

// The matrix of `changed`, which differs in values from the one of `placed`.
inline ProductPtr with_new_values(const HostProblem& changed, const Product& placed,
                                  StageContext& context) {
  for (const auto& transfer : make_transfers()) {
    if (!(transfer->type() == product_types::permuted_matrix)) continue;
    return transfer->run_with_new_values(changed.matrix, changed.matrix.values, placed, context);
  }
  return nullptr;
}

// The same problem with values that differ by a thousandth.
inline HostProblem with_other_values(const HostProblem& problem, std::uint64_t seed) {
  Entries entries;
  const PermutedMatrix& b = problem.matrix;
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    for (Offset p = b.pattern.row_ptr[static_cast<std::size_t>(i)];
         p < b.pattern.row_ptr[static_cast<std::size_t>(i) + 1]; ++p) {
      const auto at = static_cast<std::size_t>(p);
      const double factor = 1 + 1e-3 * symmetric_interval(hash64(seed, at));
      entries[{i, b.pattern.col_idx[at]}] = b.values[at] * factor;
    }
  }
  return make_problem(problem.name, b.pattern.n_rows, std::move(entries));
}

inline std::shared_ptr<DeviceColumnPattern> upload(DeviceSession& session,
                                                   const ColumnPattern& from) {
  auto to = std::make_shared<DeviceColumnPattern>();
  to->n = from.rows.n_rows;
  to->nnz = from.rows.nnz();
  to->row_ptr = to_device(session, from.rows.row_ptr);
  to->col_idx = to_device(session, from.rows.col_idx);
  to->diagonal = to_device(session, from.diagonal);
  return to;
}

inline std::shared_ptr<DeviceColumnSchedule> upload(DeviceSession& session,
                                                    const ColumnSchedule& from) {
  auto to = std::make_shared<DeviceColumnSchedule>();
  to->rule = from.rule;
  to->n = static_cast<Index>(from.level_of.size());
  to->level_of = to_device(session, from.level_of);
  to->columns = to_device(session, from.columns);
  to->levels = from.levels();
  to->max_width = from.max_width();
  to->level_ptr = {session, MemoryRole::resident, Offset{to->n} + 1, "a test's level offsets"};
  to->level_ptr.upload(from.level_ptr);
  return to;
}

// Skips where no device is, with the reason.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    session_ = std::make_unique<DeviceSession>(SessionOptions{});
  }
  void TearDown() override {
    if (!session_) return;
    EXPECT_EQ(session_->ledger().in_use(), 0u) << "device memory was leaked";
  }
  DeviceSession& session() { return *session_; }

 private:
  std::unique_ptr<DeviceSession> session_;
};

}  // namespace lufact::gpu::testing_support
