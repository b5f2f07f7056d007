// SPDX-License-Identifier: BSD-3-Clause
// Matrices whose structure strains the symbolic stages, and what a stage needs to run in a test.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/verify/test/test_support.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/matrix/transfers.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::testing_support {

struct StructureCase {
  std::string name;
  PermutedMatrix matrix;
};

inline StructureCase make_case(std::string name, Index n, std::vector<test::Triplet> triplets) {
  return {std::move(name), test::natural_order(test::matrix_from_triplets(n, std::move(triplets)))};
}

// Row n - 1 reaches everything through one vertex that comes just before it: its frontier is as
// large as the bound says.
inline StructureCase late_hub(Index n) {
  std::vector<test::Triplet> triplets{{n - 1, n - 2, 1}};
  for (Index j = 0; j < n - 2; ++j) triplets.push_back({n - 2, j, 1});
  return make_case("late_hub_" + std::to_string(n), n, triplets);
}

// A path through the labels 0, n-2, 1, n-3, ...: every search runs along it.
inline StructureCase folded_path(Index n) {
  std::vector<Index> order;
  for (Index low = 0, high = n - 1; low <= high; ++low, --high) {
    order.push_back(low);
    if (low < high) order.push_back(high);
  }
  std::vector<test::Triplet> triplets;
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    triplets.push_back({order[k], order[k + 1], 1});
    if (k % 3 != 0) triplets.push_back({order[k + 1], order[k], 1});
  }
  return make_case("folded_path_" + std::to_string(n), n, triplets);
}

inline StructureCase chain(Index n) {
  std::vector<test::Triplet> triplets;
  for (Index i = 1; i < n; ++i) triplets.insert(triplets.end(), {{i, i - 1, 1}, {i - 1, i, 1}});
  return make_case("chain_" + std::to_string(n), n, triplets);
}

inline StructureCase dense_last_rows(Index n, Index rows) {
  std::vector<test::Triplet> triplets;
  for (Index i = n - rows; i < n; ++i) {
    for (Index j = 0; j < i; ++j) triplets.push_back({i, j, 1});
  }
  for (Index i = 0; i + 3 < n; i += 2) triplets.push_back({i, i + 3, 1});
  return make_case("dense_last_rows_" + std::to_string(n), n, triplets);
}

// Among rows without work, row `row` has a large frontier that no probed row announces, and the
// last row an even larger one, so that `row` belongs to the part with small queues.
inline StructureCase hidden_hub(Index n, Index row) {
  std::vector<test::Triplet> triplets{{row, row - 1, 1}, {n - 1, n - 2, 1}};
  for (Index j = 0; j < row - 1; ++j) triplets.push_back({row - 1, j, 1});
  for (Index j = 0; j < n - 2; ++j) triplets.push_back({n - 2, j, 1});
  return make_case("hidden_hub_" + std::to_string(n), n, triplets);
}

// The last row and the last column are full (no fill), or the first ones are (all of it).
inline StructureCase arrow(Index n, bool head_first) {
  std::vector<test::Triplet> triplets;
  const Index hub = head_first ? 0 : n - 1;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 2});
    if (i != hub) triplets.insert(triplets.end(), {{hub, i, 1}, {i, hub, 1}});
  }
  return make_case((head_first ? "arrow_first_" : "arrow_last_") + std::to_string(n), n, triplets);
}

inline StructureCase diagonal(Index n) {
  return make_case("diagonal_" + std::to_string(n), n, {});
}

// A path through labels that alternate between the lowest and the highest that are left, entered
// from every row: each row reaches all that lies below it, one vertex at a time.
inline StructureCase entered_path(Index n) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i + 1 < n; ++i) {
    const Index from = i % 2 == 0 ? i / 2 : n / 2 + i / 2;
    const Index to = i % 2 == 0 ? n / 2 + i / 2 : i / 2 + 1;
    if (from < n && to < n) triplets.push_back({from, to, 1});
    if (i > 0) triplets.push_back({i, 0, 1});
  }
  return make_case("entered_path_" + std::to_string(n), n, triplets);
}

// Every `step`-th row has a frontier as large as its label, the others have none: where those are
// not among the probed rows, each overflows its queue.
inline StructureCase many_hubs(Index n, Index step) {
  std::vector<test::Triplet> triplets{{n - 1, n - 2, 1}};
  for (Index j = 0; j < n - 2; ++j) triplets.push_back({n - 2, j, 1});
  for (Index row = step; row + 2 < n; row += step) {
    triplets.push_back({row, row - 1, 1});
    for (Index j = 0; j < row - 1; ++j) triplets.push_back({row - 1, j, 1});
  }
  return make_case("many_hubs_" + std::to_string(n), n, triplets);
}

// The rows from `columns` on have entries in all columns before that, the others have none: the
// last part is nearly all rows.
inline StructureCase full_first_columns(Index n, Index columns) {
  std::vector<test::Triplet> triplets;
  for (Index i = columns; i < n; ++i) {
    for (Index j = 0; j < columns; ++j) triplets.push_back({i, j, 1});
  }
  return make_case("full_first_columns_" + std::to_string(n), n, triplets);
}

inline StructureCase random_case(Index n, Index per_row) {
  const auto seed = static_cast<std::uint64_t>(7919 * n + per_row);
  return {"random_" + std::to_string(n) + "_" + std::to_string(per_row),
          test::natural_order(test::random_matrix(n, per_row, seed, 5))};
}

// At most 500 rows.
inline std::vector<StructureCase> small_cases() {
  std::vector<StructureCase> cases;
  for (auto& [name, matrix, dominant] : test::named_matrices()) {
    cases.push_back({name, test::natural_order(matrix)});
  }
  for (const Index n : {0, 1, 40}) cases.push_back(diagonal(n));
  for (const Index n : {2, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
    cases.push_back(random_case(n, 2));
    cases.push_back(late_hub(n));
    cases.push_back(folded_path(n));
    cases.push_back(arrow(n, false));
  }
  cases.push_back(arrow(255, true));
  cases.push_back(arrow(257, false));
  cases.push_back(entered_path(331));
  cases.push_back(many_hubs(400, 37));
  cases.push_back(chain(300));
  cases.push_back(dense_last_rows(260, 3));
  cases.push_back(hidden_hub(300, 101));
  cases.push_back(random_case(400, 1));
  return cases;
}

inline void expect_same(const ColumnPattern& pattern, const ColumnPattern& expected) {
  EXPECT_EQ(pattern.rows.n_rows, expected.rows.n_rows);
  EXPECT_EQ(pattern.rows.row_ptr, expected.rows.row_ptr);
  EXPECT_EQ(pattern.rows.col_idx, expected.rows.col_idx);
  EXPECT_EQ(pattern.diagonal, expected.diagonal);
}

// Runs stages on a session of its own, or, since opening one takes longer than most stages, on one
// of the caller's.
class StageHarness {
  std::unique_ptr<DeviceSession> own_;

 public:
  explicit StageHarness(const SessionOptions& session_options = {},
                        const ManagedOptions& managed = {})
      : own_(std::make_unique<DeviceSession>(session_options)), session(*own_) {
    options.managed = managed;
  }
  explicit StageHarness(DeviceSession& shared, const ManagedOptions& managed = {})
      : session(shared) {
    options.managed = managed;
  }

  ProductPtr transfer(const ProductPtr& product) {
    for (const auto& transfer : make_transfers()) {
      if (transfer->type() == product->type() && transfer->from() == product->side()) {
        return transfer->run(product, context);
      }
    }
    return nullptr;
  }
  ProductPtr upload(const PermutedMatrix& matrix) {
    return transfer(std::make_shared<PermutedMatrix>(matrix));
  }
  template <class T>
  std::shared_ptr<const T> download(const ProductPtr& product) {
    return std::dynamic_pointer_cast<const T>(transfer(product));
  }

  DeviceSession& session;
  SteadyClock clock;
  PhaseRecorder phases{clock, &session.probe()};
  StageOptions options;
  StageNotes notes;
  StageContext context{.phases = phases,
                       .options = options,
                       .notes = notes,
                       .device = &session,
                       .check_resident = {}};
};

}  // namespace lufact::gpu::testing_support
