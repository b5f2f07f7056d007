// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/distributed_gsofa.hpp"

#include <algorithm>
#include <utility>

#include "gpu/gsofa/distribution_notes.hpp"
#include "gpu/gsofa/gsofa_assembly.hpp"
#include "gpu/gsofa/gsofa_slice.hpp"

namespace lufact::gpu {
namespace {

DistributionNotes begin_notes(const GsofaOptions& options, const GsofaMachine& machine) {
  DistributionNotes notes;
  notes.nodes = machine.nodes;
  notes.devices_per_node = machine.devices;
  notes.inter = std::string(to_string(options.inter));
  notes.intra = std::string(to_string(options.intra));
  notes.shared = "bits";
  return notes;
}

bool wants_supernodes(const StageContext& context) {
  return context.options.supernodes != SupernodeRule::off;
}

Buffer<Offset> no_starts(DeviceSession& session, Index n) {
  Buffer<Offset> starts(session, MemoryRole::scratch, Offset{n} + 1, "the starts of supernodes");
  starts.fill_bytes(0);
  return starts;
}

Buffer<ChunkRecordWord> records_of(DeviceSession& session, const GsofaRows& rows) {
  return {session, MemoryRole::scratch, rows.positions() * chunk_record_words(rows),
          "the counts and chunk bits of a node"};
}

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
        distribution_(begin_notes(context.options.gsofa, machine_)) {
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
      pattern = assemble_pattern(first(), n_, parts, context_.check_resident);
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
    Buffer<ChunkRecordWord> records = records_of(first(), node_rows_);
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
    Buffer<Offset> starts = no_starts(first(), n_);
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

template <class T>
void bring(DeviceSession& session, T* to, const T* from, std::size_t count) {
  if (count > 0) session.copy_to_device(to, from, count * sizeof(T));
}

// What a slice found, on the host.
struct HeldRows {
  GsofaShare share;
  std::vector<Offset> row_ptr, diagonal;
  std::vector<Index> columns;

  GsofaPart part(DeviceSession& session) const {
    return {share, static_cast<Offset>(columns.size()),
            [this, &session](Offset* to) { bring(session, to, row_ptr.data(), row_ptr.size()); },
            [this, &session](Offset* to) { bring(session, to, diagonal.data(), diagonal.size()); },
            [this, &session](Index* to, Offset first, Offset count) {
              bring(session, to, columns.data() + first, at(count));
            }};
  }
};

class SimulatedSearch {
 public:
  SimulatedSearch(const DevicePermutedMatrix& matrix, const GsofaLimits& limits,
                  StageContext& context)
      : n_(matrix.n),
        matrix_{matrix.pattern(), matrix.nnz},
        limits_(limits),
        context_(context),
        machine_(*context.options.gsofa.simulated),
        distribution_(begin_notes(context.options.gsofa, machine_)) {
    distribution_.transport = "host";
    distribution_.simulated = true;
    if (wants_supernodes(context)) starts_ = no_starts(session(), n_);
  }

  void run_slices() {
    for (Index node = 0; node < machine_.nodes; ++node) run_node(node);
  }

  std::shared_ptr<DeviceColumnPattern> assemble() {
    std::shared_ptr<DeviceColumnPattern> pattern;
    {
      const auto phase = context_.phases.scope("exchange");
      std::vector<GsofaPart> parts;
      std::uint64_t all_bytes = 0;
      for (const HeldRows& rows : held_) {
        parts.push_back(rows.part(session()));
        all_bytes += parts.back().bytes();
      }
      const double seconds = timed_on(session(), [&] {
        pattern = assemble_pattern(session(), n_, parts, context_.check_resident);
      });
      distribution_.exchange_bytes += all_bytes - parts.front().bytes();
      distribution_.exchange_bytes_per_s = static_cast<double>(all_bytes) / seconds;
    }
    if (wants_supernodes(context_)) {
      const auto phase = context_.phases.scope("supernodes");
      pattern->supernodes = supernodes_of_starts(session(), starts_);
    }
    return pattern;
  }

  void finish() {
    std::vector<const StageNotes*> slices;
    for (const StageNotes& notes : notes_) slices.push_back(&notes);
    combine_gsofa_notes(slices, context_.notes);
    compare_slices(distribution_, false);
    double slowest = 0;
    for (const DistributionSlice& slice : distribution_.slices) {
      slowest = std::max(slowest, slice.search_s + slice.supernodes_s);
    }
    distribution_.simulated_s = slowest + static_cast<double>(distribution_.exchange_bytes) /
                                              *distribution_.exchange_bytes_per_s;
    context_.notes.distribution = std::move(distribution_);
  }

 private:
  DeviceSession& session() const { return *context_.device; }

  void run_node(Index node) {
    std::vector<std::unique_ptr<GsofaSlice>> slices;
    for (Index device = 0; device < machine_.devices; ++device) {
      slices.push_back(std::make_unique<GsofaSlice>(
          session(), context_.phases, context_.options,
          gsofa_share(n_, context_.options.gsofa, machine_, node, device)));
      run_slice(*slices.back(), node, device);
    }
    if (wants_supernodes(context_)) {
      const auto phase = context_.phases.scope("supernodes");
      slices.front()->figures.supernodes_s += timed_on(session(), [&] { lead(node, slices); });
    }
    for (const auto& slice : slices) {
      distribution_.slices.push_back(slice->figures);
      notes_.push_back(slice->notes());
    }
  }

  void run_slice(GsofaSlice& slice, Index node, Index device) {
    slice.figures.node = node;
    slice.figures.device = device;
    slice.search(matrix_, limits_, {}, context_.progress);
    if (wants_supernodes(context_)) {
      const auto phase = context_.phases.scope("supernodes");
      slice.collect_records();
      if (device > 0) distribution_.exchange_bytes += slice.records().bytes();
    }
    const auto phase = context_.phases.scope("exchange");
    held_.push_back({slice.share(), slice.rows().row_ptr.download(),
                     slice.rows().diagonal.download(), slice.rows().col_idx.download()});
    slice.release_rows();
  }

  // On the first device of a node.
  void lead(Index node, const std::vector<std::unique_ptr<GsofaSlice>>& slices) {
    const GsofaRows rows = gsofa_node_rows(n_, context_.options.gsofa, machine_, node);
    Buffer<ChunkRecordWord> records = records_of(session(), rows);
    for (const auto& slice : slices) {
      place_chunk_records(session(), slice->share(), slice->records().data(), rows, records);
    }
    find_leaders(session(), rows, records, starts_);
  }

  Index n_;
  GsofaMatrix matrix_;
  GsofaLimits limits_;
  StageContext& context_;
  GsofaMachine machine_;
  DistributionNotes distribution_;
  Buffer<Offset> starts_;
  std::vector<HeldRows> held_;
  std::vector<StageNotes> notes_;
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
  return pattern;
}

std::shared_ptr<DeviceColumnPattern> search_simulated(const DevicePermutedMatrix& matrix,
                                                      const GsofaLimits& limits,
                                                      StageContext& context) {
  require_gsofa_rows(matrix.n);
  SimulatedSearch search(matrix, limits, context);
  search.run_slices();
  auto pattern = search.assemble();
  search.finish();
  return pattern;
}

}  // namespace lufact::gpu
