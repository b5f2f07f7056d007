// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/pivoting.hpp"
#include "gpu/fronts/numeric/product_way.hpp"
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Blocks of the kernel that the card holds at a time. Prepares the kernel; once for all launches.
template <class T>
Offset resident_blocks(DeviceSession& session, Pivoting pivoting, ProductWay way);

// The whole factorization as one launch: `blocks` blocks, at most as many as the card holds at a
// time, take tickets one after the other. The words of problem.sync must be zero. Every tile is
// written once by one block and every sum taken in a fixed order, so that the bits of the factors
// depend on the input alone. Asynchronous.
template <class T>
void eliminate_fronts(DeviceSession& session, const FrontProblem<T>& problem, Pivoting pivoting,
                      ProductWay way, Offset blocks);

template <class T>
using FrontLaunch = decltype(&eliminate_fronts<T>);

}  // namespace lufact::gpu
