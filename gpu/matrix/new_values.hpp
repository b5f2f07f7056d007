// SPDX-License-Identifier: BSD-3-Clause
// New values of A for a matrix that is on the device already: they arrive in A's order, and the
// device puts them to their places.
#pragma once
#include <span>

#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Workspace for placing new values; made when values are first given, resident, shared by all
// matrices of the pattern.
struct PlacementSpace {
  // Words that blocks share; zeros before and after a launch.
  struct Words {
    unsigned long long norm = 0;  // bits of the largest sum so far
    unsigned finished = 0;        // blocks
  };
  Buffer<double> given;  // the values in A's order, where they come from the host
  Buffer<Words> words;
  // The row of the first entry of each window of norm_window entries, then the last row.
  Buffer<Index> first_row;
  // First, by window: its part of the sum of the row that begins in the window and ends beyond.
  // Then, by window: its part of the sum of the row that began before.
  Buffer<double> part;
  // By window: parts so far of the row that begins there and ends beyond; zeros before and after.
  Buffer<unsigned> arrived;
  std::shared_ptr<Buffer<double>> norm;  // pinned memory; made for the first new values
  Buffer<double> norm_there;             // the same, for kernels
};

// The sources of B's entries in A, on the device; 4 bytes each where A has so few entries, 8
// otherwise. Resident.
EntrySources upload_sources(DeviceSession& session, std::span<const Offset> source,
                            Offset entries_of_a);

// Overwrites the values of `matrix`, whose sources must be set, and returns the new scaled_norm;
// both equal those of replace_values to the bit. Asynchronous: page-locked `values_of_a` must not
// change until the stream is done.
ScaledNorm place_new_values(DeviceSession& session, HostSpan<const double> values_of_a,
                            const DevicePermutedMatrix& matrix);
// The same with values that are on the device, in A's order.
ScaledNorm place_values_there(DeviceSession& session, const double* values_of_a,
                              const DevicePermutedMatrix& matrix);
// The same for the first values of a matrix, whose norm is read back at once.
double place_first_values(DeviceSession& session, const double* values_of_a,
                          const DevicePermutedMatrix& matrix);

}  // namespace lufact::gpu
