// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/supernodes.hpp"

#include "gpu/gsofa/chunk_records.hpp"

namespace lufact::gpu {

Buffer<Index> find_t3_supernodes(DeviceSession& session, const DeviceColumnPattern& pattern,
                                 Index chunk_size) {
  GsofaShare all;
  all.rows.n = pattern.n;
  all.rows.chunk_size = chunk_size;
  Buffer<Offset> starts = make_starts(session, pattern.n);
  find_leaders(session, all.rows, collect_chunk_records(session, pattern, all), starts);
  return supernodes_of_starts(session, starts);
}

}  // namespace lufact::gpu
