// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "core/base/types.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// info := 0, or the first k from 1 with U(k, k) exactly zero, of factors by columns in device
// memory (ld entries apart). One launch on the session's stream. `Real` is float or double.
template <class Real>
void find_zero_pivot(DeviceSession& session, const Real* lu, Index ld, Index order,
                     std::int32_t* info);

}  // namespace lufact::gpu
