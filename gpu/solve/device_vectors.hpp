// SPDX-License-Identifier: BSD-3-Clause
// Operations on vector blocks in device memory.
#pragma once
#include <memory>

#include "gpu/matrix/vector_block.hpp"

namespace lufact::gpu {

// Works on DeviceVectorBlock and DevicePermutedMatrix. write and read count as transfers; each
// scalar comes back as one control read; every sum is taken in a fixed order.
std::unique_ptr<VectorBackend> make_device_vector_backend(DeviceSession& session);

}  // namespace lufact::gpu
