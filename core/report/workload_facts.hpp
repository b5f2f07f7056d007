// SPDX-License-Identifier: BSD-3-Clause
// What reading a result file takes to know of a workload.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace lufact {

struct WorkloadFacts {
  std::string_view name;  // as in `workload`
  // The phases whose seconds add up to a sample's total_s, in the order in which tables show them.
  std::span<const std::string_view> counted_phases;
  // Sections of a record that are there in every run, and those that may be null; the others are.
  std::span<const std::string_view> sections, optional_sections;
};
using KnownWorkloads = std::vector<WorkloadFacts>;

WorkloadFacts sparse_facts();
WorkloadFacts batch_facts();
WorkloadFacts dense_facts();

}  // namespace lufact
