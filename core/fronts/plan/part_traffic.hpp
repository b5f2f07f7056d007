// SPDX-License-Identifier: BSD-3-Clause
// When the factors of a part travel: what waits for what where parts take turns in two regions of
// the device and all of them are kept on the host. Whoever launches and copies is a parameter, so
// that a test without a device can follow every order that the device is free to take.
#pragma once
#include <array>

#include "core/base/types.hpp"

namespace lufact {

// What goes on side by side; in each of them one thing after the other.
enum class Lane { work, to_host, to_device };

// Streams has wait(Lane, event), record(event, Lane), copy_to_host(part, region) and
// copy_to_device(part, region), each of which puts something on a lane (the copies on their own)
// and returns at once. Events are numbered from 0 to events - 1; to wait for one is to wait for
// what was on the lane when it was last recorded, and for nothing if it never was.
//
// Of a region there are two events: the end of the last work on it and that of the last copy from
// it or to it. Every copy waits for both (those to the host for the work alone, which has waited
// for the copy), and work waits for the copy. As a part is always in the same region, and a lane
// keeps its order, the part's place on the host is thereby safe as well.
template <class Streams>
class PartTraffic {
 public:
  static constexpr int events = 4;

  explicit PartTraffic(Streams& streams) : streams_(streams) {}

  static int region_of(Index part) noexcept { return part % 2; }

  // Around work that makes the factors of a part.
  void begin_writing(Index part) {
    streams_.wait(Lane::work, copied(part));
    held(part) = part;
  }
  void end_writing(Index part) {
    streams_.record(worked(part), Lane::work);
    streams_.wait(Lane::to_host, worked(part));
    streams_.copy_to_host(part, region_of(part));
    streams_.record(copied(part), Lane::to_host);
  }

  // Around work that reads the factors of a part. Those of `next`, the part that is read after it,
  // are brought meanwhile; it is a neighbour, the part itself, or -1 for none.
  void begin_reading(Index part, Index next) {
    bring(part);
    if (next >= 0) bring(next);
    streams_.wait(Lane::work, copied(part));
  }
  void end_reading(Index part) { streams_.record(worked(part), Lane::work); }

 private:
  static int worked(Index part) noexcept { return region_of(part); }
  static int copied(Index part) noexcept { return 2 + region_of(part); }
  Index& held(Index part) { return held_[static_cast<std::size_t>(region_of(part))]; }

  void bring(Index part) {
    if (held(part) == part) return;
    streams_.wait(Lane::to_device, worked(part));
    streams_.wait(Lane::to_device, copied(part));
    streams_.copy_to_device(part, region_of(part));
    streams_.record(copied(part), Lane::to_device);
    held(part) = part;
  }

  Streams& streams_;
  std::array<Index, 2> held_{-1, -1};  // the part that each region has, or will have
};

}  // namespace lufact
