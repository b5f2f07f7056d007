// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/frontier_tallies.hpp"

#include <algorithm>
#include <stdexcept>

namespace lufact::gpu {
namespace {

constexpr Offset bins = 64;
constexpr Offset tallies_per_read = 64 / sizeof(ChunkTally);

Offset tallies_of(Index rows, Index bin_rows) {
  return (Offset{rows} + bin_rows - 1) / bin_rows;
}

}  // namespace

FrontierTallies::FrontierTallies(DeviceSession& session, Index n, int ranges)
    : bin_rows_(static_cast<Index>(std::max<Offset>((n + bins - 1) / bins, 1))),
      tallies_(session, MemoryRole::scratch, std::min<Offset>(n, bins) + ranges,
               "the frontiers of ranges of rows") {
  tallies_.fill_bytes(0);
}

TallyRange FrontierTallies::add(Index first_row, Index rows) {
  const TallyRange range{first_row, rows, used_, tallies_of(rows, bin_rows_)};
  used_ += range.tallies;
  if (used_ > tallies_.size()) throw std::logic_error("more ranges of rows than were announced");
  return range;
}

void FrontierTallies::count_into(const TallyRange& range, SearchTask& task) {
  task.tallies = tallies_.data() + range.first_tally;
  task.tally_origin = range.first_row;
  task.rows_per_tally = bin_rows_;
}

std::vector<ChunkTally> FrontierTallies::read(const TallyRange& range,
                                              PhaseRecorder& phases) const {
  return read_tallies(tallies_, range.first_tally, range.tallies, phases);
}

std::vector<ChunkTally> read_tallies(const Buffer<ChunkTally>& tallies, Offset first, Offset count,
                                     PhaseRecorder& phases) {
  const auto copies = phases.scope("read");
  std::vector<ChunkTally> host(static_cast<std::size_t>(count));
  for (Offset done = 0; done < count; done += tallies_per_read) {
    const Offset some = std::min(tallies_per_read, count - done);
    tallies.session().read_control(host.data() + done, tallies.data() + first + done,
                                   static_cast<std::size_t>(some) * sizeof(ChunkTally));
  }
  return host;
}

}  // namespace lufact::gpu
