// SPDX-License-Identifier: BSD-3-Clause
// Every scheme on every shape, grid and kind of input, in both precisions: the same bits as one
// entry after the other on the host, and nothing written beside the matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "core/base/error.hpp"
#include "core/measure/clock.hpp"
#include "core/verify/validate_dense.hpp"
#include "gpu/dense/schemes/test/scheme_runs.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using testing::HasSubstr;
using testing_support::DenseHostMatrix;
using testing_support::eliminate_on_host;
using testing_support::made_matrix;
using testing_support::OtherStream;
using testing_support::same_entries;
using testing_support::scheme_names;
using testing_support::SchemeRun;

struct NamedSettings {
  const char* name;
  DenseSettings settings;
};

bool recurses(const std::string& variant) {
  return variant == "recursive" || variant == "hybrid";
}

// Grids, blocks, bases and depths, each of those that the variant takes.
std::vector<NamedSettings> settings_of(const std::string& variant) {
  std::vector<NamedSettings> all{
      {"own", {}},
      {"one block of a warp", {.blocks = 1, .threads_per_block = 32}},
      {"three blocks", {.blocks = 3, .threads_per_block = 96}},
      {"more blocks than rows", {.blocks = 100, .threads_per_block = 64}},
  };
  if (!recurses(variant)) return all;
  const auto add = [&](const char* name, const DenseSettings& settings) {
    all.push_back({name, settings});
  };
  add("block 1", {.block = 1});
  add("block 8, simple", {.block = 8, .product = DenseProduct::simple});
  add("block 17, blocked", {.block = 17, .triangular = DenseTriangular::blocked});
  add("block 64, blocked, mkr",
      {.block = 64, .base = DenseBase::mkr, .triangular = DenseTriangular::blocked});
  add("block 50", {.block = 50});
  add("block 1024", {.block = 1024});
  add("two blocks", {.block = 20, .blocks = 2});
  return all;
}

template <class Real>
class Schemes : public testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    session.emplace(SessionOptions{});
  }

  void expect_host_bits(const std::string& variant, const NamedSettings& named,
                        const DenseHostMatrix<Real>& input) {
    SCOPED_TRACE(testing::Message() << variant << ", " << named.name << ", " << input.m << " x "
                                    << input.n << ", ld " << input.ld);
    SchemeRun<Real> run(*session, variant, named.settings, input);
    run.run();
    DenseHostMatrix<Real> twin = input;
    EXPECT_EQ(run.info(), eliminate_on_host(twin));
    EXPECT_TRUE(same_entries(run.result(), twin.entries));
  }

  void expect_host_bits_of_all(const DenseHostMatrix<Real>& input) {
    for (const std::string variant : scheme_names) {
      for (const NamedSettings& named : settings_of(variant)) {
        expect_host_bits(variant, named, input);
      }
    }
  }

  std::vector<Real> result_of(const std::string& variant, const DenseSettings& settings,
                              const DenseHostMatrix<Real>& input) {
    SchemeRun<Real> run(*session, variant, settings, input);
    run.run();
    return run.result();
  }

  std::optional<DeviceSession> session;
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Schemes, Reals);

TYPED_TEST(Schemes, SanitizeSmallSquareMatricesHaveTheBitsOfTheHost) {
  for (const Index n : {1, 2, 7, 31, 32, 33}) {
    this->expect_host_bits_of_all(made_matrix<TypeParam>("dominant", n, n, n));
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Schemes, SanitizeTallAndWideMatricesWithPadding) {
  for (const auto& [m, n] : {std::pair{70, 20}, {20, 70}, {1, 40}, {40, 1}, {65, 66}}) {
    this->expect_host_bits_of_all(made_matrix<TypeParam>("dominant", m, n, m + 3));
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Schemes, SquareMatricesHaveTheBitsOfTheHost) {
  for (const Index n : {63, 64, 65, 100, 127, 128, 129}) {
    this->expect_host_bits_of_all(made_matrix<TypeParam>("dominant", n, n, n + 5));
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Schemes, ZeroMinorsAreFoundAndTheRestIsCompleted) {
  for (const char* kind : {"zero-minor:1", "zero-minor:20", "zero-minor:50", "singular:33",
                           "singular:1", "special:nan", "special:inf", "special:subnormal",
                           "special:tiny", "special:huge", "ties", "random"}) {
    SCOPED_TRACE(kind);
    this->expect_host_bits_of_all(made_matrix<TypeParam>(kind, 50, 50, 50));
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Schemes, GrowthIsThatOfWilkinson) {
  constexpr Index n = 60;
  for (const std::string variant : scheme_names) {
    SchemeRun<TypeParam> run(*this->session, variant, {},
                             made_matrix<TypeParam>("growth", n, n, n));
    run.run();
    EXPECT_EQ(run.result().back(), std::ldexp(TypeParam{1}, n - 1)) << variant;
  }
}

TYPED_TEST(Schemes, LargeMatricesAreEqualAndVerified) {
  for (const Index n : {500, 1000, 1023, 1025}) {
    SCOPED_TRACE(n);
    const auto input = made_matrix<TypeParam>("dominant", n, n, n);
    const auto first = this->result_of("mkr-async", {}, input);
    const DenseCheck check = validate_dense_lu<TypeParam>(
        {input.entries.data(), n, n, n}, {first.data(), n, n, n}, {}, 0, {.has_pivots = false});
    EXPECT_LE(check.error, 30 * std::numeric_limits<TypeParam>::epsilon());
    EXPECT_FALSE(check.wrong_info);
    for (const std::string variant : scheme_names) {
      EXPECT_TRUE(same_entries(this->result_of(variant, {}, input), first)) << variant;
    }
    for (const int block : {32, 100, 256}) {
      EXPECT_TRUE(
          same_entries(this->result_of("hybrid", {.block = block, .depth = 2}, input), first));
    }
  }
}

TYPED_TEST(Schemes, HybridIsItsBaseAtDepthZeroAndRecursiveAtTheLast) {
  for (const auto& [m, n] : {std::pair{130, 130}, {96, 96}, {200, 50}, {50, 200}}) {
    const auto input = made_matrix<TypeParam>("dominant", m, n, m);
    const Index levels = dense_levels(std::min(m, n), 32);
    for (const DenseBase base : {DenseBase::skr, DenseBase::mkr}) {
      const auto of_base = this->result_of(std::string(to_string(base)), {}, input);
      const auto recursive = this->result_of("recursive", {.base = base}, input);
      const auto hybrid = [&](std::optional<int> depth) {
        return this->result_of("hybrid", {.depth = depth, .base = base}, input);
      };
      EXPECT_TRUE(same_entries(hybrid(0), of_base));
      EXPECT_TRUE(same_entries(hybrid(levels), recursive));
      EXPECT_TRUE(same_entries(hybrid(std::nullopt), recursive));
    }
  }
}

// What a run says of itself follows from the scheme.
TYPED_TEST(Schemes, SanitizeLaunchesAndBarriersAreCounted) {
  const auto facts_of = [&](const std::string& variant, const DenseSettings& settings) {
    SchemeRun<TypeParam> run(*this->session, variant, settings,
                             made_matrix<TypeParam>("dominant", 70, 70, 70));
    run.run();
    this->session->synchronize();
    return run.prepared().launch();
  };
  constexpr Offset copies_and_info = 3;
  const ArrayLaunchFacts mkr = facts_of("mkr", {});
  EXPECT_EQ(mkr.launches, 70 + copies_and_info);
  EXPECT_EQ(mkr.grid_barriers, 0);
  EXPECT_EQ(mkr.blocks->asked, "half");
  EXPECT_EQ(mkr.blocks->used, 35);
  EXPECT_EQ(mkr.threads_per_block, 96);
  EXPECT_EQ(facts_of("mkr-graph", {}).launches, 1 + copies_and_info);
  const ArrayLaunchFacts skr = facts_of("skr", {.blocks = 7, .threads_per_block = 64});
  EXPECT_EQ(skr.launches, 1 + copies_and_info);
  EXPECT_EQ(skr.grid_barriers, 70);
  EXPECT_EQ(skr.blocks->asked, "7");
  EXPECT_EQ(skr.blocks->used, 7);
  EXPECT_EQ(skr.threads_per_block, 64);
  // Two levels of four kernels, and a third one, of 6 columns, of one.
  const ArrayLaunchFacts recursive = facts_of("recursive", {});
  EXPECT_EQ(recursive.launches, 4 + 4 + 1 + copies_and_info);
  EXPECT_EQ(recursive.grid_barriers, 70);
  EXPECT_EQ(recursive.block, 32);
  EXPECT_EQ(recursive.depth, 3);
  EXPECT_EQ(facts_of("hybrid", {.depth = 1}).depth, 1);
}

TYPED_TEST(Schemes, BlocksThatWaitAreNoMoreThanRunAtOnce) {
  const auto input = made_matrix<TypeParam>("dominant", 3000, 40, 3000);
  for (const std::string variant : {"skr", "hybrid"}) {
    const DenseSettings settings{.depth = variant == "hybrid" ? std::optional(0) : std::nullopt,
                                 .blocks = 65536,
                                 .threads_per_block = 1024};
    try {
      const SchemeRun<TypeParam> run(*this->session, variant, settings, input);
      ADD_FAILURE() << variant;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "too_many_blocks");
      EXPECT_THAT(error.what(), HasSubstr("accepted: --blocks half, or 1 to "));
    }
  }
  SchemeRun<TypeParam> run(*this->session, "skr", {.threads_per_block = 1024},
                           made_matrix<TypeParam>("dominant", 3000, 3000, 3000));
  run.run();
  this->session->synchronize();
  const ArrayLaunchFacts facts = run.prepared().launch();
  EXPECT_LT(facts.blocks->used, 1500);
  EXPECT_EQ(facts.blocks->used % this->session->sm_count(), 0);
}

TYPED_TEST(Schemes, SanitizeTheProfileHasThePartsAndTheResultOfARun) {
  const auto input = made_matrix<TypeParam>("dominant", 100, 100, 100);
  const SteadyClock clock;
  for (const std::string variant : scheme_names) {
    SCOPED_TRACE(variant);
    SchemeRun<TypeParam> run(*this->session, variant, {}, input);
    run.run();
    const auto result = run.result();
    run.restore();
    PhaseRecorder phases(clock, &this->session->probe());
    run.prepared().profile(run.operands(), phases);
    EXPECT_TRUE(same_entries(run.result(), result));
    std::vector<std::string> names;
    for (const PhaseTime& phase : phases.take()) names.push_back(phase.name);
    EXPECT_THAT(names, testing::Contains("numeric/layout"));
    const int parts = static_cast<int>(std::ranges::count(names, "numeric/diagonal") +
                                       std::ranges::count(names, "numeric/triangular") +
                                       std::ranges::count(names, "numeric/product"));
    EXPECT_EQ(parts, recurses(variant) ? 3 : 0);
    EXPECT_EQ(std::ranges::count(names, "barriers"), variant == "skr" ? 1 : 0);
  }
}

// Barriers and streams beside kernels that take random parts of the card.
TYPED_TEST(Schemes, ResultsAreEqualInManyRunsBesideABusyCard) {
  const OtherStream other;
  const auto input = made_matrix<TypeParam>("dominant", 130, 130, 130);
  for (const std::string variant : {"skr", "recursive", "hybrid", "mkr-graph"}) {
    const DenseSettings settings{.depth = variant == "hybrid" ? std::optional(2) : std::nullopt};
    SchemeRun<TypeParam> run(*this->session, variant, settings, input);
    std::vector<TypeParam> first;
    const int repetitions = variant == "skr" ? 1000 : 250;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      if (repetition > 0) {
        other.occupy_randomly(this->session->sm_count(), static_cast<std::uint64_t>(repetition));
      }
      run.run();
      const auto result = run.result();
      if (first.empty()) first = result;
      ASSERT_TRUE(same_entries(result, first)) << variant << ", repetition " << repetition;
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
