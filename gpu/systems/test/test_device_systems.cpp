// SPDX-License-Identifier: BSD-3-Clause
// Several systems with one plan on the device: the bits of each are those that it has alone, and
// those of the factors of one matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "core/base/error.hpp"
#include "core/systems/lane_plan.hpp"
#include "core/systems/system_tickets.hpp"
#include "gpu/fronts/test/front_bench.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/systems/device_systems.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

HostProblem with_labels(HostProblem problem) {
  std::vector<Index> labels(at(problem.matrix.pattern.n_rows));
  std::iota(labels.begin(), labels.end(), 0);
  problem.matrix.rows = Permutation::from_old_of_new(labels);
  problem.matrix.cols = Permutation::from_old_of_new(labels);
  return problem;
}

// A complete binary tree of sets of `width` rows, each coupled with the set above it. The root has
// `root` rows.
HostProblem tree_problem(int depth, Index width, Index root) {
  const Index sets = (Index{1} << depth) - 1, n = (sets - 1) * width + root;
  const auto first = [&](Index set) { return set == 1 ? n - root : (sets - set) * width; };
  const auto rows = [&](Index set) { return set == 1 ? root : width; };
  Entries entries;
  for (Index set = 1; set <= sets; ++set) {
    for (Index above = set; above > 0 && above >= set / 2; above -= set - set / 2) {
      for (Index i = first(set); i < first(set) + rows(set); ++i) {
        for (Index j = first(above); j < first(above) + rows(above); ++j) {
          entries[{i, j}] = symmetric_interval(hash64(3, at(i), at(j)));
          entries[{j, i}] = symmetric_interval(hash64(3, at(j), at(i)));
        }
      }
      if (set == 1) break;
    }
  }
  for (Index i = 0; i < n; ++i) entries[{i, i}] = 2.0 * (width + root);
  return make_problem("tree" + std::to_string(width), n, std::move(entries));
}

std::vector<double> right_hand_side(Index n, std::size_t system) {
  std::vector<double> b(at(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = symmetric_interval(hash64(17, system, i));
  return b;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Systems with the pattern of one problem.
struct Systems {
  HostProblem base;
  FrontBench bench;
  AnalysedPattern pattern;
  Index n;
  std::vector<HostProblem> members;
  std::vector<double> values, b, norms, x, errors;
  Offset least_fronts = 0;  // for lanes: they are taken wherever they can be

  Systems(DeviceSession& session, const HostProblem& problem, const FrontVariant& variant,
          bool in_parts = false)
      : base(with_labels(problem)),
        bench(session, base, variant, {.in_parts = in_parts, .blocks_apart = true}),
        pattern{std::make_shared<PermutedMatrix>(base.matrix),
                bench.device_matrix(),
                bench.device_tree(),
                bench.device_graph(),
                "gpu-multifrontal",
                "task-graph"},
        n(base.matrix.pattern.n_rows) {}

  // One system for each seed.
  void make(std::size_t first_seed, std::size_t count) {
    members.clear(), values.clear(), b.clear(), norms.clear();
    for (std::size_t k = first_seed; k < first_seed + count; ++k) {
      members.push_back(with_labels(with_other_values(base, k)));
      const auto& own = members.back().matrix.values;
      values.insert(values.end(), own.begin(), own.end());
      const std::vector<double> right = right_hand_side(n, k);
      b.insert(b.end(), right.begin(), right.end());
      norms.push_back(10.0 + static_cast<double>(k));
    }
    x.assign(b.size(), 0);
    errors.assign(count, -1);
  }
  SystemInputs inputs() const {
    return {static_cast<Index>(norms.size()), std::span<const double>(values),
            std::span<const double>(b), norms};
  }
  std::unique_ptr<SystemsEngine> engine(std::size_t count) {
    return make_device_systems(least_fronts)
        ->make(pattern, static_cast<Index>(count), bench.context);
  }
  std::vector<std::uint8_t> all() const { return std::vector<std::uint8_t>(norms.size(), 1); }
  // Factors, solves, and takes `steps` steps of refinement.
  void run(SystemsEngine& engine, int steps) {
    engine.write(inputs());
    engine.factor(bench.context);
    engine.solve();
    engine.residual(all(), errors);
    for (int step = 0; step < steps; ++step) {
      engine.step(all());
      engine.residual(all(), errors);
    }
    engine.read(std::span<double>(x));
  }
  std::span<const double> solution(std::size_t k) const {
    return std::span<const double>(x).subspan(k * at(n), at(n));
  }
};

class DeviceSystems : public DeviceTest, public ::testing::WithParamInterface<FrontVariant> {
 protected:
  Systems systems(const HostProblem& problem) { return {session(), problem, GetParam()}; }

  // Each system of `count`, with one step of refinement, as it is alone.
  void check_bits(const HostProblem& problem, std::size_t count) {
    SCOPED_TRACE(problem.name + " of order " + std::to_string(problem.matrix.pattern.n_rows));
    Systems together = systems(problem), alone = systems(problem);
    together.make(1, count);
    const auto engine = together.engine(count), one = alone.engine(1);
    ASSERT_EQ(engine->most(), static_cast<Index>(count));
    together.run(*engine, 1);
    for (std::size_t k = 0; k < count; ++k) {
      alone.make(k + 1, 1);
      alone.run(*one, 1);
      ASSERT_TRUE(same_bits(together.solution(k), alone.x)) << "system " << k;
      EXPECT_EQ(together.errors[k], alone.errors[0]);
      EXPECT_EQ(engine->pivots(static_cast<Index>(k)).perturbed, one->pivots(0).perturbed);
    }
    chosen = together.bench.notes.choices.at(0).chosen;
    // In places that other values have used before.
    together.run(*engine, 1);
    ASSERT_TRUE(same_bits(together.solution(count - 1), alone.x));
  }
  // The same, of systems that are to go by lanes where rows are fixed.
  void check_lanes(const HostProblem& problem, std::size_t count) {
    check_bits(problem, count);
    EXPECT_EQ(chosen, count >= 32 && !GetParam().exchanges() ? "lanes" : "tiles");
  }

  std::string chosen;  // way of small fronts
};

INSTANTIATE_TEST_SUITE_P(Stages, DeviceSystems, ::testing::ValuesIn(front_variants()),
                         front_variant_name);

TEST_P(DeviceSystems, SanitizeTheBitsOfASystemAreThoseThatItHasAlone) {
  for (const auto& problem : small_problems()) check_bits(problem, 3);
}

TEST_P(DeviceSystems, MoreSystemsThanAWindow) {
  check_bits(random_problem(60), systems_side_by_side + 6);
  check_bits(dense_problem(129), systems_side_by_side + 2);
}

// A single system goes by tiles, so that these are the bits of tiles.
TEST_P(DeviceSystems, SanitizeLanesHaveTheBitsOfTiles) {
  check_lanes(tree_problem(4, 3, 30), 33);
  check_lanes(dense_problem(14), 32);
}

TEST_P(DeviceSystems, LanesOfSmallFronts) {
  for (const std::size_t count : {1, 31, 32, 33, 100}) {
    check_lanes(tree_problem(5, 3, 3), count);
    check_lanes(tree_problem(5, 3, 80), count);
    check_lanes(zero_pivot_problem(), count);
  }
  for (const Index order : {1, 2, 3, 7, 8, 9, 15, 16}) check_lanes(dense_problem(order), 34);
  for (const Index width : {1, 2, 3}) check_lanes(tree_problem(6, width, 50), 40);
  check_lanes(arrow_problem(300, true), 64);
}

// No front has 16 rows or less and only such below it.
TEST_P(DeviceSystems, LargerFrontsOfManySystemsGoByTiles) {
  for (const auto& problem :
       {tree_problem(6, 8, 50), tree_problem(6, 11, 50), chain_problem(200)}) {
    check_bits(problem, 40);
    EXPECT_EQ(chosen, "tiles") << problem.name;
  }
}

TEST_P(DeviceSystems, FewFrontsGoByTiles) {
  if (GetParam().exchanges()) GTEST_SKIP() << "lanes do not exchange rows";
  Systems subject = systems(dense_problem(14));  // one front
  for (const Offset least : {Offset{40}, Offset{41}, fronts_for_lanes}) {
    subject.least_fronts = least;
    subject.bench.notes.choices.clear();
    subject.engine(40);
    EXPECT_EQ(subject.bench.notes.choices.at(0).chosen, least == 40 ? "lanes" : "tiles");
  }
}

// Each system has arrays of its own, which a plan for one matrix does not know.
TEST_P(DeviceSystems, SanitizeAPlanWithBlocksInThePlaceOfFactorsIsRefused) {
  Systems subject = systems(lending_problem());
  FrontBench alone(session(), subject.base, GetParam());
  subject.pattern.schedule = alone.device_graph();
  EXPECT_THROW(subject.engine(2), std::logic_error);
  EXPECT_THROW(subject.engine(64), std::logic_error);
}

TEST_P(DeviceSystems, LanesOfAPlanInParts) {
  const HostProblem problem = tree_problem(7, 3, 150);
  Systems parts(session(), problem, GetParam(), true), whole = systems(problem);
  for (Systems* subject : {&parts, &whole}) {
    subject->make(1, 40);
    subject->run(*subject->engine(40), 1);
  }
  EXPECT_TRUE(same_bits(parts.x, whole.x));
}

// As many systems as fit, by lanes as long as these are at least a warp's lanes.
TEST_P(DeviceSystems, LanesInChunks) {
  if (GetParam().exchanges()) GTEST_SKIP() << "lanes do not exchange rows";
  const HostProblem problem = tree_problem(6, 3, 70);
  Systems whole = systems(problem);
  whole.make(1, 100);
  std::uint64_t per_system = 0, shared = 0;
  {
    const auto engine = whole.engine(100);
    per_system = engine->bytes_per_system();
    shared = session().ledger().in_use() - 100 * per_system;
    whole.run(*engine, 0);
  }
  for (const auto& [room, most, way] : {std::tuple{70, 50, "lanes"}, {26, 25, "tiles"}}) {
    DeviceSession small(SessionOptions{0, shared + per_system * static_cast<unsigned>(room)});
    Systems subject(small, problem, GetParam());
    const auto engine = subject.engine(100);
    EXPECT_EQ(subject.bench.notes.choices.at(0).chosen, way);
    EXPECT_GE(engine->most(), most);
    const auto count = static_cast<std::size_t>(engine->most());
    ASSERT_LT(count, 100u);
    for (std::size_t first = 0; first < 100; first += count) {
      subject.make(first + 1, std::min(count, 100 - first));
      subject.run(*engine, 0);
      const auto expected = std::span<const double>(whole.x).subspan(first * at(whole.n));
      EXPECT_TRUE(same_bits(subject.x, expected.first(subject.x.size()))) << "from " << first;
    }
  }
}

TEST_P(DeviceSystems, LargerFronts) {
  check_bits(dense_problem(300), 5);
  check_bits(random_problem(600, 3), 5);
  check_bits(arrow_problem(3000, true), 4);
  check_bits(bordered_problem(500, 70), 5);
  check_bits(separator_problem(4, 40), 5);
  if (GetParam().exchanges()) check_bits(swapped_problem(3, 100), 5);
}

TEST_P(DeviceSystems, SanitizeSolutionsAreThoseOfTheFactorsOfOneMatrix) {
  // Without replaced pivots: the norms that they are replaced by are summed in different orders.
  for (const auto& problem : {random_problem(200), dense_problem(150), bordered_problem(200, 40),
                              missing_diagonal_problem(64)}) {
    SCOPED_TRACE(problem.name);
    Systems together = systems(problem);
    together.make(1, 3);
    const auto engine = together.engine(3);
    together.run(*engine, 0);
    for (std::size_t k = 0; k < 3; ++k) {
      FrontBench bench(session(), together.members[k], GetParam());
      const auto factors = bench.run();
      const auto vectors = make_device_vector_backend(session());
      const auto b = vectors->make(together.n, 1), x = vectors->make(together.n, 1),
                 r = vectors->make(together.n, 1);
      vectors->write(right_hand_side(together.n, k + 1), *b);
      factors->apply(*bench.device_matrix(), *vectors, *b, *x, "task-graph");
      std::vector<double> expected(at(together.n));
      vectors->read(*x, expected);
      EXPECT_TRUE(same_bits(together.solution(k), expected)) << "system " << k;
      EXPECT_EQ(together.errors[k],
                vectors->residual(*bench.device_matrix(), together.norms[k], *x, *b, *r));
    }
  }
}

TEST_P(DeviceSystems, SanitizeStepsAreForTheMarkedOnesAlone) {
  Systems subject = systems(random_problem(65));
  subject.make(1, 3);
  const auto engine = subject.engine(3);
  subject.run(*engine, 0);
  const std::vector<double> before = subject.x;
  const std::vector<std::uint8_t> second{0, 1, 0};
  subject.errors.assign(3, -1);
  engine->step(second);
  engine->residual(second, subject.errors);
  EXPECT_EQ(subject.errors[0], -1);
  EXPECT_GE(subject.errors[1], 0);
  EXPECT_EQ(subject.errors[2], -1);
  engine->read(std::span<double>(subject.x));
  const auto n = at(subject.n);
  EXPECT_TRUE(same_bits(subject.solution(0), std::span(before).first(n)));
  EXPECT_TRUE(same_bits(subject.solution(2), std::span(before).last(n)));
  engine->take_back(second);
  engine->read(std::span<double>(subject.x));
  EXPECT_TRUE(same_bits(subject.x, before));
}

TEST_P(DeviceSystems, SanitizePivotsAreCountedForEachSystem) {
  Systems subject = systems(zero_pivot_problem());
  subject.make(1, 3);
  const auto entries = subject.base.matrix.values.size();
  for (std::size_t q = entries; q < 2 * entries; ++q) subject.values[q] = 0;
  subject.values[2 * entries] = std::numeric_limits<double>::quiet_NaN();
  const auto engine = subject.engine(3);
  subject.run(*engine, 0);
  EXPECT_GT(engine->pivots(0).perturbed, 0);
  EXPECT_EQ(engine->pivots(1).perturbed, 0);  // a threshold of zero replaces nothing
  EXPECT_TRUE(std::isinf(subject.errors[2]));
  ASSERT_EQ(subject.bench.notes.warnings.size(), 1u);
  EXPECT_EQ(subject.bench.notes.warnings[0].code, "unusable_pivots");
  EXPECT_THAT(subject.bench.notes.warnings[0].message, testing::HasSubstr(" of 2 systems"));
}

TEST_P(DeviceSystems, SanitizeAPlanInParts) {
  const HostProblem problem = random_problem(200);
  Systems parts(session(), problem, GetParam(), true), whole = systems(problem);
  parts.make(1, 4);
  whole.make(1, 4);
  parts.run(*parts.engine(4), 0);
  whole.run(*whole.engine(4), 0);
  EXPECT_TRUE(same_bits(parts.x, whole.x));
}

// Parts of tiles alone follow one another, in the same places: none may start beside the one
// before.
TEST_P(DeviceSystems, APlanInPartsOfWhichTheFirstHasLanes) {
  const HostProblem problem = side_by_side(tree_problem(4, 3, 30), tree_problem(6, 12, 80));
  Systems parts(session(), problem, GetParam(), true), whole = systems(problem);
  const SystemsPlan plan = lufact::plan_systems(parts.bench.graph(), parts.n);
  ASSERT_GT(plan.lanes.part_end.size(), 2u);
  ASSERT_EQ(plan.lanes.part_end[0], plan.lanes.part_end[2]);
  ASSERT_LT(plan.tiles.part_end[1], plan.tiles.part_end[2]);
  parts.make(1, 33);
  whole.make(1, 33);
  const auto engine = parts.engine(33);
  EXPECT_EQ(parts.bench.notes.choices.at(0).chosen, GetParam().exchanges() ? "tiles" : "lanes");
  whole.run(*whole.engine(33), 0);
  for (int run = 0; run < 20; ++run) {
    parts.run(*engine, 0);
    ASSERT_TRUE(same_bits(parts.x, whole.x)) << "run " << run;
  }
}

TEST_P(DeviceSystems, AsManySystemsAtATimeAsFitTheBudget) {
  const HostProblem problem = random_problem(200);
  std::uint64_t per_system = 0, shared = 0;
  {
    Systems subject = systems(problem);
    const std::uint64_t before = session().ledger().in_use();
    const auto engine = subject.engine(2);
    per_system = engine->bytes_per_system();
    shared = session().ledger().in_use() - 2 * per_system;
    EXPECT_GT(shared, before);
  }
  for (const auto& [halves, most] : {std::pair{7, 3}, {2, 1}, {21, 10}, {100, 10}}) {
    DeviceSession small(SessionOptions{0, shared + per_system * static_cast<unsigned>(halves) / 2});
    Systems subject(small, problem, GetParam());
    const auto engine = subject.engine(10);
    EXPECT_EQ(engine->most(), most);
    subject.make(1, static_cast<std::size_t>(most));
    subject.run(*engine, 0);
    EXPECT_THAT(subject.errors, testing::Each(testing::Lt(1e-4)));
  }
  DeviceSession small(SessionOptions{0, shared + per_system / 2});
  Systems subject(small, problem, GetParam());
  EXPECT_THROW(subject.engine(10), Error);
}

}  // namespace
}  // namespace lufact::gpu
