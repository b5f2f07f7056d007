// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "gpu/gsofa/distributed_gsofa.hpp"
#include "gpu/gsofa/distribution_notes.hpp"
#include "gpu/gsofa/gsofa_assembly.hpp"
#include "gpu/gsofa/gsofa_slice.hpp"

namespace lufact::gpu {
namespace {

// One device of the team beside the first one, or the first one itself.
struct Member {
  PhaseRecorder phases;  // of its thread; the first device has those of the run
  Buffer<Offset> row_ptr;
  Buffer<Index> col_idx;
  GsofaMatrix matrix;
  std::optional<GsofaSlice> slice;

  explicit Member(const Clock& clock) : phases(clock) {}
};

class TeamSearch {
 public:
  TeamSearch(const DevicePermutedMatrix& matrix, const DeviceTeam& team, const GsofaLimits& limits,
             StageContext& context)
      : n_(matrix.n),
        team_(team),
        limits_(limits),
        context_(context),
        machine_{1, team.size()},
        node_rows_(gsofa_node_rows(n_, context.options.gsofa, machine_, 0)),
        distribution_(begin_distribution(context.options.gsofa, machine_)) {
    distribution_.transport = std::string(team.transport());
    distribution_.peer_access = team.peer_access();
    for (Index k = 0; k < team.size(); ++k) {
      members_.push_back(std::make_unique<Member>(clock_));
      members_.back()->slice.emplace(
          team.session(k), k == 0 ? context.phases : members_.back()->phases, context.options,
          gsofa_share(n_, context.options.gsofa, machine_, 0, k));
      slice(k).figures.device = k;
    }
    members_.front()->matrix = {matrix.pattern(), matrix.nnz};
  }

  void replicate() {
    const auto phase = context_.phases.scope("replicate");
    first().synchronize();
    const GsofaMatrix& from = members_.front()->matrix;
    team_.run([&](Index k) {
      if (k > 0) replicate_to(k, from);
    });
  }

  void search() {
    const auto work = [&](Index k, Progress* progress) {
      slice(k).search(members_[at(k)]->matrix, limits_, team_.readers(k), progress);
    };
    DeviceTeam::Running others = team_.start([&](Index k) { work(k, nullptr); });
    work(0, context_.progress);
    const auto phase = context_.phases.scope("wait");
    others.join();
  }

  void find_supernodes() {
    if (!wants_supernodes(context_)) return;
    const auto phase = context_.phases.scope("supernodes");
    team_.run([&](Index k) { slice(k).collect_records(); });
    slice(0).figures.supernodes_s += timed_on(first(), [&] { lead(); });
  }

  std::shared_ptr<DeviceColumnPattern> assemble() {
    std::shared_ptr<DeviceColumnPattern> pattern;
    {
      const auto phase = context_.phases.scope("exchange");
      std::vector<GsofaPart> parts;
      for (Index k = 0; k < team_.size(); ++k) {
        parts.push_back(part_of(k));
        if (k > 0) distribution_.exchange_bytes += parts.back().bytes();
      }
      pattern = assemble_pattern(first(), n_, parts);
      first().synchronize();
    }
    pattern->supernodes = std::move(supernodes_);
    return pattern;
  }

  void finish() {
    std::vector<const StageNotes*> slices;
    for (const auto& member : members_) {
      slices.push_back(&member->slice->notes());
      distribution_.slices.push_back(member->slice->figures);
    }
    combine_gsofa_notes(slices, context_.notes);
    compare_slices(distribution_, true);
    context_.notes.distribution = std::move(distribution_);
    team_.run([&](Index k) { members_[at(k)].reset(); });
  }

 private:
  DeviceSession& first() const { return team_.session(0); }
  GsofaSlice& slice(Index k) const { return *members_[at(k)]->slice; }

  void replicate_to(Index k, const GsofaMatrix& from) {
    DeviceSession& session = team_.session(k);
    Member& member = *members_[at(k)];
    member.row_ptr = {session, MemoryRole::resident, Offset{n_} + 1, "the row pointers of B"};
    member.col_idx = {session, MemoryRole::resident, from.nnz, "the columns of B"};
    team_.copy(k, member.row_ptr.data(), 0, from.pattern.row_ptr, member.row_ptr.bytes());
    team_.copy(k, member.col_idx.data(), 0, from.pattern.col_idx, member.col_idx.bytes());
    member.matrix = {{n_, member.row_ptr.data(), member.col_idx.data()}, from.nnz};
  }

  // On the first device, with the records of all.
  void lead() {
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
      distribution_.exchange_bytes += found.bytes();
      place_chunk_records(first(), slice(k).share(), copy.data(), node_rows_, records);
    }
    Buffer<Offset> starts = make_starts(first(), n_);
    find_leaders(first(), node_rows_, records, starts);
    supernodes_ = supernodes_of_starts(first(), starts);
  }

  GsofaPart part_of(Index k) const {
    const DeviceColumnPattern& rows = slice(k).rows();
    return {slice(k).share(), rows.nnz,
            [this, k, &rows](Offset* to) {
              team_.copy(0, to, k, rows.row_ptr.data(), rows.row_ptr.bytes());
            },
            [this, k, &rows](Offset* to) {
              team_.copy(0, to, k, rows.diagonal.data(), rows.diagonal.bytes());
            },
            [this, k, &rows](Index* to, Offset begin, Offset count) {
              team_.copy(0, to, k, rows.col_idx.data() + begin,
                         checked_bytes(count, sizeof(Index)));
            }};
  }

  Index n_;
  const DeviceTeam& team_;
  GsofaLimits limits_;
  StageContext& context_;
  GsofaMachine machine_;
  GsofaRows node_rows_;
  DistributionNotes distribution_;
  const SteadyClock clock_;
  std::vector<std::unique_ptr<Member>> members_;
  Buffer<Index> supernodes_;
};

}  // namespace

std::shared_ptr<DeviceColumnPattern> search_on_team(const DevicePermutedMatrix& matrix,
                                                    const DeviceTeam& team,
                                                    const GsofaLimits& limits,
                                                    StageContext& context) {
  require_gsofa_rows(matrix.n);
  TeamSearch search(matrix, team, limits, context);
  search.replicate();
  search.search();
  search.find_supernodes();
  auto pattern = search.assemble();
  search.finish();
  if (context.check_resident) context.check_resident(pattern->nnz);
  return pattern;
}

}  // namespace lufact::gpu
