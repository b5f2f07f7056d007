// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/test/hard_runs.hpp"

namespace lufact::test {

INSTANTIATE_TEST_SUITE_P(Device, HardRuns,
                         testing::Values(Line{.name = "fast", .mode = "fast", .on_device = true},
                                         Line{.name = "fronts_on_device",
                                              .mode = "fast",
                                              .on_device = true,
                                              .fronts_on_device = true}),
                         line_name);

}  // namespace lufact::test
