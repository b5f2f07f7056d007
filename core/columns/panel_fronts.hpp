// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/columns/panels.hpp"

namespace lufact {

// Turns the bits of B's entries into those of L and U, for an unsymmetric pattern: elimination on
// the pattern, from the leaves of the forest of panels to its roots. A panel whose descendants are
// finished closes its diagonal block and its slots under fill. Then it adds the pattern of each of
// its columns to the later rows and columns that the column reaches, no further than the column's
// first symmetric pair of entries (symmetric pruning, Eisenstat and Liu 1992). Panels of disjoint
// subtrees go to different threads. These threads share only words of common ancestors, where bits
// are only added, so that the result does not depend on the threads. This is the multifrontal
// method (I. S. Duff, J. K. Reid, ACM TOMS 9, 1983) on patterns, with fronts that stay in place.
void eliminate_panels(const Panels& panels, PanelSlots& slots, int threads);

}  // namespace lufact
