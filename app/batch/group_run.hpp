// SPDX-License-Identifier: BSD-3-Clause
// The matrices of one order of a batch, their arrays and what works on them.
#pragma once
#include "app/array/array_run.hpp"
#include "core/batch/batch_arrays.hpp"

namespace lufact {

using GroupRun = ArrayRun<BatchArrays>;

// A stage on the device, with arrays on the host whose matrices go through in chunks.
std::unique_ptr<GroupRun> make_streamed_run(const ArrayStage& stage, ArrayContext& context,
                                            const ArrayProblem& problem,
                                            MakeArrays<BatchArrays> make, bool page_locked);

}  // namespace lufact
