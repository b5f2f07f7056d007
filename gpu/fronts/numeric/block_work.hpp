// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lufact::gpu {

// What a block has just done, of the task that it has begun last.
enum class BlockWork {
  ticket,       // drawn it and loaded its record
  assembly,     // entries and children's contributions are in the tile
  flags,        // waited for tiles that its products need
  copies,       // waited for panels of them
  products,     // subtracted them
  elimination,  // of a tile on the diagonal, or a whole small front
  diagonal,     // waited for the tile on the diagonal
  division,     // by its factor
  storing,      // result, flag or count
};
inline constexpr int block_works = static_cast<int>(BlockWork::storing) + 1;

}  // namespace lufact::gpu
