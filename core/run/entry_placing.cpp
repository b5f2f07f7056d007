// SPDX-License-Identifier: BSD-3-Clause
// The part of PipelineRun that knows where B's entries are placed, and brings A to a device that
// will place them.
#include "core/permute/permute.hpp"
#include "core/pipeline/front_products.hpp"
#include "core/run/pipeline_run.hpp"

namespace lufact {
namespace {

// What a device takes to place a matrix's entries, and from how many on it does so sooner.
constexpr std::size_t placing_bytes = 64;  // a row, and an entry
constexpr Offset least_placed_entries = 50'000;

}  // namespace

// Whether a device may place B's entries, which it does sooner from some number of them on. B has
// A's rows and, but for diagonal entries that A lacks, A's entries.
bool PipelineRun::device_may_place() const {
  const CsrPattern& a = system_.input.matrix.pattern;
  return settings_.until > Until::order && !many_systems_ && environment_.ranks == nullptr &&
         a.nnz() >= least_placed_entries && environment_.device_room &&
         environment_.device_room() >= checked_bytes(a.n_rows + a.nnz(), placing_bytes);
}

// Whether B's entries are placed on the host, for a stage that reads them there, or where a device
// would not do so sooner. Others that want them later ask place_entries_on_host().
bool PipelineRun::places_entries() const {
  return !device_may_place() || tail_->symbolic->info().side == Side::host;
}

// A goes to the device from here on, unless it is known that the host will place B's entries. Not
// before stages of columns: papers on them time this copy by itself.
void PipelineRun::start_ahead() {
  const bool open = tail_->selector != nullptr;
  if (open ? !device_may_place() : places_entries()) return;
  if (!open && !(tail_->symbolic->info().gives == product_types::front_tree)) return;
  const auto* const transfer = find_part<const TransferAhead>(
      catalogue_.find_transfer(product_types::permuted_matrix, Side::host, Side::device));
  if (transfer == nullptr) return;
  const auto phase = phases_.scope("transfer");
  StageContext stage_context = context();
  ahead_ = transfer->start(system_.input.matrix, stage_context);
}

void PipelineRun::place_entries_on_host() {
  if (products_.matrix->unplaced == nullptr) return;
  const auto phase = phases_.host_scope("order");
  const auto step = phases_.scope("permute");
  place_entries(*products_.matrix);
}

}  // namespace lufact
