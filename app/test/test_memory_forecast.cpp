// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "app/config/memory_forecast.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

// Of results/h200/right-hand-sides.json.xz: the most that `fast` held of an H200 at any time. The
// entries of L + U are those that a sweep's plan counts, with AMD.
struct Measured {
  const char* name;
  Index n;
  Offset nnz, nnz_lu;
  Index rhs;
  std::uint64_t bytes;
};

constexpr Measured measured[] = {
    {"memplus", 17758, 126150, 126152, 1, 12026184},
    {"memplus", 17758, 126150, 126152, 64, 64215536},
    {"bcsstk18", 11948, 149090, 1262122, 1, 27543204},
    {"bcsstk18", 11948, 149090, 1262122, 64, 70147516},
    {"rail_79841", 79841, 553921, 3386453, 1, 96472086},
    {"rail_79841", 79841, 553921, 3386453, 64, 363056422},
    {"af23560", 23560, 484256, 8415898, 1, 152127828},
    {"af23560", 23560, 484256, 8415898, 64, 280164972},
    {"luxembourg_osm", 114599, 353931, 570227, 1, 45205134},
    {"luxembourg_osm", 114599, 353931, 570227, 64, 351867214},
};

ChainForecast forecast(const std::string& mode, const Measured& run) {
  const Catalogue catalogue = make_catalogue();
  MatrixFacts facts;
  facts.n = run.n;
  facts.nnz = run.nnz;
  ForecastTerms terms;
  terms.rhs = run.rhs;
  terms.refactorizations = 1000;
  return forecast_chain(resolve_chain(catalogue, catalogue.mode(mode).stages), facts, run.nnz_lu,
                        terms, {});
}

TEST(MemoryForecast, SaysRoughlyWhatFrontsHoldOfADevice) {
  for (const Measured& run : measured) {
    SCOPED_TRACE(::testing::Message() << run.name << ", right-hand sides: " << run.rhs);
    const auto bytes = static_cast<double>(forecast("fast", run).resident_bytes);
    EXPECT_GE(bytes, 0.75 * static_cast<double>(run.bytes));
    EXPECT_LE(bytes, 1.5 * static_cast<double>(run.bytes));
  }
}

// The right-hand sides, the solutions and what refines them.
TEST(MemoryForecast, HasEveryRightHandSide) {
  for (const char* mode : {"fast", "ooc", "cpu", "fast-cpu"}) {
    Measured run = measured[0];
    const std::uint64_t one = forecast(mode, run).resident_bytes;
    run.rhs = 5;
    const std::uint64_t vectors = 4 * 2 * sizeof(double) * static_cast<std::uint64_t>(run.n);
    EXPECT_GE(forecast(mode, run).resident_bytes, one + vectors) << mode;
  }
}

}  // namespace
}  // namespace lufact
