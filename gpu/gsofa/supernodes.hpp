// SPDX-License-Identifier: BSD-3-Clause
// T3 supernodes of rows (GSoFa section 5, Definition 1, Fig. 8) of a finished pattern of L + U,
// whatever stage has made it.
#pragma once
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Row pointers of the supernodes: supernode k is rows result[k] .. result[k + 1]. A row s joins the
// supernode led by r where nnz(U(s, :)) = nnz(U(s - 1, :)) - 1, diagonals counted, and L(s, r) !=
// 0; otherwise it leads the next one, as does every multiple of chunk_size (1 to 1024), which is
// the size of the largest supernode. One control read. Scratch of 8 bytes a row, and of 4 bytes and
// a bit for each row of a chunk, during the call.
Buffer<Index> find_t3_supernodes(DeviceSession& session, const DeviceColumnPattern& pattern,
                                 Index chunk_size);

}  // namespace lufact::gpu
