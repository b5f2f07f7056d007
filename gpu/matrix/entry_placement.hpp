// SPDX-License-Identifier: BSD-3-Clause
// Entries of B that the host has not placed: they arrive as A has them, and the device puts them to
// their places.
#pragma once
#include "core/pipeline/column_products.hpp"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Sets col_idx, values, source and scaled_norm of `device`, whose other fields are set, from
// *host.unplaced; all equal what place_entries() gives the host's matrix, to the bit.
// `entries_of_a`, the number of A's entries, says whether a source takes 4 bytes or 8, as in
// upload_sources(). Scratch: 28 bytes an entry and what a sort takes, 24 a row.
void place_entries(DeviceSession& session, const PermutedMatrix& host, Offset entries_of_a,
                   DevicePermutedMatrix& device);

}  // namespace lufact::gpu
