// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_passes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpu/gsofa/gsofa_sizes.hpp"
#include "gpu/gsofa/supernodes.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset spill_arrays = 4;  // two halves of vertices, two of trackers

std::uint64_t cache_bytes(const DeviceSession& session) {
  int bytes = 0;
  LUFACT_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, session.device()));
  return static_cast<std::uint64_t>(bytes);
}

// At least 1, rounded up.
Index mean_degree(const GsofaMatrix& matrix) {
  const Offset rows = std::max<Index>(1, matrix.pattern.n);
  return static_cast<Index>(std::max<Offset>(1, (matrix.nnz + rows - 1) / rows));
}

// Levels of a batch: with its iterations those that warps went on for without a barrier, in the
// mean over the vertices of the queues.
Offset levels_of(const GsofaTally& tally) {
  if (tally.enqueued == 0) return tally.iterations;
  const double levels =
      1 + static_cast<double>(tally.at_once) / static_cast<double>(tally.enqueued);
  return static_cast<Offset>(std::llround(tally.iterations * levels));
}

}  // namespace

GsofaPasses::GsofaPasses(const GsofaMatrix& matrix, const GsofaShare& share,
                         const GsofaLimits& limits, StageContext& context, std::vector<int> readers,
                         SharedSlots* shared)
    : session_(*context.device),
      context_(context),
      options_(context.options.gsofa),
      kernel_{options_.layout, options_.fill_first},
      matrix_(matrix.pattern),
      mean_degree_(mean_degree(matrix)),
      share_(share),
      readers_(std::move(readers)),
      shared_(shared),
      notes_(matrix_.n, matrix.nnz, context) {
  const Offset rows = share_.count();
  result_ = std::make_shared<DeviceColumnPattern>();
  result_->n = static_cast<Index>(rows);
  result_->row_ptr =
      Buffer<Offset>(session_, MemoryRole::resident, rows + 1, "the row pointers of L + U");
  result_->diagonal =
      Buffer<Offset>(session_, MemoryRole::resident, rows, "the diagonal positions of L + U");
  result_->row_ptr.fill_bytes(0);
  control_ = {session_, MemoryRole::scratch, 1, "the counters of the search"};
  if (options_.profile) {
    sources_ = {session_, MemoryRole::scratch, rows, "the counters of the sources"};
  }
  plan(limits);
  const auto phase = context_.phases.scope("array");
  array_ = {session_, MemoryRole::scratch, planner_->plan().array_words, "the array of the search"};
}

GsofaNeeds gsofa_needs(DeviceSession& session, const GsofaShare& share, const GsofaLimits& limits,
                       const GsofaOptions& options) {
  GsofaNeeds needs;
  needs.rows = share.rows;
  needs.devices = share.devices;
  needs.card = {cache_bytes(session), gsofa_resident_warps(session)};
  needs.budget_bytes = gsofa_budget_bytes(options, session.ledger().available());
  needs.most_spill_entries = limits.most_spill_entries;
  needs.window_top = limits.window_top;
  return needs;
}

void GsofaPasses::plan(const GsofaLimits& limits) {
  GsofaNeeds needs = gsofa_needs(session_, share_, limits, options_);
  budget_bytes_ = needs.budget_bytes;
  if (GsofaPlanner::wants_reach(needs, options_)) needs.reach = find_reach();
  planner_.emplace(needs, options_);
}

std::shared_ptr<const GsofaReach> GsofaPasses::find_reach() {
  const auto phase = context_.phases.scope("reach");
  std::vector<Index> first_columns;
  {
    Buffer<Index> first(session_, MemoryRole::scratch, matrix_.n, "the first column of each row");
    launch_first_columns(session_, matrix_, first.data());
    first_columns = first.download();
  }
  auto reach = std::make_shared<const GsofaReach>(share_, first_columns);
  reach_ = {session_, MemoryRole::scratch, std::ssize(reach->begins()), "the reach of the sources"};
  reach_.upload(reach->begins());
  return reach;
}

void GsofaPasses::search() {
  GsofaLoad load;
  Offset done = 0;
  while (const std::optional<GsofaBatch> batch = planner_->next(load)) {
    GsofaTask task = task_of(*batch);
    if (task.slots.count == 0) {  // the last rows are those of other devices
      if (shared_ != nullptr) shared_->end_batch(*batch, task, result_->diagonal.data());
      continue;
    }
    if (batch->reinitialise) reinitialise(*batch);
    const GsofaTally tally = search(task);
    notes_.add(*batch, task.slots.count, tally);
    write_rows(task, tally.end);
    if (shared_ != nullptr) shared_->end_batch(*batch, task, result_->diagonal.data());
    load = {task.slots.count, tally.edges, levels_of(tally),
            tally.enqueued / std::max(1, tally.iterations)};
    done += task.slots.count;
    report(done);
  }
  if (context_.check_resident) context_.check_resident(result_->nnz);
  notes_.add_sources(sources_, share_);
  if (columns_ != nullptr) {
    result_->col_idx =
        Buffer<Index>(session_, columns_, static_cast<Index*>(columns_->data()), result_->nnz);
  }
  release_workspace();
}

GsofaTask GsofaPasses::task_of(const GsofaBatch& batch) {
  GsofaTask task;
  task.matrix = matrix_;
  task.mean_degree = mean_degree_;
  task.slots = planner_->plan().slots(batch, share_.device);
  task.division = batch.division;
  task.window = batch.window;
  if (!batch.reinitialise) task.fresh_max_id = batch.fresh_max_id;
  task.fresh_fill_begin = batch.fresh_fill_begin;
  task.fresh_fill_end = batch.fresh_fill_end;
  task.array = array_.data();
  task.fill_end = shared_ != nullptr ? shared_->fill_end() : array_.data() + batch.division.words;
  task.words = gsofa_slot_words(matrix_.n, options_.layout);
  task.control = control_.data();
  task.page = control_place<GsofaTally>(session_);
  task.row_ptr = result_->row_ptr.data();
  task.place = batch.first / share_.devices;
  if (sources_.size() > 0) task.sources = sources_.data() + task.place;
  if (reach_.size() > 0) task.reach = reach_.data() + task.place;
  return task;
}

// All bits set are above every window: not reached. What a batch takes over from other parts of the
// array, and the first filling, are the search's; this is what windows save.
void GsofaPasses::reinitialise(const GsofaBatch& batch) {
  const auto phase = context_.phases.scope("reinitialise");
  const WordRange& words = batch.fresh_max_id;
  LUFACT_CUDA(cudaMemsetAsync(array_.data() + words.begin, 0xff,
                              checked_bytes(words.size(), sizeof(MaxIdWord)), session_.stream()));
}

// Pinned memory takes a while to make: not before a queue is full.
GsofaTally GsofaPasses::search(GsofaTask& task) {
  if (spill_.size() > 0) use_spill(task);
  task.wants_spill = options_.external && spill_.size() == 0 && spill_entries() > 0;
  const GsofaTally tally = launch(task);
  if (tally.end != GsofaTally::wants_spill) return tally;
  {
    const auto phase = context_.phases.scope("spill");
    spill_ = {session_, MemoryRole::scratch, spill_arrays * spill_entries(),
              "frontiers beyond the queues", MemoryKind::pinned};
  }
  use_spill(task);
  task.wants_spill = false;
  task.resumes = true;
  return launch(task);
}

GsofaTally GsofaPasses::launch(const GsofaTask& task) {
  const auto phase = context_.phases.scope("search");
  launch_gsofa_search(session_, kernel_, task);
  return take_value<GsofaTally>(session_);
}

void GsofaPasses::use_spill(GsofaTask& task) {
  task.spill = {spill_.data(), spill_.data() + 2 * spill_entries(), spill_entries()};
}

void GsofaPasses::write_rows(const GsofaTask& task, Offset nnz) {
  const auto phase = context_.phases.scope("positions");
  if (columns_ == nullptr) {
    const auto most = static_cast<std::uint64_t>(matrix_.n) * static_cast<std::uint64_t>(matrix_.n);
    const std::uint64_t held = session_.ledger().budget() / sizeof(Index);
    columns_ = std::make_shared<GrowingMemory>(session_, MemoryRole::resident,
                                               std::min(most, held) * sizeof(Index),
                                               "the columns of L + U", readers_);
  }
  columns_->grow(checked_bytes(nnz, sizeof(Index)));
  launch_gsofa_rows(session_, kernel_, task, static_cast<Index*>(columns_->data()),
                    result_->diagonal.data());
  result_->nnz = nnz;
}

// So that what follows needs no room beside it.
void GsofaPasses::release_workspace() {
  bytes_in_use_ = session_.ledger().in_use();
  array_ = {};
  sources_ = {};
  spill_ = {};
  reach_ = {};
}

std::shared_ptr<DeviceColumnPattern> GsofaPasses::finish() {
  notes_.finish(planner_->plan(), budget_bytes_);
  return std::move(result_);
}

// Rows that have converged: their columns may still be on their way, for which nothing waits.
void GsofaPasses::report(Offset rows) {
  if (context_.progress != nullptr) {
    context_.progress->report("symbolic/search", rows, result_->n);
  }
}

std::shared_ptr<DeviceColumnPattern> search_on_one_device(const DevicePermutedMatrix& matrix,
                                                          const GsofaLimits& limits,
                                                          StageContext& context) {
  require_gsofa_rows(matrix.n);
  const GsofaOptions& options = context.options.gsofa;
  GsofaPasses passes({matrix.pattern(), matrix.nnz}, gsofa_share(matrix.n, options, {}, 0, 0),
                     limits, context);
  passes.search();
  const std::shared_ptr<DeviceColumnPattern> pattern = passes.finish();
  if (context.options.supernodes != SupernodeRule::off) {
    const auto phase = context.phases.scope("supernodes");
    pattern->supernodes = find_t3_supernodes(*context.device, *pattern, options.chunk_size);
  }
  return pattern;
}

}  // namespace lufact::gpu
