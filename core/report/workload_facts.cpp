// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/workload_facts.hpp"

#include <array>

#include "core/pipeline/counted_phases.hpp"

namespace lufact {

WorkloadFacts sparse_facts() {
  static constexpr std::array<std::string_view, 3> sections{"matrix", "pipeline", "factors"};
  static constexpr std::array<std::string_view, 7> optional_sections{
      "peer", "unified_memory", "numeric", "profile", "gsofa", "supernodes", "distribution"};
  return {"sparse", sparse_counted_phases, sections, optional_sections};
}

WorkloadFacts batch_facts() {
  static constexpr std::array<std::string_view, 3> counted{"numeric", "solve", "transfer"};
  static constexpr std::array<std::string_view, 3> sections{"matrix", "pipeline", "batch"};
  static constexpr std::array<std::string_view, 2> optional_sections{"peer", "factors"};
  return {"batch", counted, sections, optional_sections};
}

WorkloadFacts dense_facts() {
  static constexpr std::array<std::string_view, 3> sections{"matrix", "pipeline", "dense"};
  return {"dense", batch_facts().counted_phases, sections, batch_facts().optional_sections};
}

}  // namespace lufact
