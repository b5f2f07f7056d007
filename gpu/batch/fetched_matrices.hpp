// SPDX-License-Identifier: BSD-3-Clause
// Chosen matrices of a batch on the device, for the validator on the host, hashes and files.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/batch_results.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Matrices and their results in double, by columns without padding, one after the other.
struct FetchedMatrices {
  std::vector<double> a, b, values;
  std::vector<std::int32_t> pivots, info;  // no pivots where there are none
};

// Where they go on the host: as many entries as the chosen matrices have, or none where a part is
// not wanted.
struct FetchedPlaces {
  std::span<double> a, b, values;
  std::span<std::int32_t> pivots, info;
};

// Those with the numbers `matrices`. Waits.
FetchedMatrices fetch_matrices(DeviceSession& session, const BatchResults& results,
                               std::span<const Offset> matrices);
void fetch_matrices(DeviceSession& session, const BatchResults& results,
                    std::span<const Offset> matrices, const FetchedPlaces& places);

}  // namespace lufact::gpu
