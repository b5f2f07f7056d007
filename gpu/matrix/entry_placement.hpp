// SPDX-License-Identifier: BSD-3-Clause
// Entries of B that the host has not placed: they arrive as A has them, and the device puts them to
// their places.
#pragma once
#include "core/pipeline/column_products.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/matrix/matrix_ahead.hpp"

namespace lufact::gpu {

// Sets col_idx, values, source and scaled_norm of `device`, whose other fields are set, from
// *host.unplaced; all equal what place_entries() gives the host's matrix, to the bit.
// `entries_of_a`, the number of A's entries, says whether a source takes 4 bytes or 8, as in
// upload_sources(). `ahead`, unless null, has that matrix or will; else it is uploaded here.
// Scratch: 28 bytes an entry and what a sort takes, 24 a row.
void place_entries(DeviceSession& session, const PermutedMatrix& host, Offset entries_of_a,
                   DeviceMatrixAhead* ahead, DevicePermutedMatrix& device);

// The sources alone, of a matrix that place_entries() has placed and that did not keep them.
EntrySources find_sources(DeviceSession& session, const PermutedMatrix& host, Offset entries_of_a,
                          const DevicePermutedMatrix& placed);
// Device memory that this takes while it works, and the sources for good, at most.
std::uint64_t source_finding_bytes(DeviceSession& session, Index n, Offset nnz);

}  // namespace lufact::gpu
