// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/node_search.hpp"

#include <utility>

#include "core/distribution/distribution_notes.hpp"

namespace lufact::gpu {

// One device of the team beside the first one, or the first one itself.
struct NodeSearch::Member {
  PhaseRecorder phases;  // of its thread; the first device has those of the run
  Buffer<Offset> row_ptr;
  Buffer<Index> col_idx;
  GsofaMatrix matrix;
  std::optional<GsofaSlice> slice;

  explicit Member(const Clock& clock) : phases(clock) {}
};

NodeSearch::NodeSearch(Index n, const GsofaMatrix& matrix, const GsofaNode& node,
                       const DeviceTeam& team, const GsofaLimits& limits, StageContext& context)
    : n_(n),
      team_(team),
      limits_(limits),
      context_(context),
      node_rows_(gsofa_node_rows(n, context.options.gsofa, node.machine, node.node)) {
  for (Index k = 0; k < team.size(); ++k) {
    members_.push_back(std::make_unique<Member>(clock_));
    members_.back()->slice.emplace(
        team.session(k), k == 0 ? context.phases : members_.back()->phases, context.options,
        gsofa_share(n, context.options.gsofa, node.machine, node.node, k));
    slice(k).figures.node = node.node;
    slice(k).figures.device = k;
  }
  members_.front()->matrix = matrix;
}

NodeSearch::~NodeSearch() = default;

GsofaSlice& NodeSearch::slice(Index k) const {
  return *members_[at(k)]->slice;
}

void NodeSearch::replicate() {
  const auto phase = context_.phases.scope("replicate");
  first().synchronize();
  const GsofaMatrix& from = members_.front()->matrix;
  team_.run([&](Index k) {
    if (k > 0) replicate_to(k, from);
  });
}

void NodeSearch::replicate_to(Index k, const GsofaMatrix& from) {
  DeviceSession& session = team_.session(k);
  Member& member = *members_[at(k)];
  member.row_ptr = {session, MemoryRole::resident, Offset{n_} + 1, "the row pointers of B"};
  member.col_idx = {session, MemoryRole::resident, from.nnz, "the columns of B"};
  team_.copy(k, member.row_ptr.data(), 0, from.pattern.row_ptr, member.row_ptr.bytes());
  team_.copy(k, member.col_idx.data(), 0, from.pattern.col_idx, member.col_idx.bytes());
  member.matrix = {{n_, member.row_ptr.data(), member.col_idx.data()}, from.nnz};
}

void NodeSearch::search() {
  const auto work = [&](Index k, Progress* progress) {
    slice(k).search(members_[at(k)]->matrix, limits_, team_.readers(k), progress);
  };
  DeviceTeam::Running others = team_.start([&](Index k) { work(k, nullptr); });
  work(0, context_.progress);
  const auto phase = context_.phases.scope("wait");
  others.join();
}

void NodeSearch::find_supernodes() {
  if (!wants_supernodes(context_)) return;
  const auto phase = context_.phases.scope("supernodes");
  team_.run([&](Index k) { slice(k).collect_records(); });
  slice(0).figures.supernodes_s += timed_on(first(), [&] { lead(); });
}

// On the first device, with the records of all.
void NodeSearch::lead() {
  Buffer<ChunkRecordWord> records = make_chunk_records(first(), node_rows_);
  for (Index k = 0; k < team_.size(); ++k) {
    const Buffer<ChunkRecordWord>& found = slice(k).records();
    if (k == 0) {
      place_chunk_records(first(), slice(k).share(), found.data(), node_rows_, records);
      continue;
    }
    Buffer<ChunkRecordWord> copy(first(), MemoryRole::scratch, found.size(),
                                 "the records of a device");
    team_.copy(0, copy.data(), k, found.data(), found.bytes());
    record_bytes_ += found.bytes();
    place_chunk_records(first(), slice(k).share(), copy.data(), node_rows_, records);
  }
  Buffer<Offset> starts = make_starts(first(), n_);
  find_leaders(first(), node_rows_, records, starts);
  supernodes_ = supernodes_of_starts(first(), starts);
}

std::vector<GsofaPart> NodeSearch::parts() const {
  std::vector<GsofaPart> parts;
  for (Index k = 0; k < team_.size(); ++k) parts.push_back(part_of(k));
  return parts;
}

GsofaPart NodeSearch::part_of(Index k) const {
  const DeviceColumnPattern& rows = slice(k).rows();
  return {slice(k).share(), rows.nnz,
          [this, k, &rows](Offset* to) {
            team_.copy(0, to, k, rows.row_ptr.data(), rows.row_ptr.bytes());
          },
          [this, k, &rows](Offset* to) {
            team_.copy(0, to, k, rows.diagonal.data(), rows.diagonal.bytes());
          },
          [this, k, &rows](Index* to, Offset begin, Offset count) {
            team_.copy(0, to, k, rows.col_idx.data() + begin, checked_bytes(count, sizeof(Index)));
          }};
}

Buffer<Index> NodeSearch::take_supernodes() {
  return std::move(supernodes_);
}

std::uint64_t NodeSearch::exchanged_bytes() const {
  std::uint64_t bytes = record_bytes_;
  for (Index k = 1; k < team_.size(); ++k) bytes += part_of(k).bytes();
  return bytes;
}

std::vector<DistributionSlice> NodeSearch::slices() const {
  std::vector<DistributionSlice> slices;
  for (const auto& member : members_) slices.push_back(member->slice->figures);
  return slices;
}

std::vector<const StageNotes*> NodeSearch::notes() const {
  std::vector<const StageNotes*> notes;
  for (const auto& member : members_) notes.push_back(&member->slice->notes());
  return notes;
}

void NodeSearch::release() {
  team_.run([&](Index k) { members_[at(k)].reset(); });
}

}  // namespace lufact::gpu
