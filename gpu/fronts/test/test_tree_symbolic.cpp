// SPDX-License-Identifier: BSD-3-Clause
// One test body over every symbolic stage that gives fronts, of either side: the tree is that of
// cpu-fronts on one thread, entry by entry, and passes the validator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/fronts/analysis/group_children.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/generate/generate.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/reader.hpp"
#include "core/matrix/test/real_matrices.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"
#include "core/verify/validate_fronts.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/gpu.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

std::vector<std::unique_ptr<SymbolicStage>> front_symbolic_stages() {
  auto stages = symbolic_stages();
  std::erase_if(stages, [](const auto& stage) {
    return !(stage->info().gives == product_types::front_tree);
  });
  stages.push_back(make_cpu_fronts_symbolic());
  return stages;
}

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const auto& stage : front_symbolic_stages()) names.push_back(stage->info().name);
  return names;
}

void expect_same_tree(const FrontTree& tree, const FrontTree& expected) {
  EXPECT_EQ(tree.n, expected.n);
  EXPECT_EQ(tree.nnz_bound, expected.nnz_bound);
  EXPECT_EQ(tree.exact, expected.exact);
  EXPECT_TRUE(tree.label == expected.label) << "label";
  EXPECT_TRUE(tree.first == expected.first) << "first";
  EXPECT_TRUE(tree.parent == expected.parent) << "parent";
  EXPECT_TRUE(tree.row_ptr == expected.row_ptr) << "row_ptr";
  EXPECT_TRUE(tree.row == expected.row) << "row";
  EXPECT_TRUE(tree.parent_row == expected.parent_row) << "parent_row";
  EXPECT_TRUE(tree.entry_ptr == expected.entry_ptr) << "entry_ptr";
  EXPECT_TRUE(tree.entry_source == expected.entry_source) << "entry_source";
  EXPECT_TRUE(tree.entry_row == expected.entry_row) << "entry_row";
  EXPECT_TRUE(tree.entry_column == expected.entry_column) << "entry_column";
}

std::shared_ptr<const FrontTree> to_host(const ProductPtr& product, StageContext& context) {
  if (product->side() == Side::host) return std::dynamic_pointer_cast<const FrontTree>(product);
  for (const auto& transfer : make_front_transfers()) {
    if (transfer->type() == product->type() && transfer->from() == Side::device) {
      return std::dynamic_pointer_cast<const FrontTree>(transfer->run(product, context));
    }
  }
  return nullptr;
}

// cpu-fronts on one thread.
FrontTree expected_tree(const PermutedMatrix& matrix) {
  const SteadyClock clock;
  PhaseRecorder phases{clock, nullptr};
  const StageOptions options;
  StageNotes notes;
  StageContext context{.phases = phases, .options = options, .notes = notes, .check_resident = {}};
  const auto product = std::make_shared<PermutedMatrix>(matrix);
  return product_cast<FrontTree>(*make_cpu_fronts_symbolic()->run(product, context));
}

class EveryFrontStage : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    for (auto& stage : front_symbolic_stages()) {
      if (stage->info().name == GetParam()) stage_ = std::move(stage);
    }
    ASSERT_NE(stage_, nullptr);
  }

  bool on_device() const { return stage_->info().side == Side::device; }

  std::shared_ptr<const FrontTree> run(StageHarness& harness, const PermutedMatrix& matrix) {
    const ProductPtr host = std::make_shared<PermutedMatrix>(matrix);
    const ProductPtr product = on_device() ? harness.transfer(host) : host;
    return to_host(stage_->run(product, harness.context), harness.context);
  }

  // Nothing is held afterwards; returns what was.
  DeviceMemoryReport expect_tree(const StructureCase& structure, const SessionOptions& limit = {}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness(limit);
    harness.options.threads = 2;
    const auto tree = run(harness, structure.matrix);
    expect_same_tree(*tree, expected_tree(structure.matrix));
    const ValidatorVerdict verdict = validate_front_tree(structure.matrix, *tree);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    const MemoryLedger& ledger = harness.session.ledger();
    EXPECT_EQ(ledger.in_use(), 0u);
    EXPECT_LE(ledger.report().peak_bytes, ledger.budget());
    return ledger.report();
  }

  std::unique_ptr<SymbolicStage> stage_;
};

std::string test_name(const ::testing::TestParamInfo<std::string>& stage) {
  std::string name = stage.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Stages, EveryFrontStage, ::testing::ValuesIn(stage_names()), test_name);

// With labels in postorder and the forest, as mode fast has them, under an ordering of its own.
StructureCase postordered(const std::string& name, const CsrMatrix& matrix,
                          const Matching& matching, Ordering ordering) {
  const CsrPattern pa = permuted_rows(matrix, matching.rows);
  return {name + ", postordered",
          *build_permuted_matrix(matrix, matching, compose_postorder(pa, ordering))};
}

StructureCase postordered(const StructureCase& structure) {
  const PermutedMatrix& b = structure.matrix;
  CsrMatrix matrix;
  matrix.pattern = b.pattern;
  matrix.values.assign(b.values.begin(), b.values.end());
  Matching matching;
  matching.rows = Permutation::identity(b.pattern.n_rows);
  matching.row_scale = matching.col_scale = std::vector<double>(b.row_scale.size(), 1.0);
  return postordered(structure.name, matrix, matching,
                     {.perm = Permutation::identity(b.pattern.n_rows)});
}

// Entries at random distances up to `reach`, of which some have their mirror images.
StructureCase banded(Index n, Index per_row, Index reach, int mirrored_percent) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < per_row; ++k) {
      const std::uint64_t random = hash64(static_cast<std::uint64_t>(97 * mirrored_percent + reach),
                                          static_cast<std::uint64_t>(i * per_row + k));
      const auto span = static_cast<std::uint64_t>(2 * reach + 1);
      const Index j = std::clamp(i - reach + static_cast<Index>(random % span), 0, n - 1);
      triplets.push_back({i, j, 1});
      if (static_cast<int>(random >> 40) % 100 < mirrored_percent) triplets.push_back({j, i, 1});
    }
  }
  return make_case("banded_" + std::to_string(n) + "_" + std::to_string(mirrored_percent), n,
                   triplets);
}

// The last vertices are joined with the ends of paths, so that fronts have many children.
StructureCase brush(Index paths, Index length, Index hubs) {
  std::vector<test::Triplet> triplets;
  const Index n = paths * length + hubs;
  for (Index p = 0; p < paths; ++p) {
    for (Index k = 0; k < length; ++k) {
      const Index i = p * length + k, end = n - 1 - (p * 7 + k) % hubs;
      const Index next = k + 1 < length ? i + 1 : end;
      triplets.insert(triplets.end(), {{i, next, 1}, {next, i, 1}});
      if (k % 5 == 0) triplets.push_back({i, end, 1});
    }
  }
  return make_case("brush_" + std::to_string(paths) + "_" + std::to_string(length), n, triplets);
}

TEST_P(EveryFrontStage, SanitizeFindsTheTreeOfSmallMatrices) {
  for (const StructureCase& structure : small_cases()) {
    expect_tree(structure);
    expect_tree(postordered(structure));
  }
}

TEST_P(EveryFrontStage, SanitizeFindsTheTreeOfBandsOfEverySymmetry) {
  for (const int percent : {0, 30, 90, 100}) {
    for (const StructureCase& structure :
         {banded(500, 2, 7, percent), banded(450, 1, 200, percent), banded(300, 3, 40, percent)}) {
      expect_tree(structure);
      expect_tree(postordered(structure));
    }
  }
}

TEST_P(EveryFrontStage, SanitizeGroupsManyChildren) {
  for (const StructureCase& structure : {brush(14, 2, 1), brush(60, 5, 3), brush(90, 3, 20)}) {
    expect_tree(structure);
    const StructureCase labelled = postordered(structure);
    expect_tree(labelled);
    const FrontTree tree = expected_tree(labelled.matrix);
    const auto is_group = [&](Index f) { return tree.pivots(f) == 0; };
    Index groups = 0;
    for (Index f = 0; f < tree.fronts(); ++f) groups += is_group(f);
    if (structure.name == "brush_60_5") {
      EXPECT_GT(groups, 0);
    }
  }
}

TEST_P(EveryFrontStage, FindsTheTreeOfLargerMatrices) {
  for (const StructureCase& structure :
       {random_case(2000, 1), chain(30000), folded_path(6000), entered_path(1200),
        dense_last_rows(1500, 5), late_hub(1500), arrow(2047, false), banded(20000, 2, 30, 100),
        banded(20000, 2, 30, 60), banded(3000, 1, 2900, 50), brush(700, 40, 9)}) {
    expect_tree(structure);
    expect_tree(postordered(structure));
  }
}

StructureCase prepared(const std::string& name, const CsrMatrix& matrix) {
  std::vector<Warning> warnings;
  const Matching matching = mc64(matrix, false, warnings);
  const CsrPattern pa = permuted_rows(matrix, matching.rows);
  return postordered(name, matrix, matching, {.perm = amd_ordering(pa)});
}

TEST_P(EveryFrontStage, FindsTheTreeOfRealMatrices) {
  const char* data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  if (!on_device()) GTEST_SKIP() << "it is what is expected";
  const std::vector<std::string> paths = test::real_matrices(data);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) expect_tree(prepared(path, read_matrix(path, {}).matrix));
}

TEST_P(EveryFrontStage, FindsTheTreeOfGeneratedClasses) {
  if (!on_device()) GTEST_SKIP() << "it is what is expected";
  for (const GeneratorKind& kind : generator_kinds()) {
    GeneratorFacts facts;
    facts.kind = kind.name;
    facts.seed = 11;
    expect_tree(prepared(facts.kind, generate_matrix(facts)));
  }
}

// Every limit either gives the tree within the budget, or the documented error and no charge.
TEST_P(EveryFrontStage, BudgetsFromNothingUpwardsGiveTheTreeOrSayWhatIsMissing) {
  if (!on_device()) GTEST_SKIP() << "it takes no device memory";
  for (const StructureCase& structure :
       {random_case(129, 2), brush(60, 5, 3), postordered(banded(400, 2, 9, 100))}) {
    SCOPED_TRACE(structure.name);
    const DeviceMemoryReport whole = expect_tree(structure);
    const std::uint64_t step = whole.peak_bytes / 40 + 1;
    std::uint64_t failures = 0;
    bool succeeded = false;
    for (std::uint64_t bytes = step; bytes <= whole.peak_bytes + step; bytes += step) {
      SCOPED_TRACE(bytes);
      StageHarness harness({0, bytes});
      try {
        run(harness, structure.matrix);
        succeeded = true;
      } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::oom_device);
        EXPECT_EQ(error.code(), "device_budget");
        EXPECT_FALSE(succeeded) << "a larger budget failed where a smaller one did not";
        ++failures;
      }
      EXPECT_EQ(harness.session.ledger().in_use(), 0u);
      EXPECT_LE(harness.session.ledger().report().peak_bytes, bytes);
    }
    EXPECT_TRUE(succeeded);
    EXPECT_GT(failures, 20u);
  }
}

TEST_P(EveryFrontStage, HundredsOfRunsBesideACompetingKernelGiveTheSameTree) {
  if (!on_device()) GTEST_SKIP() << "it does not run on the device";
  for (const StructureCase& structure : {random_case(900, 1), banded(6000, 1, 40, 30),
                                         postordered(banded(4000, 2, 40, 100)), brush(90, 3, 20)}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const OtherStream other;
    const ProductPtr matrix = harness.upload(structure.matrix);
    const FrontTree expected = expected_tree(structure.matrix);
    for (std::uint64_t run = 0; run < 100; ++run) {
      SCOPED_TRACE(run);
      other.occupy_randomly(harness.session.sm_count(), run);
      expect_same_tree(*to_host(stage_->run(matrix, harness.context), harness.context), expected);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
