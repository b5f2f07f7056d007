// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include "core/distribution/distribution_notes.hpp"
#include "gpu/gsofa/distributed_gsofa.hpp"
#include "gpu/gsofa/gsofa_assembly.hpp"
#include "gpu/gsofa/gsofa_sizes.hpp"
#include "gpu/gsofa/gsofa_slice.hpp"

namespace lufact::gpu {
namespace {

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
        distribution_(begin_distribution(context.options.gsofa, machine_)) {
    distribution_.transport = "host";
    distribution_.simulated = true;
    if (wants_supernodes(context)) starts_ = make_starts(session(), n_);
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
      const double seconds =
          timed_on(session(), [&] { pattern = assemble_pattern(session(), n_, parts); });
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
      slices.push_back(searched_slice(node, device));
      finish_slice(*slices.back(), node, device);
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

  // The slowest of many slices is the time of the machine, so that one hiccup in one of them would
  // be that: each is searched three times, and its time is the median. Phases have the last search
  // as those of any other, and the two before it as one, so that rates are of one search.
  std::unique_ptr<GsofaSlice> searched_slice(Index node, Index device) {
    std::array<double, 3> seconds;
    {
      const auto phase = context_.phases.scope("again");
      const SteadyClock clock;
      PhaseRecorder apart(clock);
      seconds[0] = search_slice(node, device, apart, nullptr)->figures.search_s;
      seconds[1] = search_slice(node, device, apart, nullptr)->figures.search_s;
    }
    auto slice = search_slice(node, device, context_.phases, context_.progress);
    seconds[2] = slice->figures.search_s;
    std::ranges::sort(seconds);
    slice->figures.search_s = seconds[1];
    return slice;
  }

  std::unique_ptr<GsofaSlice> search_slice(Index node, Index device, PhaseRecorder& phases,
                                           Progress* progress) {
    auto slice = std::make_unique<GsofaSlice>(
        session(), phases, context_.options,
        gsofa_share(n_, context_.options.gsofa, machine_, node, device));
    slice->search(matrix_, limits_, {}, progress);
    return slice;
  }

  void finish_slice(GsofaSlice& slice, Index node, Index device) {
    slice.figures.node = node;
    slice.figures.device = device;
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
    Buffer<ChunkRecordWord> records = make_chunk_records(session(), rows);
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

std::shared_ptr<DeviceColumnPattern> search_simulated(const DevicePermutedMatrix& matrix,
                                                      const GsofaLimits& limits,
                                                      StageContext& context) {
  require_gsofa_rows(matrix.n);
  SimulatedSearch search(matrix, limits, context);
  search.run_slices();
  auto pattern = search.assemble();
  search.finish();
  if (context.check_resident) context.check_resident(pattern->nnz);
  return pattern;
}

}  // namespace lufact::gpu
