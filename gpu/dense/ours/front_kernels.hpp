// SPDX-License-Identifier: BSD-3-Clause
// The kernels of DenseFront.
#pragma once
#include "core/base/types.hpp"

namespace lufact {
class DeviceSession;
struct FrontShape;
}  // namespace lufact

namespace lufact::gpu {
template <class T>
struct FrontProblem;
template <class T>
struct DenseTiles;
}  // namespace lufact::gpu

namespace lufact::gpu::blocked {

// Blocks that run at once on the whole card. To be called before the first factor_front().
template <class T>
Offset resident_front_blocks(const DeviceSession& session);

// The tasks of the plan by so many blocks, at most those that are resident; then tiles on the
// diagonal are multiplied out of their inverses. Two launches on the session's stream.
template <class T>
void factor_front(DeviceSession& session, Offset blocks, const FrontProblem<T>& problem,
                  const FrontShape& shape, const DenseTiles<T>& tiles);

}  // namespace lufact::gpu::blocked
