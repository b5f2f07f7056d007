// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of GSoFa's two-phase supernode detection (section 5, Fig. 8).
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"

namespace lufact::reference {

// What the first phase leaves of a chunk for the second: rows whose test (i) fails, which lead
// ranges of rows, over all chunks.
struct SupernodeSearch {
  std::vector<Index> leaders;     // after the first phase, ascending
  std::vector<Index> supernodes;  // row pointers of the supernodes
};

// Definition 1 in chunks of `chunk_size` rows, phase by phase. Erratum: by the text of Fig. 8 the
// walk of a leader ends where test (ii), L(s, r) != 0, fails; by Definition 1 row s then leads a
// supernode of its own and the walk goes on with it.
SupernodeSearch t3_supernodes(const ColumnPattern& pattern, Index chunk_size);

}  // namespace lufact::reference
