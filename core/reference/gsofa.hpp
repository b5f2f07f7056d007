// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of GSoFa's search (Fig. 6), with what its record counts.
#pragma once
#include "core/pipeline/column_products.hpp"

namespace lufact::reference {

struct GsofaCounts {
  Offset new_fill = 0;        // entries that are not in the matrix
  Offset edges = 0;           // neighbours looked at
  Offset enqueued = 0;        // frontier vertices, entries of the matrix included
  Offset enqueued_again = 0;  // of them such as had been in the queue for their source before
  Offset iterations = 0;      // of all sources
  Index most_iterations = 0;  // of one source
  Offset longest_queue = 0;   // of one source
};

struct GsofaSearch {
  ColumnPattern pattern;
  GsofaCounts counts;
};

// Fig. 6, source by source and one frontier vertex after the other, with these errata: line 6 adds
// v to the queue, not src; line 5 sets fill(v) to src; tags start below every source, so that
// source 0 has one; a vertex beyond the source gets no maxId, for every path to it passes smaller
// vertices alone. Counts depend on the order in which frontier vertices are taken, here that of the
// queue; the pattern does not. `b` is square with a full diagonal.
GsofaSearch gsofa(const CsrPattern& b);

}  // namespace lufact::reference
