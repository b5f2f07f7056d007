// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lufact::gpu {

// A block's problem in shared memory, where nothing may have a constructor.
template <class Problem>
struct SharedProblem {
  alignas(Problem) char bytes[sizeof(Problem)];

  __device__ Problem& get() { return reinterpret_cast<Problem&>(bytes); }
};

}  // namespace lufact::gpu
