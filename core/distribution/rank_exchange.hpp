// SPDX-License-Identifier: BSD-3-Clause
// What ranks exchange around a search: the pattern before it, and after it reports, rows and the
// first rows of supernodes, all of which go to rank 0.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/distribution/rank_group.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// Calls visit(pointer to bytes, number of bytes) for pieces of at most RankGroup::most_bytes.
void in_pieces(void* data, std::uint64_t bytes,
               const std::function<void(void*, std::uint64_t)>& visit);

// Rank 0 gives the pattern of B to all others. Throws Error{oom_host} where one cannot hold it.
void share_pattern(RankGroup& ranks, const PatternView& b);
CsrPattern take_pattern(RankGroup& ranks);

// Whole arrays, in pieces.
template <class T>
void send_array(RankGroup& ranks, Index to, std::span<const T> array) {
  in_pieces(const_cast<T*>(array.data()), array.size_bytes(),
            [&](void* piece, std::uint64_t bytes) { ranks.send(to, piece, bytes); });
}
template <class T>
void receive_array(RankGroup& ranks, Index from, std::span<T> array) {
  in_pieces(array.data(), array.size_bytes(),
            [&](void* piece, std::uint64_t bytes) { ranks.receive(from, piece, bytes); });
}

// On a rank but the first: its report, or what `search` threw in place of one. False then, and
// nothing is to be sent after it.
bool search_and_report(RankGroup& ranks, const std::function<RankReport()>& search);
// On rank 0: the reports of all others, in order. Throws the failure of the lowest rank that has
// one, as an Error that names rank and host.
std::vector<RankReport> collect_reports(RankGroup& ranks);

// The rows at which supernodes begin, ascending on each rank: to rank 0, where `own` are its own.
// The result is the row pointers of all supernodes.
void send_starts(RankGroup& ranks, std::span<const Index> starts);
std::vector<Index> collect_starts(RankGroup& ranks, std::span<const RankReport> reports,
                                  std::vector<Index> own, Index n);

// Notes of ranks: `own` of rank 0, whose slices are those of node 0, then those of the reports.
void add_rank_notes(const RankGroup& ranks, std::vector<DistributionSlice> own,
                    std::span<const RankReport> reports, DistributionNotes& distribution);

}  // namespace lufact
