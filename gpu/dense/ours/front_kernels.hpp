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
struct ChainedTiles;
}  // namespace lufact::gpu

namespace lufact::gpu::blocked {

// Blocks that run at once on the whole card, tiles on the diagonal being tasks as others. To be
// called before the first factor_front().
template <class T>
Offset resident_front_blocks(const DeviceSession& session);
// Where one block has the chain of tiles on the diagonal; 0 where a block of the card has not the
// shared memory. To be called before the first factor_front() with a chain, for which there have to
// be 2 at least.
template <class T>
Offset resident_chained_blocks(const DeviceSession& session);

// The tasks of the plan by so many blocks, at most those that are resident, with a chain where the
// tiles have a place for it; then tiles on the diagonal are multiplied out of their inverses. Two
// launches on the session's stream.
template <class T>
void factor_front(DeviceSession& session, Offset blocks, const FrontProblem<T>& problem,
                  const FrontShape& shape, const ChainedTiles<T>& tiles);

}  // namespace lufact::gpu::blocked
