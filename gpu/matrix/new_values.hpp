// SPDX-License-Identifier: BSD-3-Clause
// New values of A for a matrix that is on the device already: they arrive in A's order, and the
// device puts them to their places.
#pragma once
#include <span>

#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// The sources of B's entries in A, on the device; 4 bytes each where A has so few entries, 8
// otherwise. Resident.
EntrySources upload_sources(DeviceSession& session, std::span<const Offset> source,
                            Offset entries_of_a);

// Overwrites the values of `matrix`, which has its sources, and returns its new scaled_norm: both
// are those of replace_values, to the bit. Takes the values of A as scratch memory; one control
// read, the only time that the host waits, after which nobody reads `values_of_a` any more.
double place_new_values(DeviceSession& session, HostSpan<const double> values_of_a,
                        const DevicePermutedMatrix& matrix);

}  // namespace lufact::gpu
