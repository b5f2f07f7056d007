// SPDX-License-Identifier: BSD-3-Clause
// Every symbolic stage of the device on every real matrix at hand and on every generated class, as
// mc64 and AMD leave them, with and without a limit on memory: the pattern of the pruned search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/base/error.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/generate/generate.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/reader.hpp"
#include "core/matrix/test/real_matrices.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"
#include "gpu/gpu.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/column_stages.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

// Work arrays of all rows of a long matrix exceed any card; pages touched one by one take seconds.
constexpr std::uint64_t generous_bytes = std::uint64_t{1} << 30;

struct Limit {
  std::string name;
  std::optional<std::uint64_t> device;  // bytes
  ManagedOptions managed;
};

// Makes a card small: holds what is beyond a limit, in the books alone.
class HeldMemory {
 public:
  HeldMemory(DeviceSession& session, std::optional<std::uint64_t> limit) : session_(session) {
    const std::uint64_t free = session.ledger().available();
    bytes_ = free - std::min(free, limit.value_or(free));
    session.ledger().charge(MemoryKind::device, MemoryRole::resident, bytes_, "the test");
    session.ledger().reset_peaks();
  }
  ~HeldMemory() { session_.ledger().release(MemoryKind::device, MemoryRole::resident, bytes_); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

 private:
  DeviceSession& session_;
  std::uint64_t bytes_ = 0;
};

StructureCase prepared(const std::string& name, const CsrMatrix& matrix) {
  std::vector<Warning> warnings;
  const Matching matching = mc64(matrix, false, warnings);
  const CsrPattern pa = permuted_rows(matrix, matching.rows);
  return {name, *build_permuted_matrix(matrix, matching, {.perm = amd_ordering(pa)})};
}

class RealSymbolic : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    session.emplace(SessionOptions{});
  }

  // Nothing where the stage says that the limit is too small for it.
  std::optional<DeviceMemoryReport> run(const SymbolicStage& stage, const StructureCase& structure,
                                        const ColumnPattern& expected, const Limit& limit) {
    SCOPED_TRACE(stage.info().name + ", " + limit.name);
    const HeldMemory held(*session, limit.device);
    StageHarness harness(*session, limit.managed);
    try {
      const ProductPtr pattern = stage.run(harness.upload(structure.matrix), harness.context);
      expect_same(*harness.download<ColumnPattern>(pattern), expected);
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::oom_device) << error.what();
      return std::nullopt;
    }
    return session->ledger().report();
  }

  // Without a limit on the device but a generous one on managed memory, then with a tenth of what
  // the work took then beside the bytes that must stay. Only work arrays for all rows may not fit.
  void expect_reference_pattern(const StructureCase& structure) {
    SCOPED_TRACE(structure.name);
    StageHarness host(*session);
    const ColumnPattern expected =
        factor_pattern_gp_pruned(structure.matrix.pattern.view(), host.context);
    for (const auto& stage : column_symbolic_stages()) {
      const Limit roomy{"roomy", std::nullopt, {.bytes = generous_bytes}};
      const auto whole = run(*stage, structure, expected, roomy);
      const auto work = stage->work_bytes(structure.matrix.pattern.n_rows);
      const bool all_rows_at_once = work && work->least == work->all_rows;
      if (!whole) {
        EXPECT_TRUE(all_rows_at_once) << stage->info().name;
      } else if (!all_rows_at_once) {
        const std::uint64_t least = work ? work->least : std::uint64_t{1} << 20;
        const std::uint64_t tenth = std::max(64 * least, whole->scratch_peak_bytes / 10);
        run(*stage, structure, expected,
            {"tight", whole->resident_peak_bytes + tenth, {.bytes = tenth}});
      }
    }
  }

  std::optional<DeviceSession> session;
};

TEST_F(RealSymbolic, EveryStageGivesThePatternOfThePrunedSearchOnRealMatrices) {
  const char* data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  const std::vector<std::string> paths = test::real_matrices(data);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    expect_reference_pattern(prepared(path, read_matrix(path, {}).matrix));
  }
}

TEST_F(RealSymbolic, EveryStageGivesThePatternOfThePrunedSearchOnGeneratedClasses) {
  for (const GeneratorKind& kind : generator_kinds()) {
    GeneratorFacts facts;
    facts.kind = kind.name;
    facts.seed = 11;
    expect_reference_pattern(prepared(facts.kind, generate_matrix(facts)));
  }
}

}  // namespace
}  // namespace lufact::gpu
