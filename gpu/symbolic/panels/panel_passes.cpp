// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/panels/panel_passes.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.hpp"
#include "gpu/components/grid.hpp"

namespace lufact::gpu {
namespace {

// n itself stands for "no vertex", and loops run up to a warp past it.
constexpr Index most_rows = std::numeric_limits<Index>::max() - 64;

// From so many levels on a core may be faster: they take longer than the rest of the stage.
constexpr Index most_levels = 500;

}  // namespace

PanelPasses::PanelPasses(const DevicePermutedMatrix& matrix, StageContext& context)
    : session_(*context.device), context_(context), matrix_(matrix.pattern()), nnz_(matrix.nnz) {
  if (matrix.n > most_rows) {
    throw Error(Outcome::unsupported, "matrix_too_large",
                fmt::format("gpu-panels takes matrices of at most {} rows, not {}; use a CPU mode",
                            most_rows, matrix.n));
  }
  result_ = std::make_shared<DeviceColumnPattern>();
  result_->n = matrix.n;
  result_->row_ptr = Buffer<Offset>(session_, MemoryRole::resident, matrix.n + Offset{1},
                                    "the row pointers of L + U");
  result_->diagonal =
      Buffer<Offset>(session_, MemoryRole::resident, matrix.n, "the diagonal positions of L + U");
  if (matrix.n == 0) result_->row_ptr.fill_bytes(0);
}

void PanelPasses::find_structure() {
  if (matrix_.n == 0) return;
  const auto phase = context_.phases.scope("etree");
  const Offset blocks = most_grid_blocks(session_);
  structure_block_ = carve(session_, "panels of columns",
                           [&](Carver& carver) { structure_.lay_out_results(carver, matrix_.n); });
  structure_work_ = carve(session_, "the graph of B + B'", [&](Carver& carver) {
    structure_.lay_out_work(carver, matrix_.n, nnz_, blocks);
  });
  const Buffer<std::byte> forest_work =
      carve(session_, "the elimination forest of B + B'",
            [&](Carver& carver) { structure_.lay_out_forest(carver, matrix_.n, nnz_); });
  facts_ = gpu::find_structure(session_, matrix_, nnz_, structure_);
}

void PanelPasses::sort_edges() {
  const auto phase = context_.phases.scope("sort");
  sorted_edges_.emplace(session_, matrix_, nnz_, structure_.forest, facts_.forest);
  facts_.panels = count_slots(session_, sorted_edges_->lists(), structure_);
}

void PanelPasses::find_bound() {
  if (matrix_.n == 0) return;
  if (!facts_.in_order()) sort_edges();
  const auto phase = context_.phases.scope("bound");
  const EdgeLists edges =
      sorted_edges_ ? sorted_edges_->lists() : edges_in_order(matrix_, nnz_, structure_.forest);
  slots_.count = checked_index(facts_.panels.slots, "slots of the symbolic factorization");
  slots_.symmetric = facts_.symmetric();
  slot_block_ = carve(session_, "the slots of all panels", [&](Carver& carver) {
    slots_.lay_out(carver, matrix_.n, facts_.panels.panels);
    if (!slots_.symmetric) fronts_.lay_out(carver, facts_.panels.panels);
    output_.lay_out(carver, matrix_.n, slots_.count, most_grid_blocks(session_));
  });
  FoundArrays found;
  const Buffer<std::byte> slot_work =
      carve(session_, "finding the slots of all panels",
            [&](Carver& carver) { found.lay_out(session_, carver, slots_); });
  find_slots(session_, matrix_, structure_.forest.row_of, nnz_, edges, structure_.panels,
             facts_.panels.panels, slots_, found, fronts_);
  structure_work_ = {};
  sorted_edges_.reset();
}

void PanelPasses::eliminate() {
  if (slots_.symmetric || matrix_.n == 0) return;
  const auto phase = context_.phases.scope("fronts");
  eliminate_panels(session_, structure_.panels, facts_.panels.panels, slots_, fronts_);
}

void PanelPasses::write() {
  const auto phase = context_.phases.scope("output");
  if (matrix_.n > 0) {
    count_rows(session_, structure_.panels, facts_.panels.panels, slots_, output_, *result_,
               &structure_.counters->facts.entries);
    facts_ = read_value(session_, &structure_.counters->facts);
    result_->nnz = facts_.entries;
    warn_of_height();
  }
  if (context_.check_resident) context_.check_resident(result_->nnz);
  session_.ledger().require_resident(checked_bytes(result_->nnz, sizeof(Index)),
                                     "the pattern of L + U");
  result_->col_idx =
      Buffer<Index>(session_, MemoryRole::resident, result_->nnz, "the columns of L + U");
  if (matrix_.n > 0) write_rows(session_, structure_.panels, slots_, output_, *result_);
}

void PanelPasses::warn_of_height() {
  if (facts_.panels.height <= most_levels) return;
  context_.notes.warnings.push_back(
      {"path_like_forest",
       fmt::format("the elimination forest of A + A' is {} panels of columns high, and gpu-panels "
                   "takes some microseconds for each, one after the other; cpu-gp-pruned or an "
                   "ordering by nested dissection may be faster",
                   facts_.panels.height)});
}

std::shared_ptr<DeviceColumnPattern> PanelPasses::finish() {
  return std::move(result_);
}

}  // namespace lufact::gpu
