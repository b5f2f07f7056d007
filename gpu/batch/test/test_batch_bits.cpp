// SPDX-License-Identifier: BSD-3-Clause
// The bits of a matrix's result depend on nothing but the matrix and the variant.
#include "core/base/error.hpp"
#include "gpu/batch/test/stage_runs.hpp"

namespace lufact::gpu {
namespace {

using testing_support::batch_stage;
using testing_support::BatchStageTest;
using testing_support::bits_of;
using testing_support::entries;
using testing_support::given;
using testing_support::hashes;
using testing_support::kind_of;
using testing_support::orders_of;
using testing_support::results_of;
using testing_support::RunSettings;

class BatchBits : public BatchStageTest {
 protected:
  // Of contiguous or interleaved matrices in the order given.
  std::vector<BatchResult> results_on(Index n, std::vector<double> values, Precision precision) {
    const BatchGroup group = given(n, std::move(values));
    ArrayProblem problem = problem_of(n, group.count);
    problem.precision = precision;
    return results_of(*run(problem, group));
  }
};

TEST_P(BatchBits, OtherCountsAndPlacesChangeNoBit) {
  if (GetParam().operation == ArrayOperation::solve) {
    GTEST_SKIP() << "right-hand sides are made by place: those of another place are other ones";
  }
  constexpr Offset count = 67;
  for (const Precision precision : facts().precisions) {
    for (const Index n : orders_of(facts())) {
      SCOPED_TRACE(n);
      const auto all = results_on(n, entries(n, BatchKind::ties, 0, count), precision);
      const auto reversed =
          results_on(n, entries(n, BatchKind::ties, count - 1, count, -1), precision);
      for (Offset k = 0; k < count; ++k) {
        EXPECT_EQ(bits_of(all[at(k)]), bits_of(reversed[at(count - 1 - k)]));
      }
      for (const Offset fewer : {1, 3, 33}) {
        const auto some = results_on(n, entries(n, BatchKind::ties, 0, fewer), precision);
        for (Offset k = 0; k < fewer; ++k) EXPECT_EQ(bits_of(all[at(k)]), bits_of(some[at(k)]));
      }
    }
  }
}

TEST_P(BatchBits, MatricesWithNanOrInfinityChangeNoOther) {
  constexpr Offset count = 37;
  for (const Index n : orders_of(facts())) {
    SCOPED_TRACE(n);
    std::vector<double> values = entries(n, BatchKind::random, 0, count);
    const auto clean = results_on(n, values, Precision::float64);
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    for (const std::size_t bad : {0U, 7U, 8U, 36U}) {
      values[bad * size + size / 2] =
          bad % 2 == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
    }
    const auto mixed = results_on(n, values, Precision::float64);
    for (Offset k = 0; k < count; ++k) {
      if (k == 0 || k == 7 || k == 8 || k == 36) continue;
      EXPECT_EQ(bits_of(clean[at(k)]), bits_of(mixed[at(k)])) << "matrix " << k;
    }
  }
}

TEST_P(BatchBits, LeadingDimensionsAndAlignmentChangeNoBit) {
  for (const ArrayLayout layout : facts().layouts) {
    for (const Index n : orders_of(facts())) {
      SCOPED_TRACE(n);
      ArrayProblem problem = problem_of(n, 101);
      problem.layout = layout;
      const BatchGroup group = kind_of(problem, BatchKind::ties);
      const auto expected = hashes(*run(problem, group));
      for (const Offset shift : {0, 1}) {
        RunSettings settings;
        settings.arrays.shift = shift;
        problem.ld = n + 1 - static_cast<Index>(shift);
        EXPECT_EQ(hashes(*run(problem, group, settings)), expected)
            << to_string(layout) << ", ld " << problem.ld << ", shift " << shift;
      }
    }
  }
}

TEST_P(BatchBits, EverySecondRunIsTheSame) {
  for (const Index n : orders_of(facts())) {
    const ArrayProblem problem = problem_of(n, 1003);
    const BatchGroup group = kind_of(problem, BatchKind::random);
    EXPECT_EQ(hashes(*run(problem, group)), hashes(*run(problem, group))) << n;
  }
}

TEST_P(BatchBits, MatricesABlockAndSwapsChangeNoBit) {
  for (const Precision precision : facts().precisions) {
    for (const Index n : orders_of(facts())) {
      ArrayProblem problem = problem_of(n, 101);
      problem.precision = precision;
      const BatchGroup group = kind_of(problem, BatchKind::ties);
      const auto expected = hashes(*run(problem, group));
      const auto expect_same = [&](const ArrayOptions& options) {
        try {
          EXPECT_EQ(hashes(*run(problem, group, {.options = options})), expected) << n;
        } catch (const UsageError&) {
          // The stage leaves no choice.
        } catch (const Error& error) {
          if (error.code() != "block_too_large") throw;
        }
      };
      for (int matrices = 1; matrices <= 16; ++matrices) {
        ArrayOptions options;
        options.matrices_per_block = matrices;
        expect_same(options);
      }
      for (const SwapRule swap : {SwapRule::greedy, SwapRule::lazy}) {
        ArrayOptions options;
        options.swap = swap;
        expect_same(options);
      }
    }
  }
}

// More than 2^31 entries, more than 2^32 bytes: the last matrix has the result that it has alone.
TEST_P(BatchBits, ManyEntriesAreCountedIn64Bits) {
  constexpr Index n = 16;
  const auto orders = orders_of(facts());
  if (std::ranges::find(orders, n) == orders.end())
    GTEST_SKIP() << "the stage takes no order 16, or this build has none";
  ArrayProblem problem = problem_of(n, (Offset{1} << 31) / (n * n) + 5);
  problem.precision = Precision::float32;
  std::unique_ptr<DeviceBatchArrays> many;
  try {
    many = run(problem, kind_of(problem, BatchKind::random));
  } catch (const Error& error) {
    if (error.outcome() != Outcome::oom_device) throw;
    GTEST_SKIP() << error.what();
  }
  if (problem.rhs > 0) return;  // right-hand sides are made by place
  for (const Offset k : {Offset{0}, problem.count / 2, problem.count - 1}) {
    const auto alone = results_on(n, entries(n, BatchKind::random, k, 1), Precision::float32);
    EXPECT_EQ(bits_of(many->result(k)), bits_of(alone.front())) << "matrix " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BatchBits, testing::ValuesIn(testing_support::batch_stage_cases()),
                         testing_support::test_name);

// The steps of the paper have one arithmetic (gpu/batch/paper/elimination.hpp).
TEST(PaperBits, AllStepsOfAnOperationGiveTheSameBits) {
  const std::string fault = find_device_fault(0);
  if (!fault.empty()) GTEST_SKIP() << fault;
  DeviceSession session(SessionOptions{});
  const std::vector<std::vector<std::string>> operations{
      {"registers-lazy", "registers-tuned", "registers", "shared-1d", "shared-2d"},
      {"inverse-fused", "inverse-augmented", "inverse-kernels"}};
  for (const auto& steps : operations) {
    const auto first = batch_stage(steps.front());
    for (const Index n : orders_of(first->facts())) {
      for (const Precision precision : first->facts().precisions) {
        for (const BatchKind kind : {BatchKind::random, BatchKind::ties, BatchKind::graded}) {
          ArrayProblem problem = testing_support::problem_of(
              first->facts(), first->facts().operations.front(), n, 257);
          problem.precision = precision;
          const BatchGroup group = kind_of(problem, kind);
          const auto expected =
              hashes(*testing_support::run_stage(session, *first, problem, group));
          for (const std::string& step : steps) {
            const auto arrays =
                testing_support::run_stage(session, *batch_stage(step), problem, group);
            EXPECT_EQ(hashes(*arrays), expected)
                << step << ", order " << n << ", " << to_string(kind);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
