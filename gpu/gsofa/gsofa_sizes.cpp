// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_sizes.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

// Places in a bitmap stay below 2^31 when they are rounded up.
constexpr Index most_rows = Index{1} << 30;

// The chunks whose last row is before position `end`, all of them at the end.
Offset chunks_before(const GsofaRows& rows, Offset end, Offset positions) {
  return end >= positions ? (positions + rows.chunk_size - 1) / rows.chunk_size
                          : end / rows.chunk_size;
}

}  // namespace

void no_source_fits(const GsofaNeeds& needs, const GsofaSizes& sizes) {
  const Offset last = std::max<Offset>(0, needs.rows.positions() - needs.devices);
  const auto bytes =
      static_cast<std::uint64_t>(round_up_to_four(sizes.least_words(last, 1)) * word_bytes);
  throw Error(Outcome::oom_device, "gsofa_budget",
              fmt::format("a source of a matrix with {} rows needs {} ({} bytes) for maxId, fill "
                          "and queues; the budget of the search is {} ({} bytes); raise "
                          "--gsofa-budget, and --device-memory-limit where the budget follows it",
                          needs.rows.n, format_byte_size(bytes), bytes,
                          format_byte_size(needs.budget_bytes), needs.budget_bytes));
}

void require_gsofa_rows(Index n) {
  if (n < most_rows) return;
  throw Error(Outcome::unsupported, "matrix_too_large",
              fmt::format("gpu-gsofa takes matrices of fewer than {} rows, not {}; use a CPU mode",
                          most_rows, n));
}

void require_gsofa_options(const GsofaNeeds& needs, const GsofaOptions& options) {
  if (options.dynamic && !options.bubbles) {
    throw std::invalid_argument("gsofa: dynamic needs bubbles");
  }
  if (options.queue && (!options.external || *options.queue < 1)) {
    throw std::invalid_argument("gsofa: a queue of a given size needs external and one entry");
  }
  if (needs.rows.chunk_size < 1 || needs.devices < 1 || needs.rows.stride < 1 ||
      needs.window_top < static_cast<MaxIdWord>(std::max<Index>(1, needs.rows.n))) {
    throw std::invalid_argument("gsofa: chunk size, devices, nodes or window out of range");
  }
}

GsofaBatch batch_at(const GsofaNeeds& needs, Offset first, Offset sources) {
  const Offset positions = needs.rows.positions();
  GsofaBatch batch;
  batch.first = first;
  batch.slots = static_cast<Index>(sources);
  batch.first_chunk = chunks_before(needs.rows, first, positions);
  batch.end_chunk =
      chunks_before(needs.rows, first + Offset{batch.slots} * needs.devices, positions);
  return batch;
}

Offset divide(const GsofaSizes& sizes, Offset words, Offset sources, GsofaBatch& batch) {
  GsofaDivision& division = batch.division;
  division.words = words;
  division.max_id_words = sizes.max_id_words(batch.first, sources);
  division.fill_stride = sizes.fill_stride();
  division.queue_begin = division.max_id_words;
  return words - division.max_id_words - sizes.fill_words(sources);
}

void count_sources(GsofaPlan& plan) {
  const std::size_t whole = plan.batches.size() > 1 ? plan.batches.size() - 1 : 1;
  plan.least_sources = plan.most_sources = plan.batches.front().slots;
  for (std::size_t b = 0; b < whole; ++b) {
    plan.least_sources = std::min<Offset>(plan.least_sources, plan.batches[b].slots);
    plan.most_sources = std::max<Offset>(plan.most_sources, plan.batches[b].slots);
  }
}

}  // namespace lufact::gpu
