// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/random.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/queued_work.hpp"
#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/matrix/entry_placement.hpp"
#include "gpu/matrix/matrix_ahead.hpp"
#include "gpu/matrix/new_values.hpp"
#include "gpu/matrix/vector_block.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class Transfers : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

TEST(TransferList, NamesEachTypeAndDirectionOnce) {
  const auto list = make_transfers();
  EXPECT_EQ(list.size(), 5u);
  for (const auto& one : list) {
    EXPECT_NE(one->from(), one->to());
    int same = 0;
    for (const auto& other : list) {
      same += one->type() == other->type() && one->from() == other->from() ? 1 : 0;
    }
    EXPECT_EQ(same, 1) << one->type().name;
  }
}

TEST_F(Transfers, SanitizeMatrixArrivesAsItIs) {
  for (const StructureCase& structure : {random_case(65, 2), chain(1), random_case(200, 3)}) {
    StageHarness harness;
    const auto device = harness.upload(structure.matrix);
    const auto& matrix = product_cast<DevicePermutedMatrix>(*device);
    EXPECT_EQ(matrix.n, structure.matrix.pattern.n_rows);
    EXPECT_EQ(matrix.nnz, structure.matrix.pattern.nnz());
    EXPECT_EQ(matrix.row_ptr.download(), structure.matrix.pattern.row_ptr);
    EXPECT_EQ(matrix.col_idx.download(), structure.matrix.pattern.col_idx);
    EXPECT_TRUE(std::ranges::equal(matrix.values.download(), structure.matrix.values));
    EXPECT_EQ(matrix.row_scale.download(), structure.matrix.row_scale);
    EXPECT_EQ(matrix.col_scale.download(), structure.matrix.col_scale);
    EXPECT_EQ(matrix.scaled_norm, structure.matrix.scaled_norm);
  }
}

// A, rows of the given lengths beside the diagonal, with every `step`-th diagonal entry missing,
// under random labels and scales.
struct Permuted {
  Permuted(Index n, const std::vector<Index>& lengths, Index step) {
    std::vector<test::Triplet> triplets;
    for (Index i = 0; i < n; ++i) {
      const Index length = lengths[static_cast<std::size_t>(i) % lengths.size()];
      for (Index k = 1; k <= length; ++k) {
        triplets.push_back({i, (i + k) % n, symmetric_interval(hash64(5, triplets.size()))});
      }
      if (i % step != step - 1) triplets.push_back({i, i, 1.0 + 1e-3 * i});
    }
    a = test::matrix_from_triplets(n, std::move(triplets));
    Matching matching{random_labels(n, 1), {}, {}, n};
    for (Index i = 0; i < n; ++i) {
      const auto label = static_cast<std::uint64_t>(i);
      matching.row_scale.push_back(0.5 + unit_interval(hash64(7, label)));
      matching.col_scale.push_back(0.5 + unit_interval(hash64(8, label)));
    }
    const Ordering ordering{.perm = random_labels(n, 2)};
    b = build_permuted_matrix(a, matching, ordering);
    laid_out = lay_out_permuted_matrix(a, matching, ordering);
  }
  Permuted(const Permuted&) = delete;  // laid_out refers to a
  Permuted& operator=(const Permuted&) = delete;

  static Permutation random_labels(Index n, std::uint64_t seed) {
    std::vector<Index> labels(static_cast<std::size_t>(n));
    std::iota(labels.begin(), labels.end(), 0);
    std::ranges::sort(labels, {}, [seed](Index label) {
      return hash64(seed, static_cast<std::uint64_t>(label));
    });
    return Permutation::from_old_of_new(labels);
  }

  std::vector<double> new_values(std::uint64_t seed) const {
    std::vector<double> values = a.values;
    for (std::size_t q = 0; q < values.size(); ++q) {
      values[q] *= 1 + 1e-3 * symmetric_interval(hash64(seed, q));
    }
    return values;
  }

  CsrMatrix a;
  std::shared_ptr<PermutedMatrix> b;         // with its entries
  std::shared_ptr<PermutedMatrix> laid_out;  // without
};

ProductPtr with_new_values(StageHarness& harness, const Permuted& problem,
                           const HostSpan<const double>& values, const Product& placed) {
  for (const auto& transfer : make_transfers()) {
    if (!(transfer->type() == product_types::permuted_matrix)) continue;
    return transfer->run_with_new_values(*problem.b, values, placed, harness.context);
  }
  return nullptr;
}

// What the host makes of the same values, to the bit.
void expect_as_on_host(const Permuted& problem, const std::vector<double>& values,
                       const DevicePermutedMatrix& matrix) {
  PermutedMatrix expected = *problem.b;
  replace_values(expected, values);
  const std::vector<double> placed = matrix.values.download();
  ASSERT_EQ(placed.size(), expected.values.size());
  for (std::size_t p = 0; p < placed.size(); ++p) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(placed[p]),
              std::bit_cast<std::uint64_t>(expected.values[p]))
        << "entry " << p;
  }
  EXPECT_EQ(matrix.scaled_norm, expected.scaled_norm);
}

void check_new_values(const Permuted& problem, int expected_refactorizations) {
  SCOPED_TRACE(std::to_string(problem.a.values.size()) + " entries of A");
  StageHarness harness;
  harness.options.expect_refactorizations = expected_refactorizations;
  ProductPtr device = harness.transfer(problem.b);
  const PageLockedMemory memory = [](std::size_t bytes) { return page_locked_memory(0, bytes); };
  HostArray locked(problem.a.values.size(), memory);
  // Each call leaves behind what the next one needs. The norms get smaller, so that one that stays
  // would be seen.
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    std::vector<double> values = problem.new_values(seed);
    for (double& value : values) value /= static_cast<double>(seed);
    std::ranges::copy(values, locked.entries().begin());
    const HostSpan<const double> given = seed > 2 ? locked.const_span() : values;
    device = with_new_values(harness, problem, given, *device);
    harness.session.synchronize();
    std::ranges::fill(locked.entries(), 7.0);  // nobody reads them any more
    expect_as_on_host(problem, values, product_cast<DevicePermutedMatrix>(*device));
  }
}

TEST_F(Transfers, SanitizeNewValuesArePlacedAsOnTheHost) {
  for (const int expected : {0, 2}) {
    check_new_values(Permuted(0, {0}, 3), expected);
    check_new_values(Permuted(1, {0}, 3), expected);
    check_new_values(Permuted(1, {0}, 1), expected);  // no entry at all: an added diagonal
    check_new_values(Permuted(33, {0, 1, 6, 7, 8, 9}, 3), expected);
    check_new_values(Permuted(200, {3, 62, 63, 64, 65, 127, 128, 129, 199}, 4), expected);
    check_new_values(Permuted(300, {70, 299, 150}, 4), expected);  // long rows alone
  }
}

void expect_entries(const PermutedMatrix& expected, const DevicePermutedMatrix& matrix) {
  EXPECT_EQ(matrix.n, expected.pattern.n_rows);
  EXPECT_EQ(matrix.nnz, expected.pattern.nnz());
  EXPECT_EQ(matrix.row_ptr.download(), expected.pattern.row_ptr);
  EXPECT_EQ(matrix.col_idx.download(), expected.pattern.col_idx);
  EXPECT_EQ(matrix.row_scale.download(), expected.row_scale);
  EXPECT_EQ(matrix.col_scale.download(), expected.col_scale);
  EXPECT_EQ(matrix.scaled_norm, expected.scaled_norm);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_TRUE(std::ranges::equal(matrix.values.download(), expected.values, {}, bits, bits));
}

void check_placing(const Permuted& problem, bool ahead, int expected_refactorizations) {
  StageHarness harness;
  harness.options.expect_refactorizations = expected_refactorizations;
  std::optional<DeviceMatrixAhead> a;
  if (ahead) harness.context.ahead = &a.emplace(harness.session, problem.a);
  const ProductPtr device = harness.transfer(problem.laid_out);
  const auto& matrix = product_cast<DevicePermutedMatrix>(*device);
  expect_entries(*problem.b, matrix);
  EXPECT_NE(problem.laid_out->unplaced, nullptr);  // the host's stays as it is
  const std::vector<Index> source = matrix.source.narrow.download();
  EXPECT_EQ(matrix.source.wide.size(), 0);
  if (expected_refactorizations == 0) {
    EXPECT_TRUE(source.empty());
    return;
  }
  EXPECT_TRUE(std::ranges::equal(source, problem.b->source));
  const std::vector<double> values = problem.new_values(6);
  const auto again = with_new_values(harness, problem, values, *device);
  expect_as_on_host(problem, values, product_cast<DevicePermutedMatrix>(*again));
}

void check_placing(const Permuted& problem) {
  SCOPED_TRACE(std::to_string(problem.a.values.size()) + " entries of A");
  for (const int expected_refactorizations : {0, 1}) {
    check_placing(problem, false, expected_refactorizations);
    check_placing(problem, true, expected_refactorizations);
  }
}

TEST_F(Transfers, SanitizeEntriesThatTheHostHasNotPlacedArePlacedAsThere) {
  check_placing(Permuted(0, {0}, 3));
  check_placing(Permuted(1, {0}, 3));
  check_placing(Permuted(1, {0}, 1));  // no entry at all: an added diagonal
  check_placing(Permuted(2, {1}, 1));
  check_placing(Permuted(64, {0}, 1));
  check_placing(Permuted(65, {0, 1, 6, 7, 8, 9}, 3));
  check_placing(Permuted(257, {3, 62, 63, 64, 65, 127, 128, 129, 199}, 4));
  check_placing(Permuted(300, {70, 299, 150}, 301));  // every diagonal entry is there
}

TEST_F(Transfers, EntriesOfALargeMatrixArePlacedAsOnTheHost) {
  std::vector<Index> lengths(250, 2);
  lengths[3] = 2047;
  lengths[100] = 69'999;
  check_placing(Permuted(70'000, lengths, 5));
}

// Rows that begin and end at the edges of pieces and windows, that several windows have parts of,
// and more of them in a window than a block has threads.
TEST_F(Transfers, NewValuesOfRowsThatWindowsCutArePlacedAsOnTheHost) {
  constexpr auto window = static_cast<Index>(norm_window), piece = static_cast<Index>(norm_piece);
  check_new_values(Permuted(window - 1, {0}, window), 1);
  check_new_values(Permuted(window, {0}, window + 1), 1);
  check_new_values(Permuted(window + 1, {0}, window + 2), 1);
  check_new_values(Permuted(600, {piece - 2, piece - 1, piece}, 601), 1);
  std::vector<Index> lengths(250, 2);
  lengths[3] = window - 1;
  lengths[4] = 2 * window;
  lengths[100] = 4998;
  check_new_values(Permuted(5000, lengths, 5), 1);
  check_new_values(Permuted(3 * window, {window - 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 9), 1);
}

// Those that are on the device already are placed as those of the host, and nothing is copied; the
// norm is there for kernels, too.
TEST_F(Transfers, SanitizeNewValuesOnTheDeviceArePlacedAsThoseOfTheHost) {
  for (const Index n : {1, 65, 700}) {
    const Permuted problem(n, {2, 30}, 5);
    StageHarness harness;
    const auto device = harness.transfer(problem.b);
    const std::vector<double> values = problem.new_values(7);
    DeviceVectorBlock block(harness.session, static_cast<Index>(values.size()), 1);
    harness.session.copy_to_device(block.data(), values.data(), values.size() * sizeof(double));
    harness.session.synchronize();
    const TransferCounters before = harness.session.counters();
    for (const auto& transfer : make_transfers()) {
      if (!(transfer->type() == product_types::permuted_matrix)) continue;
      const auto* const there = find_part<const TransferOnDevice>(transfer.get());
      ASSERT_NE(there, nullptr);
      const auto placed = there->run_with_values_there(*problem.b, block, *device, harness.context);
      const TransferCounters after = harness.session.counters();
      EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
      EXPECT_EQ(after.control_reads, before.control_reads);
      const auto& matrix = product_cast<DevicePermutedMatrix>(*placed);
      EXPECT_EQ(read_value(harness.session, matrix.source.space->norm_there.data()),
                static_cast<double>(matrix.scaled_norm));
      expect_as_on_host(problem, values, matrix);
      DeviceVectorBlock wrong(harness.session, block.rows() + 1, 1);
      EXPECT_THROW(there->run_with_values_there(*problem.b, wrong, *device, harness.context),
                   std::invalid_argument);
    }
  }
}

TEST_F(Transfers, NewValuesOfEveryTurnOfALongLoopHaveTheNormOfTheHost) {
  const Permuted problem(3000, {1, 2, 2999, 5, 70, 300, 3, 3, 3, 2, 1, 1}, 4);
  StageHarness harness;
  ProductPtr device = harness.transfer(problem.b);
  PermutedMatrix expected = *problem.b;
  for (std::uint64_t turn = 1; turn <= 100; ++turn) {
    std::vector<double> values = problem.new_values(turn);
    for (double& value : values) value /= static_cast<double>(turn);
    device = with_new_values(harness, problem, values, *device);
    replace_values(expected, values);
    ASSERT_EQ(product_cast<DevicePermutedMatrix>(*device).scaled_norm, expected.scaled_norm);
  }
}

TEST_F(Transfers, NewValuesAroundTheSizeOfAStageArePlacedAsOnTheHost) {
  constexpr auto stage = static_cast<Index>(StagedCopies::stage_bytes / sizeof(double));
  for (const Index n : {stage - 1, stage, stage + 1}) check_new_values(Permuted(n, {0}, n + 1), 1);
}

TEST_F(Transfers, SanitizeSourcesOfMoreEntriesThan32BitsCountTakeTwoWords) {
  const Permuted problem(100, {4, 90}, 3);
  StageHarness harness;
  const auto device = harness.transfer(problem.b);
  auto matrix = product_cast<DevicePermutedMatrix>(*device);
  matrix.source = upload_sources(harness.session, problem.b->source, Offset{1} << 31);
  EXPECT_EQ(matrix.source.narrow.size(), 0);
  EXPECT_TRUE(std::ranges::equal(matrix.source.wide.download(), problem.b->source));
  const std::vector<double> values = problem.new_values(3);
  matrix.scaled_norm = place_new_values(harness.session, values, matrix);
  expect_as_on_host(problem, values, matrix);
  place_entries(harness.session, *problem.laid_out, Offset{1} << 31, nullptr, matrix);
  EXPECT_EQ(matrix.source.narrow.size(), 0);
  EXPECT_TRUE(std::ranges::equal(matrix.source.wide.download(), problem.b->source));
  expect_entries(*problem.b, matrix);
}

TEST_F(Transfers, SanitizeNewValuesThatAreZeroOrNotFiniteArePlacedAsOnTheHost) {
  const Permuted problem(100, {4, 90}, 3);
  StageHarness harness;
  const auto device = harness.transfer(problem.b);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), infinity, -infinity, 0.0, -0.0}) {
    std::vector<double> values = problem.new_values(4);
    values[17] = bad;
    const auto again = with_new_values(harness, problem, values, *device);
    expect_as_on_host(problem, values, product_cast<DevicePermutedMatrix>(*again));
  }
}

TEST_F(Transfers, SanitizeOfAMatrixOfNewValuesOnlyTheValuesAreCopied) {
  const Permuted problem(65, {2}, 3);
  StageHarness harness;
  harness.options.expect_refactorizations = 1;
  const auto device = harness.transfer(problem.b);
  const auto& first = product_cast<DevicePermutedMatrix>(*device);
  with_new_values(harness, problem, problem.new_values(3), *device);  // makes room that stays
  const std::uint64_t held = harness.session.ledger().in_use();
  for (const std::uint64_t seed : {1, 2}) {
    const TransferCounters before = harness.session.counters();
    const auto again = with_new_values(harness, problem, problem.new_values(seed), *device);
    const auto& matrix = product_cast<DevicePermutedMatrix>(*again);
    const TransferCounters after = harness.session.counters();
    EXPECT_EQ(after.bytes_h2d - before.bytes_h2d, 8 * problem.a.values.size());
    EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
    EXPECT_EQ(after.control_reads, before.control_reads);
    EXPECT_EQ(harness.session.ledger().in_use(), held);
    EXPECT_EQ(matrix.values.data(), first.values.data());
    EXPECT_EQ(matrix.col_idx.data(), first.col_idx.data());
    EXPECT_EQ(matrix.row_scale.data(), first.row_scale.data());
  }
}

TEST_F(Transfers, SanitizeTheNormOfNewValuesIsWaitedForOnceWhereNobodyHasYet) {
  const Permuted problem(65, {2}, 3);
  StageHarness harness;
  const auto device = harness.transfer(problem.b);
  PermutedMatrix expected = *problem.b;
  replace_values(expected, problem.new_values(1));
  for (const bool waited : {false, true}) {
    const auto again = with_new_values(harness, problem, problem.new_values(1), *device);
    const auto& matrix = product_cast<DevicePermutedMatrix>(*again);
    if (waited) {
      EXPECT_EQ(read_value(harness.session, matrix.row_ptr.data() + 1),
                expected.pattern.row_ptr[1]);
    }
    const auto before = harness.session.counters().control_reads;
    EXPECT_EQ(matrix.scaled_norm, expected.scaled_norm);
    EXPECT_EQ(matrix.scaled_norm, expected.scaled_norm);
    EXPECT_EQ(harness.session.counters().control_reads - before, waited ? 0u : 1u);
  }
}

TEST_F(Transfers, SanitizeAWrongNumberOfNewValuesIsRefused) {
  const Permuted problem(65, {2}, 3);
  StageHarness harness;
  const auto device = harness.transfer(problem.b);
  std::vector<double> values = problem.new_values(1);
  values.pop_back();
  EXPECT_THROW(with_new_values(harness, problem, values, *device), std::invalid_argument);
  const auto transfers = make_transfers();  // the last is that of a schedule
  EXPECT_THROW(transfers.back()->run_with_new_values(*problem.b, values, *device, harness.context),
               std::logic_error);
}

TEST_F(Transfers, SanitizePatternAndScheduleComeBackAsTheyWent) {
  for (const StructureCase& structure : small_cases()) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const ColumnPattern pattern = reference::row_merge(structure.matrix.pattern);
    const auto device_pattern = harness.transfer(std::make_shared<ColumnPattern>(pattern));
    const auto pattern_back = harness.download<ColumnPattern>(device_pattern);
    EXPECT_EQ(pattern_back->rows.row_ptr, pattern.rows.row_ptr);
    EXPECT_EQ(pattern_back->rows.col_idx, pattern.rows.col_idx);
    EXPECT_EQ(pattern_back->diagonal, pattern.diagonal);
    const ColumnSchedule schedule = reference::levelize(pattern, DependencyRule::relaxed);
    const auto device_schedule = harness.transfer(std::make_shared<ColumnSchedule>(schedule));
    const auto schedule_back = harness.download<ColumnSchedule>(device_schedule);
    EXPECT_EQ(schedule_back->rule, schedule.rule);
    EXPECT_EQ(schedule_back->level_of, schedule.level_of);
    EXPECT_EQ(schedule_back->columns, schedule.columns);
    EXPECT_EQ(schedule_back->level_ptr, schedule.level_ptr);
  }
}

}  // namespace
}  // namespace lufact::gpu
