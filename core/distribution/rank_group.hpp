// SPDX-License-Identifier: BSD-3-Clause
// Processes, on one host or on several, that share one stage. The first of them, rank 0, runs the
// pipeline; the others wait until it calls them, and take their part with the matrix from there.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// How a rank ended that could not do its part.
struct RankFailure {
  Outcome outcome = Outcome::error;
  std::string code, message;
};

// What a rank tells the first one once it has searched, before its rows follow.
struct RankReport {
  std::optional<RankFailure> failure;     // nothing else is there then
  StageNotes notes;                       // gsofa, its sources, chunk_sizes, bytes_per_source
  std::vector<DistributionSlice> slices;  // one for each of its devices
  std::vector<Offset> slice_entries;      // of L + U in the rows of each
  Offset supernodes = 0;                  // that begin in its rows
  std::uint64_t host_peak_bytes = 0;
};

// Messages between two ranks arrive in the order in which they were sent, and are received with
// the number of bytes that they were sent with, at most RankGroup::most_bytes. What is lost, with a
// rank that dies, ends the process: no call returns without its message.
class RankGroup {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  virtual ~RankGroup() = default;
  virtual Index rank() const = 0;
  virtual Index size() const = 0;
  virtual const std::string& host(Index rank) const = 0;
  virtual std::string_view transport() const = 0;  // as in the record
  // How many ranks share this host, and the place of this one among them, from 0.
  virtual Index ranks_on_host() const = 0;
  virtual Index place_on_host() const = 0;

  // On rank 0: every other rank calls SymbolicStage::assist() once.
  virtual void call_others() = 0;
  // From rank 0 to all, which all call it with the same number of bytes, at most most_bytes.
  virtual void broadcast(void* data, std::uint64_t bytes) = 0;
  virtual void send(Index to, const void* data, std::uint64_t bytes) = 0;
  virtual void receive(Index from, void* data, std::uint64_t bytes) = 0;
  // The waiting rank leaves its processor to others until the report is there.
  virtual void send_report(const RankReport& report) = 0;  // to rank 0
  virtual RankReport receive_report(Index from) = 0;
};

}  // namespace lufact
