// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection by one multilevel k-way partition, on all threads.
#pragma once
#include <memory>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/order/graph/graph.hpp"
#include "core/order/nd/minimum_degree.hpp"
#include "core/order/nd/partition_with_separator.hpp"

namespace lufact::nd {

struct Dissection {
  std::vector<Index> leaves;      // the first vertices of the order, part by part
  std::vector<Index> part_begin;  // in `leaves`, then the end: parts are not adjacent to each other
  std::vector<Index> by_degree;   // the separator, minimum degree
  std::vector<Index> by_level;    // the separator, by level
  std::vector<Index> last;        // hubs, by degree
  std::shared_ptr<const Graph> graph;  // of A + A'
  OrderingCost cost_by_degree;         // of everything but `last`, with the first order
  OrderingCost cost_by_level;          // with the second

  Index parts() const noexcept { return static_cast<Index>(part_begin.size()) - 1; }
};

// Which of the orders that the same steps may yield.
struct DissectionRules {
  Index fineness = 1;      // so many times more and smaller parts than the quickest choice
  std::uint64_t seed = 0;  // of ties and random starts
  ColumnPathRates path{};  // for the paths in costs, which no order depends on
};

// The steps that a device may take instead of the host's threads, with the same results. This class
// runs them on the host.
class DissectionSteps {
 public:
  virtual ~DissectionSteps() = default;
  virtual Graph form_graph(const PatternView& a, int threads);  // as graph_of()
  virtual PartitionWithSeparator partition_with_separator(const Graph& graph,
                                                          const PartitionRules& rules, int threads,
                                                          PhaseRecorder& phases);
};

// An order of the graph of A + A': first the parts, each in minimum degree order, with vertices of
// at most two neighbours first where they are many; then the separator between the parts; then
// hubs, vertices of a great many neighbours. `a` is square with ascending columns. The same for
// every number of threads; 0: all. The steps are sub-phases of `phases`. Throws std::bad_alloc and
// Error{unsupported, "ordering_overflow"}.
Dissection dissect(const PatternView& a, int threads, PhaseRecorder& phases,
                   const DissectionRules& rules = {});
Dissection dissect(const PatternView& a, int threads, PhaseRecorder& phases,
                   const DissectionRules& rules, DissectionSteps& steps);

}  // namespace lufact::nd
