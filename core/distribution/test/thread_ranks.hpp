// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of one process, for tests.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/distribution/rank_group.hpp"

namespace lufact::test {

// Calls body(group) on each of `size` ranks at the same time. Throws what rank 0 threw. What
// another rank throws ends the test program, as it would end the group.
void run_on_ranks(Index size, const std::function<void(RankGroup&)>& body);

}  // namespace lufact::test
