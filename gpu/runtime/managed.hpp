// SPDX-License-Identifier: BSD-3-Clause
// Placing the pages of managed memory: moves on the session's stream, and advice to the driver. A
// range is rounded to whole pages; nothing happens to an empty one.
#pragma once
#include <cstddef>

#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

void prefetch_to_device(DeviceSession& session, const void* data, std::size_t bytes);
void prefetch_to_host(DeviceSession& session, const void* data, std::size_t bytes);
// The session's device becomes the preferred location of the pages.
void prefer_device(DeviceSession& session, const void* data, std::size_t bytes);
// The pages are mapped for the session's device wherever they are, so that it reads them there.
void map_for_device(DeviceSession& session, const void* data, std::size_t bytes);
// The host writes to every page, so that all of them are in host memory. The array's contents are
// undefined afterwards.
void touch_on_host(void* data, std::size_t bytes);

}  // namespace lufact::gpu
