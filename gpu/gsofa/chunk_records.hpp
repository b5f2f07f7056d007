// SPDX-License-Identifier: BSD-3-Clause
// What supernodes are found in when the rows of a chunk are on several devices: for each row a word
// with its entries of U, diagonal counted, and a bit for each row of its chunk, set where L(row, r)
// is there. 20 bytes a row with chunks of 128. The rule is that of supernodes.hpp.
#pragma once
#include "core/distribution/gsofa_schedule.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

using ChunkRecordWord = std::uint32_t;

// Words of the record of one row. Throws std::invalid_argument unless chunks have 1 to 1024 rows.
Offset chunk_record_words(const GsofaRows& rows);

// Uninitialised records of all rows of a node.
Buffer<ChunkRecordWord> make_chunk_records(DeviceSession& session, const GsofaRows& node_rows);

// The records of the rows of `share`, by place; `found` has them by place too.
Buffer<ChunkRecordWord> collect_chunk_records(DeviceSession& session,
                                              const DeviceColumnPattern& found,
                                              const GsofaShare& share);

// Puts the records of the rows of `share`, on the session's device, to the positions that these
// have in `node_rows`. `records` has as many records as the node has rows.
void place_chunk_records(DeviceSession& session, const GsofaShare& share,
                         const ChunkRecordWord* of_share, const GsofaRows& node_rows,
                         Buffer<ChunkRecordWord>& records);

// Zeros for n rows and a place more.
Buffer<Offset> make_starts(DeviceSession& session, Index n);

// starts[row] = 1 for the rows of the node that lead a supernode, else 0; those of other nodes stay
// as they are. `records` are those of the whole node, by position.
void find_leaders(DeviceSession& session, const GsofaRows& node_rows,
                  const Buffer<ChunkRecordWord>& records, Buffer<Offset>& starts);

// Row pointers of the supernodes from `starts`, which is used up. One control read.
Buffer<Index> supernodes_of_starts(DeviceSession& session, Buffer<Offset>& starts);

}  // namespace lufact::gpu
