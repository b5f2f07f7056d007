// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/run/repetition.hpp"
#include "core/systems/host_systems.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

using test::Harness;

// Systems with the pattern of one matrix, analysed, and their arrays.
struct Systems {
  CsrMatrix a;
  Harness harness;
  AnalysedPattern pattern;
  Index n = 0;
  std::vector<double> values, b, norms, x;

  Systems(const CsrMatrix& matrix, int threads) : a(matrix), harness(threads) {
    auto product = test::natural_product(a);
    test::give_scales(*product, 42);
    pattern.host_matrix = product;
    pattern.matrix = product;
    pattern.symbolic = make_cpu_fronts_symbolic()->run(product, harness.context);
    pattern.schedule = make_subtrees_levelize()->run(pattern.symbolic, harness.context);
    pattern.numeric = "cpu-multifrontal";
    pattern.solve = "subtrees";
    n = a.pattern.n_rows;
  }

  // Systems of the values of `numbers`.
  void make(const std::vector<int>& numbers) {
    values.clear(), b.clear(), norms.clear();
    for (const int number : numbers) {
      const CsrMatrix own = refactor_matrix(a, 7, number);
      values.insert(values.end(), own.values.begin(), own.values.end());
      const auto right = multiply(own, make_x_true(n, 1, 3), 1);
      b.insert(b.end(), right.begin(), right.end());
      norms.push_back(matrix_norm(own));
    }
    x.assign(b.size(), 0);
  }
  SystemInputs inputs() const {
    return {static_cast<Index>(norms.size()), std::span<const double>(values),
            std::span<const double>(b), norms};
  }
  std::unique_ptr<SystemsEngine> engine(Index count) {
    return make_host_systems()->make(pattern, count, harness.context);
  }
  // The solutions after one step of refinement, and their errors.
  std::vector<double> run(SystemsEngine& engine) {
    engine.write(inputs());
    engine.factor(harness.context);
    engine.solve();
    const std::vector<std::uint8_t> all(norms.size(), 1);
    std::vector<double> error(norms.size());
    engine.residual(all, error);
    engine.step(all);
    engine.residual(all, error);
    engine.read(std::span<double>(x));
    return error;
  }
  std::vector<double> solution(std::size_t k) const {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(k * at(n));
    return {begin, begin + n};
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(HostSystems, EverySystemIsSolved) {
  for (const auto& [name, matrix, dominant] : test::cpu_matrices()) {
    SCOPED_TRACE(name);
    if (!dominant) continue;
    Systems systems(matrix, 3);
    systems.make({1, 2, 3});
    const auto engine = systems.engine(3);
    EXPECT_EQ(engine->most(), 3);
    EXPECT_EQ(engine->bytes_per_system() > 0, matrix.pattern.n_rows > 0);
    EXPECT_THAT(systems.run(*engine), testing::Each(testing::Le(1e-10)));
  }
}

TEST(HostSystems, TheBitsOfASystemAreThoseThatItHasAlone) {
  for (const auto& [name, matrix, dominant] : test::cpu_matrices()) {
    SCOPED_TRACE(name);
    std::vector<std::vector<double>> alone;
    for (const int number : {1, 2, 3, 4}) {
      Systems one(matrix, 1);
      one.make({number});
      one.run(*one.engine(1));
      alone.push_back(one.x);
    }
    Systems systems(matrix, 3);
    const auto engine = systems.engine(4);
    ASSERT_EQ(engine->most(), 3);
    // Places that other values have used before.
    for (const std::vector<int>& numbers : {std::vector{1, 2, 3}, {4, 1}, {2, 4, 1}}) {
      systems.make(numbers);
      systems.run(*engine);
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        EXPECT_TRUE(same_bits(systems.solution(k), alone[at(numbers[k] - 1)]));
      }
    }
  }
}

TEST(HostSystems, StepsAreForTheMarkedOnesAlone) {
  Systems systems(test::cpu_matrices().back().matrix, 2);
  systems.make({1, 2});
  const auto engine = systems.engine(2);
  engine->write(systems.inputs());
  engine->factor(systems.harness.context);
  engine->solve();
  std::vector<double> error(2, -1);
  const std::vector<std::uint8_t> second{0, 1};
  engine->residual(std::vector<std::uint8_t>{1, 1}, error);
  engine->read(std::span<double>(systems.x));
  const auto first_x = systems.solution(0), second_x = systems.solution(1);
  error[0] = -1;
  engine->step(second);
  engine->residual(second, error);
  EXPECT_EQ(error[0], -1);
  engine->read(std::span<double>(systems.x));
  EXPECT_TRUE(same_bits(systems.solution(0), first_x));
  engine->take_back(second);
  engine->read(std::span<double>(systems.x));
  EXPECT_TRUE(same_bits(systems.solution(1), second_x));
}

TEST(HostSystems, PivotsAreCountedForEachSystem) {
  Systems systems(test::cpu_matrices().back().matrix, 2);
  systems.make({1, 2});
  std::fill_n(systems.values.begin(), systems.a.values.size(), 0.0);
  const auto engine = systems.engine(2);
  engine->write(systems.inputs());
  engine->factor(systems.harness.context);
  EXPECT_EQ(engine->pivots(1).perturbed, 0);
  EXPECT_FALSE(systems.harness.notes.warnings.empty());
}

TEST(HostSystems, ArraysOfAnotherNumberOfSystemsAreRefused) {
  Systems systems(test::cpu_matrices().back().matrix, 2);
  systems.make({1, 2});
  const auto engine = systems.engine(2);
  SystemInputs inputs = systems.inputs();
  inputs.count = 3;
  EXPECT_THROW(engine->write(inputs), std::invalid_argument);
  inputs.count = 1;
  EXPECT_THROW(engine->write(inputs), std::invalid_argument);
  engine->write(systems.inputs());
  std::vector<double> error(1);
  EXPECT_THROW(engine->residual(std::vector<std::uint8_t>{1}, error), std::invalid_argument);
}

}  // namespace
}  // namespace lufact
