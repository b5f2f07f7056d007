// SPDX-License-Identifier: BSD-3-Clause
// New values of A for a matrix that is on the device already: they arrive in A's order, and the
// device puts them to their places.
#pragma once
#include <span>

#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// What the placing of new values needs; made for the first ones, resident, shared by all matrices
// of the pattern.
struct PlacementSpace {
  // What blocks share; zeros before and after.
  struct Words {
    unsigned long long norm = 0;  // bits of the largest sum so far
    unsigned finished = 0;        // blocks
  };
  Buffer<double> given;  // the values in A's order
  Buffer<Words> words;
  // Of each window of norm_window entries: the row of its first entry, and one more: the last row.
  Buffer<Index> first_row;
  // Of each window: the sum of its part of the row that begins in it and ends beyond, then (after
  // those of all windows) that of the row that began before it.
  Buffer<double> part;
  // Parts so far of the row that begins in each window and ends beyond; zeros before and after.
  Buffer<unsigned> arrived;
  std::shared_ptr<Buffer<double>> norm;  // pinned memory
};

// The sources of B's entries in A, on the device; 4 bytes each where A has so few entries, 8
// otherwise. Resident.
EntrySources upload_sources(DeviceSession& session, std::span<const Offset> source,
                            Offset entries_of_a);

// Overwrites the values of `matrix`, which has its sources, and returns its new scaled_norm: both
// are those of replace_values, to the bit. Does not wait: until the stream is done, nobody may
// change page-locked `values_of_a`.
ScaledNorm place_new_values(DeviceSession& session, HostSpan<const double> values_of_a,
                            const DevicePermutedMatrix& matrix);

}  // namespace lufact::gpu
