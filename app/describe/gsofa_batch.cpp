// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/gsofa_batch.hpp"

#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact {

GsofaBatch plan_gsofa_batch(Index n, std::uint64_t left_bytes) {
  GsofaOptions options;
  gpu::GsofaNeeds needs;
  needs.rows = {.n = n, .chunk_size = options.chunk_size};
  GsofaBatch batch;
  batch.row_bytes = gpu::gsofa_row_bytes(needs.rows);
  needs.budget_bytes = gpu::gsofa_budget_bytes(options, left_bytes);
  batch.budget_bytes = needs.budget_bytes;
  batch.paper_sources = gpu::gsofa_paper_sources(n, needs.budget_bytes);
  // The array does not depend on the card, but what is put into it does: as much as it holds here.
  const gpu::GsofaPlanner planner(needs, options);
  batch.array_bytes =
      static_cast<std::uint64_t>(planner.plan().array_words) * sizeof(gpu::MaxIdWord);
  needs.budget_bytes = batch.array_bytes;
  options.concurrency = {GsofaConcurrencyOption::Rule::fixed, n};
  const gpu::GsofaPlan plan = gpu::plan_gsofa(needs, options);
  batch.most_sources = plan.most_sources;
  batch.least_sources = plan.least_sources;
  batch.batches = std::ssize(plan.batches);
  return batch;
}

}  // namespace lufact
