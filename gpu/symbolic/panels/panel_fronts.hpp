// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/forest/panel_slots.hpp"

namespace lufact::gpu {

// Turns the bits of B's entries into those of L and U, for an unsymmetric pattern: elimination on
// the pattern, from the leaves of the forest of panels to its roots. A panel whose descendants are
// finished closes its diagonal block and its slots under fill. Then it adds the pattern of each
// column to the later rows and columns that the column reaches, no further than its first symmetric
// pair of entries (symmetric pruning, Eisenstat and Liu 1992). The block that finishes a panel's
// last child goes on with the panel: no queue and no waiting. Bits of common ancestors are only
// added, so that the result does not depend on the order. This is the multifrontal method (I. S.
// Duff, J. K. Reid, ACM TOMS 9, 1983) on patterns, with fronts that stay in place.
void eliminate_panels(DeviceSession& session, const PanelArrays& panels, Index panel_count,
                      const SlotArrays& slots, const FrontArrays& fronts);

}  // namespace lufact::gpu
