// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/base/types.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// data[k] becomes the sum of data[0..k), for `count` 64-bit values on the device: counts followed
// by a zero become row pointers. Takes a little scratch during the call; asynchronous but for its
// release.
void exclusive_scan_in_place(DeviceSession& session, Offset* data, Offset count);

}  // namespace lufact::gpu
