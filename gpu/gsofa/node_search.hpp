// SPDX-License-Identifier: BSD-3-Clause
// The search of one node of a machine: a team of devices of one host that share its chunks. Nothing
// in it waits for another node. The methods are called in the order in which they stand.
#pragma once
#include <memory>
#include <vector>

#include "gpu/gsofa/gsofa_assembly.hpp"
#include "gpu/gsofa/gsofa_slice.hpp"
#include "gpu/runtime/device_team.hpp"

namespace lufact::gpu {

// Which node of which machine.
struct GsofaNode {
  GsofaMachine machine;
  Index node = 0;
};

class NodeSearch {
 public:
  // The matrix, of n rows, is on the team's first device. All must outlive the object.
  NodeSearch(Index n, const GsofaMatrix& matrix, const GsofaNode& node, const DeviceTeam& team,
             const GsofaLimits& limits, StageContext& context);
  ~NodeSearch();
  NodeSearch(const NodeSearch&) = delete;
  NodeSearch& operator=(const NodeSearch&) = delete;

  // In the phases replicate, those of the first device's search, wait and supernodes. Throws what
  // the lowest device threw that failed.
  void replicate();
  void search();
  void find_supernodes();  // where the options ask for them

  // What its devices found, for the session of the first one. They refer to this object.
  std::vector<GsofaPart> parts() const;
  // The rows of this node at which supernodes begin, and n behind them; on the first device. Empty
  // where they were not looked for.
  Buffer<Index> take_supernodes();
  // Bytes of rows and records that have left, or leave by parts(), the device where they were
  // found.
  std::uint64_t exchanged_bytes() const;
  std::vector<DistributionSlice> slices() const;
  std::vector<const StageNotes*> notes() const;
  // Frees everything, on the devices where it is.
  void release();

 private:
  struct Member;

  DeviceSession& first() const { return team_.session(0); }
  GsofaSlice& slice(Index k) const;
  void replicate_to(Index k, const GsofaMatrix& from);
  void lead();
  GsofaPart part_of(Index k) const;

  Index n_;
  const DeviceTeam& team_;
  GsofaLimits limits_;
  StageContext& context_;
  GsofaRows node_rows_;
  const SteadyClock clock_;
  std::uint64_t record_bytes_ = 0;  // that went to the first device
  std::vector<std::unique_ptr<Member>> members_;
  Buffer<Index> supernodes_;
};

}  // namespace lufact::gpu
