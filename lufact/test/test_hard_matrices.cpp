// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/test/hard_runs.hpp"

namespace lufact::test {

INSTANTIATE_TEST_SUITE_P(Host, HardRuns,
                         testing::Values(Line{.name = "fast_cpu", .mode = "fast-cpu"}), line_name);

}  // namespace lufact::test
