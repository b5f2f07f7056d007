// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <omp.h>

#include <new>

#include "core/columns/supernodes.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/matrix/test/failing_allocations.hpp"

namespace lufact::test {
namespace {

TEST(Supernodes, LetAFailedAllocationOutOfTheirRegion) {
  Harness harness;
  const ProductPtr product =
      make_gp_pruned_symbolic()->run(natural_product(random_matrix(200, 3, 7)), harness.context);
  const auto& pattern = product_cast<ColumnPattern>(*product);
  omp_set_num_threads(2);
  {
    const NoMemoryInRegions no_memory;
    EXPECT_THROW(find_t3_supernodes(pattern, 8), std::bad_alloc);
  }
  EXPECT_FALSE(find_t3_supernodes(pattern, 8).empty());
}

}  // namespace
}  // namespace lufact::test
