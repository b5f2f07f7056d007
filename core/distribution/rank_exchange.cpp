// SPDX-License-Identifier: BSD-3-Clause
#include "core/distribution/rank_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "core/base/machine.hpp"

namespace lufact {
namespace {

struct PatternSize {
  Index n = 0;
  Offset nnz = 0;
};

RankReport failed(Outcome outcome, std::string code, std::string message) {
  RankReport report;
  report.failure = RankFailure{outcome, std::move(code), std::move(message)};
  return report;
}

void broadcast_array(RankGroup& ranks, void* data, std::uint64_t bytes) {
  in_pieces(data, bytes, [&](void* piece, std::uint64_t size) { ranks.broadcast(piece, size); });
}

}  // namespace

void in_pieces(void* data, std::uint64_t bytes,
               const std::function<void(void*, std::uint64_t)>& visit) {
  auto* const begin = static_cast<std::byte*>(data);
  for (std::uint64_t done = 0; done < bytes; done += RankGroup::most_bytes) {
    visit(begin + done, std::min(bytes - done, RankGroup::most_bytes));
  }
}

void share_pattern(RankGroup& ranks, const PatternView& b) {
  PatternSize size{b.n_rows, b.nnz()};
  ranks.broadcast(&size, sizeof(size));
  // Rank 0 is read from.
  broadcast_array(ranks, const_cast<Offset*>(b.row_ptr.data()), b.row_ptr.size_bytes());
  broadcast_array(ranks, const_cast<Index*>(b.col_idx.data()), b.col_idx.size_bytes());
}

CsrPattern take_pattern(RankGroup& ranks) {
  PatternSize size;
  ranks.broadcast(&size, sizeof(size));
  CsrPattern b;
  b.n_rows = b.n_cols = size.n;
  b.row_ptr.resize(at(size.n) + 1);
  b.col_idx.resize(at(size.nnz));
  broadcast_array(ranks, b.row_ptr.data(), b.row_ptr.size() * sizeof(Offset));
  broadcast_array(ranks, b.col_idx.data(), b.col_idx.size() * sizeof(Index));
  return b;
}

bool search_and_report(RankGroup& ranks, const std::function<RankReport()>& search) {
  RankReport report;
  try {
    report = search();
    report.host_peak_bytes = peak_resident_bytes();
  } catch (const Error& error) {
    report = failed(error.outcome(), error.code(), error.what());
  } catch (const std::bad_alloc&) {
    report = failed(Outcome::oom_host, "host_out_of_memory", "the host has no memory left");
  } catch (const std::exception& error) {
    report = failed(Outcome::error, "internal",
                    fmt::format("internal error: {}; please report it", error.what()));
  }
  ranks.send_report(report);
  return !report.failure;
}

std::vector<RankReport> collect_reports(RankGroup& ranks) {
  std::vector<RankReport> reports;
  for (Index rank = 1; rank < ranks.size(); ++rank) {
    reports.push_back(ranks.receive_report(rank));
    const auto& failure = reports.back().failure;
    if (!failure) continue;
    throw Error(failure->outcome, failure->code,
                fmt::format("rank {} on {}: {}", rank, ranks.host(rank), failure->message));
  }
  return reports;
}

void send_starts(RankGroup& ranks, std::span<const Index> starts) {
  send_array(ranks, 0, starts);
}

std::vector<Index> collect_starts(RankGroup& ranks, std::span<const RankReport> reports,
                                  std::vector<Index> own, Index n) {
  std::vector<char> begins(at(n), 0);
  const auto mark = [&](const std::vector<Index>& starts) {
    for (const Index row : starts) begins[at(row)] = 1;
  };
  mark(own);
  for (std::size_t k = 0; k < reports.size(); ++k) {
    std::vector<Index> starts(at(reports[k].supernodes));
    receive_array(ranks, static_cast<Index>(k) + 1, std::span<Index>(starts));
    mark(starts);
  }
  std::vector<Index> supernodes;
  for (Index row = 0; row < n; ++row) {
    if (begins[at(row)] != 0) supernodes.push_back(row);
  }
  supernodes.push_back(n);
  return supernodes;
}

void add_rank_notes(const RankGroup& ranks, std::vector<DistributionSlice> own,
                    std::span<const RankReport> reports, DistributionNotes& distribution) {
  distribution.transport = std::string(ranks.transport());
  distribution.slices = std::move(own);
  distribution.ranks = {{ranks.host(0), peak_resident_bytes()}};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    const auto rank = static_cast<Index>(k) + 1;
    distribution.ranks.push_back({ranks.host(rank), reports[k].host_peak_bytes});
    for (DistributionSlice slice : reports[k].slices) {
      slice.node = rank;
      distribution.slices.push_back(std::move(slice));
    }
  }
}

}  // namespace lufact
