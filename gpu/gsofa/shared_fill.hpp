// SPDX-License-Identifier: BSD-3-Clause
// Fill and counts of the sources in flight on all devices of a node, in managed memory, and the
// supernodes that are found in them batch by batch: GSoFa sections 5 and 6, as published. Devices
// search in lock step, for the next batch overwrites what others still read. In layout `paper`.
#pragma once
#include <barrier>
#include <memory>
#include <vector>

#include "gpu/gsofa/chunk_records.hpp"
#include "gpu/gsofa/gsofa_passes.hpp"
#include "gpu/runtime/device_team.hpp"

namespace lufact::gpu {

// The options with which all devices of a node have one plan, whatever each of them has free: the
// least budget, and #C as the first device wishes it where it is automatic. Throws
// Error{unsupported, "shared_concurrency"} with the #C that is needed where a batch has not the
// whole of a chunk, for its other rows would be gone.
struct SharedPlan {
  GsofaOptions options;
  Index sources = 0;  // slots of the largest batch
};
SharedPlan plan_shared_search(const DeviceTeam& team, const GsofaRows& node_rows,
                              const GsofaLimits& limits, const GsofaOptions& options);

class SharedFill {
 public:
  // For the rows of one node, of a matrix of n rows. `plan` as above; the team must outlive the
  // object. Throws Error{unsupported, "no_managed_memory"} where a device cannot page or map what
  // is asked for, Error{oom_device, "managed_over_free"} where a card has not that much free; both
  // name `bits`.
  SharedFill(const DeviceTeam& team, const SharedPlan& plan, const GsofaRows& node_rows);
  ~SharedFill();
  SharedFill(const SharedFill&) = delete;
  SharedFill& operator=(const SharedFill&) = delete;

  // What the search of a device is given.
  SharedSlots& member(Index device) const;
  // A device that fails waits for no other, nor any other for it. By its thread.
  void leave() { gate_.arrive_and_drop(); }
  // Of the device's end_batch() so far: at work, and waiting for others.
  double supernodes_s(Index device) const;
  double waited_s(Index device) const;

  // On the first device, once all have searched. Adds to `bytes` those that came from others.
  Buffer<Index> take_supernodes(std::uint64_t& bytes);
  // Frees what each device has; by a thread of that device.
  void release(Index device);

 private:
  class Member;
  struct Part {
    MarkWord* begin = nullptr;  // words of all slots, then a count for each
    Offset words = 0;
  };

  void allocate();
  void require_free(Index device, std::uint64_t bytes) const;
  void advise(Index device) const;
  Part part(Index device) const;

  const DeviceTeam& team_;
  TeamSharing kind_;
  GsofaRows node_rows_;
  Index sources_;
  Offset fill_words_;                     // of all slots of a device
  Offset part_words_;                     // those and the counts
  std::vector<Buffer<MarkWord>> memory_;  // one, or one for each device
  std::vector<std::unique_ptr<Member>> members_;
  std::barrier<> gate_;
};

}  // namespace lufact::gpu
