// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/distribution/distribution_notes.hpp"
#include "core/distribution/rank_exchange.hpp"
#include "gpu/gsofa/distributed_gsofa.hpp"
#include "gpu/gsofa/gsofa_sizes.hpp"
#include "gpu/gsofa/node_search.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset piece_entries = static_cast<Offset>(RankGroup::most_bytes / sizeof(Index));

// Every rank has as many devices.
GsofaMachine machine_of(const RankGroup& ranks, const DeviceTeam& team) {
  return {ranks.size(), team.size()};
}

void share_pattern_of(const DevicePermutedMatrix& matrix, DeviceSession& session,
                      RankGroup& ranks) {
  CsrPattern b;
  b.n_rows = b.n_cols = matrix.n;
  b.row_ptr.resize(at(matrix.n) + 1);
  b.col_idx.resize(at(matrix.nnz));
  session.copy_to_host(b.row_ptr.data(), matrix.pattern().row_ptr,
                       b.row_ptr.size() * sizeof(Offset));
  session.copy_to_host(b.col_idx.data(), matrix.pattern().col_idx,
                       b.col_idx.size() * sizeof(Index));
  share_pattern(ranks, b.view());
}

// A rank's rows on their way to rank 0, by way of its first device: the order of messages is that
// in which assemble_pattern() asks for them.
class PartSender {
 public:
  PartSender(DeviceSession& session, DeviceExchange& exchange)
      : session_(session), exchange_(exchange) {}

  // Waits until all have gone.
  void send(std::span<const GsofaPart> parts) {
    for (const GsofaPart& part : parts) {
      send_counts(part.share.count() + 1, part.row_ptr);
      send_counts(part.share.count(), part.diagonal);
    }
    for (const GsofaPart& part : parts) send_columns(part);
    session_.synchronize();
  }

 private:
  void send_counts(Offset count, const std::function<void(Offset*)>& copy) {
    Buffer<Offset> counts(session_, MemoryRole::scratch, count, "counts on their way");
    copy(counts.data());
    exchange_.send(counts.data(), counts.bytes());
  }

  void send_columns(const GsofaPart& part) {
    Buffer<Index> piece(session_, MemoryRole::scratch, std::min(part.nnz, piece_entries),
                        "columns on their way");
    for (Offset first = 0; first < part.nnz; first += piece_entries) {
      const Offset count = std::min(piece_entries, part.nnz - first);
      part.columns(piece.data(), first, count);
      exchange_.send(piece.data(), checked_bytes(count, sizeof(Index)));
    }
  }

  DeviceSession& session_;
  DeviceExchange& exchange_;
};

// The rows of a device of another rank, which come in messages to the first device here.
GsofaPart received_part(DeviceExchange& exchange, Index rank, const GsofaShare& share, Offset nnz) {
  const auto receive = [&exchange, rank](auto* to, Offset count) {
    exchange.receive(rank, to, checked_bytes(count, sizeof(*to)));
  };
  const Offset rows = share.count();
  return {share, nnz, [receive, rows](Offset* to) { receive(to, rows + 1); },
          [receive, rows](Offset* to) { receive(to, rows); },
          [receive](Index* to, Offset, Offset count) { receive(to, count); }};
}

// What rank 0 does beside the search of its own node.
class RankSearch {
 public:
  RankSearch(const DevicePermutedMatrix& matrix, const DeviceTeam& team, RankGroup& ranks,
             const GsofaLimits& limits, StageContext& context)
      : n_(matrix.n),
        team_(team),
        ranks_(ranks),
        context_(context),
        machine_(machine_of(ranks, team)),
        distribution_(begin_distribution(context.options.gsofa, machine_)),
        node_(n_, {matrix.pattern(), matrix.nnz}, {machine_, 0}, team, limits, context) {
    const auto phase = context.phases.scope("replicate");
    ranks.call_others();
    share_pattern_of(matrix, team.session(0), ranks);
  }

  void search() {
    node_.replicate();
    node_.search();
    node_.find_supernodes();
    const auto phase = context_.phases.scope("wait");
    reports_ = collect_reports(ranks_);
  }

  std::shared_ptr<DeviceColumnPattern> gather() {
    const auto phase = context_.phases.scope("exchange");
    std::vector<GsofaPart> parts = node_.parts();
    distribution_.exchange_bytes = node_.exchanged_bytes();
    for (Index rank = 1; rank < ranks_.size(); ++rank) add_parts(rank, parts);
    auto pattern = assemble_pattern(first(), n_, parts);
    if (wants_supernodes(context_)) pattern->supernodes = gather_supernodes();
    first().synchronize();
    return pattern;
  }

  void finish() {
    std::vector<const StageNotes*> notes = node_.notes();
    for (const RankReport& report : reports_) notes.push_back(&report.notes);
    combine_gsofa_notes(notes, context_.notes);
    add_rank_notes(ranks_, node_.slices(), reports_, distribution_);
    describe_exchange();
    if (team_.size() > 1) distribution_.shared = to_string(team_.sharing());
    distribution_.peer_access = team_.peer_access();
    compare_slices(distribution_, true);
    context_.notes.distribution = std::move(distribution_);
    node_.release();
  }

 private:
  DeviceSession& first() const { return team_.session(0); }

  void add_parts(Index rank, std::vector<GsofaPart>& parts) {
    const RankReport& report = reports_[at(rank - 1)];
    for (Index device = 0; device < machine_.devices; ++device) {
      const GsofaShare share = gsofa_share(n_, context_.options.gsofa, machine_, rank, device);
      parts.push_back(
          received_part(team_.exchange(), rank, share, report.slice_entries.at(at(device))));
      distribution_.exchange_bytes += parts.back().bytes();
    }
    distribution_.exchange_bytes += checked_bytes(report.supernodes, sizeof(Index));
  }

  void describe_exchange() {
    const DeviceExchange& exchange = team_.exchange();
    distribution_.transport = exchange.transport();
    if (exchange.reason().empty()) return;
    context_.notes.choices.push_back(
        {"exchange", distribution_.transport, {"nccl", "mpi"}, exchange.reason()});
  }

  Buffer<Index> gather_supernodes() {
    std::vector<Index> own = node_.take_supernodes().download();
    own.pop_back();  // n, which begins none
    const std::vector<Index> all = collect_starts(ranks_, reports_, std::move(own), n_);
    return upload_copy<Index>(first(), MemoryRole::resident, all, "the supernodes");
  }

  Index n_;
  const DeviceTeam& team_;
  RankGroup& ranks_;
  StageContext& context_;
  GsofaMachine machine_;
  DistributionNotes distribution_;
  NodeSearch node_;
  std::vector<RankReport> reports_;
};

// What another rank does.
class AssistingRank {
 public:
  AssistingRank(const CsrPattern& b, const GsofaLimits& limits, StageContext& context)
      : ranks_(*context.ranks), team_(*context.team), context_(context) {
    require_gsofa_rows(b.n_rows);
    row_ptr_ =
        upload_copy<Offset>(first(), MemoryRole::resident, b.row_ptr, "the row pointers of B");
    col_idx_ = upload_copy<Index>(first(), MemoryRole::resident, b.col_idx, "the columns of B");
    const GsofaMatrix matrix{{b.n_rows, row_ptr_.data(), col_idx_.data()}, b.nnz()};
    node_.emplace(b.n_rows, matrix, GsofaNode{machine_of(ranks_, team_), ranks_.rank()}, team_,
                  limits, context);
  }

  RankReport search() {
    node_->replicate();
    node_->search();
    node_->find_supernodes();
    if (wants_supernodes(context_)) {
      starts_ = node_->take_supernodes().download();
      starts_.pop_back();  // n, which begins none
    }
    RankReport report;
    combine_gsofa_notes(node_->notes(), report.notes);
    report.slices = node_->slices();
    for (const GsofaPart& part : node_->parts()) report.slice_entries.push_back(part.nnz);
    report.supernodes = static_cast<Offset>(starts_.size());
    return report;
  }

  void send() {
    PartSender(first(), team_.exchange()).send(node_->parts());
    if (wants_supernodes(context_)) send_starts(ranks_, starts_);
    node_->release();
  }

 private:
  DeviceSession& first() const { return team_.session(0); }

  RankGroup& ranks_;
  const DeviceTeam& team_;
  StageContext& context_;
  Buffer<Offset> row_ptr_;
  Buffer<Index> col_idx_;
  std::optional<NodeSearch> node_;
  std::vector<Index> starts_;
};

}  // namespace

std::shared_ptr<DeviceColumnPattern> search_on_ranks(const DevicePermutedMatrix& matrix,
                                                     const GsofaLimits& limits,
                                                     StageContext& context) {
  require_gsofa_rows(matrix.n);
  RankSearch search(matrix, *context.team, *context.ranks, limits, context);
  search.search();
  auto pattern = search.gather();
  search.finish();
  if (context.check_resident) context.check_resident(pattern->nnz);
  return pattern;
}

void assist_search_on_ranks(const GsofaLimits& limits, StageContext& context) {
  const CsrPattern b = take_pattern(*context.ranks);
  std::optional<AssistingRank> rank;
  const bool found = search_and_report(*context.ranks, [&] {
    rank.emplace(b, limits, context);
    return rank->search();
  });
  if (found) rank->send();
}

}  // namespace lufact::gpu
