// SPDX-License-Identifier: BSD-3-Clause
// The products of a problem on both sides and a numeric stage of the front family, for tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/fronts/front_stages.hpp"
#include "core/measure/clock.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/gpu.hpp"
#include "gpu/solve/test/device_problem.hpp"

namespace lufact::gpu::testing_support {

struct FrontVariant {
  std::string stage;
  Precision precision;
  Pivoting pivoting;

  double pivot_threshold() const { return precision == Precision::float64 ? 1e-13 : 1e-6; }
  bool exchanges() const { return pivoting == Pivoting::diagonal_block; }
  double tolerance() const { return precision == Precision::float64 ? 1e-12 : 1e-4; }
};

// What the tests of a variant are called by.
inline std::string front_variant_name(const ::testing::TestParamInfo<FrontVariant>& info) {
  const FrontVariant& variant = info.param;
  std::string name = variant.stage + "_" + std::string(to_string(variant.precision)) + "_" +
                     std::string(to_string(variant.pivoting));
  std::ranges::replace(name, '-', '_');
  return name;
}

inline std::vector<FrontVariant> front_variants() {
  std::vector<FrontVariant> list;
  for (const auto& stage : numeric_stages()) {
    if (!(stage->info().gives == product_types::front_factors)) continue;
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      list.push_back({stage->info().name, precision, Pivoting::fixed_rows});
      if (!stage->info().pivots_in_block) continue;
      list.push_back({stage->info().name, precision, Pivoting::diagonal_block});
    }
  }
  return list;
}

// How fronts are planned; `room` is what they are told that the device has for them.
struct FrontPlanning {
  bool in_parts = false, blocks_apart = false;
  FactorPlace factors = FactorPlace::automatic;
  std::optional<std::uint64_t> room{};
  Index rhs = 1;
  bool transposed = false;
};

// The products of one problem on both sides, and a stage.
class FrontBench {
 public:
  FrontBench(DeviceSession& session, const HostProblem& problem, const FrontVariant& variant,
             const FrontPlanning& planning = {})
      : phases_(clock_, &session.probe()), context{phases_,  options, notes,   nullptr,
                                                   &session, nullptr, nullptr, {}} {
    options.factors = planning.factors;
    options.rhs = planning.rhs;
    options.transposed = planning.transposed;
    context.device_room = planning.room;
    context.blocks_apart = planning.blocks_apart;
    options.precision = variant.precision;
    options.pivoting = variant.pivoting;
    options.pivot_threshold = variant.pivot_threshold();
    for (auto& candidate : numeric_stages()) {
      if (candidate->info().name == variant.stage) stage_ = std::move(candidate);
    }
    const auto host = std::make_shared<PermutedMatrix>(problem.matrix);
    host_tree_ = make_cpu_fronts_symbolic()->run(host, context);
    const auto levelize =
        planning.in_parts ? make_task_graph_parts_levelize() : make_task_graph_levelize();
    host_graph_ = levelize->run(host_tree_, context);
    matrix_ = upload(session, problem.matrix);
    for (const auto& transfer : make_front_transfers()) {
      if (transfer->from() != Side::host) continue;
      const bool tree = transfer->type() == product_types::front_tree;
      (tree ? tree_ : graph_) = transfer->run(tree ? host_tree_ : host_graph_, context);
    }
  }

  std::shared_ptr<Factors> run() { return stage_->run(matrix_, tree_, graph_, context); }
  const FrontTree& tree() const { return product_cast<FrontTree>(*host_tree_); }
  const TaskGraph& graph() const { return product_cast<TaskGraph>(*host_graph_); }
  PhaseRecorder& phases() { return phases_; }
  const ProductPtr& device_matrix() const { return matrix_; }
  const ProductPtr& device_tree() const { return tree_; }
  const ProductPtr& device_graph() const { return graph_; }

 private:
  SteadyClock clock_;
  PhaseRecorder phases_;
  std::unique_ptr<NumericStage> stage_;
  ProductPtr host_tree_, host_graph_, matrix_, tree_, graph_;

 public:
  StageOptions options;
  StageNotes notes;
  StageContext context;
};

// A complete binary tree of sets of `width` rows, each coupled with all sets above it.
inline HostProblem separator_problem(int depth, Index width) {
  const Index sets = (Index{1} << depth) - 1, n = sets * width;
  Entries entries;
  for (Index s = 1; s <= sets; ++s) {  // numbered from the root as a heap, stored from the end
    for (Index above = s; above > 0; above /= 2) {
      for (Index i = 0; i < width; ++i) {
        for (Index j = 0; j < width; ++j) {
          const Index row = n - s * width + i, column = n - above * width + j;
          entries[{row, column}] = 1.0 + (i + 2 * j + s) % 5;
          entries[{column, row}] = 1.0 + (3 * i + j + s) % 7;
        }
      }
    }
  }
  for (Index i = 0; i < n; ++i) entries[{i, i}] = 10.0 * n;
  return make_problem("separators", n, std::move(entries));
}

// A set of 150 rows, above it four sets of 12 that are coupled with 60 of them each, every one with
// two sets of 12 below that are coupled with it and with half of the 60: a front of three tiles of
// pivots in the place of whose factors blocks have been, of some children in late tiles alone.
inline HostProblem lending_problem() {
  constexpr Index root = 150, width = 12, reach = 60, sets = 12, n = sets * width + root;
  constexpr Index first_root = sets * width;
  Entries entries;
  const auto couple = [&](Index rows, Index row_count, Index columns, Index column_count) {
    for (Index i = rows; i < rows + row_count; ++i) {
      for (Index j = columns; j < columns + column_count; ++j) {
        entries[{i, j}] = 1.0 + (i + 2 * j) % 5;
        entries[{j, i}] = 1.0 + (3 * i + j) % 7;
      }
    }
  };
  for (Index c = 0; c < 4; ++c) {
    const Index reached = first_root + 30 * c, own = (3 * c + 2) * width;
    couple(own, width, own, width);
    couple(own, width, reached, reach);
    for (Index x = 0; x < 2; ++x) {
      const Index below = (3 * c + x) * width;
      couple(below, width, below, width);
      couple(below, width, own, width);
      couple(below, width, reached + x * reach / 2, reach / 2);
    }
  }
  couple(first_root, root, first_root, root);
  for (Index i = 0; i < n; ++i) entries[{i, i}] = 10.0 * n;
  return make_problem("lending", n, std::move(entries));
}

// A chain of dense blocks, each coupled with the next, in which rows 2k and 2k + 1 have changed
// places: each has a large entry in the other's column, and diagonals are zero.
inline HostProblem swapped_problem(Index blocks, Index width, double large = 3) {
  Entries entries;
  const auto random = [&](Index i, Index j) {
    return symmetric_interval(
        hash64(9, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  };
  for (Index i = 0; i < blocks * width; ++i) {
    const Index block = i / width, end = std::min(block + 2, blocks) * width;
    for (Index j = block * width; j < end; ++j) {
      entries[{i, j}] = i == j ? 0.0 : j == (i ^ 1) ? large * width : random(i, j);
      if (j / width != block) entries[{j, i}] = random(j, i);
    }
  }
  return make_problem("swapped" + std::to_string(width), blocks * width, std::move(entries));
}

// `problems`, and where rows are exchanged such that need it: chains of `blocks` of `width` rows.
inline std::vector<HostProblem> with_swapped(const FrontVariant& variant,
                                             std::vector<HostProblem> problems,
                                             const std::vector<std::pair<Index, Index>>& chains) {
  if (!variant.exchanges()) return problems;
  for (const auto& [blocks, width] : chains) problems.push_back(swapped_problem(blocks, width));
  return problems;
}

inline std::vector<double> values_of(const Factors& factors) {
  return dynamic_cast<const FrontFactors&>(factors).stored_values();
}

inline std::vector<std::uint8_t> row_sources_of(const Factors& factors) {
  return dynamic_cast<const FrontFactors&>(factors).row_sources();
}

inline void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                         double tolerance) {
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_NEAR(actual[k], expected[k], tolerance * scale) << "entry " << k;
  }
}

}  // namespace lufact::gpu::testing_support
