// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/base/types.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu {

// to[k] := from[place[k]] for k < count, all of them on the device. Asynchronous. T is float or
// double.
template <class T>
void gather_values(DeviceSession& session, const T* from, const Offset* place, Offset count, T* to);

}  // namespace lufact::gpu
