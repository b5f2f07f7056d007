// SPDX-License-Identifier: BSD-3-Clause
// The words of one slot in the one array beside its maxId: fill, the vertices put off, counts.
#pragma once
#include "core/base/host_device.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/gsofa_options.hpp"

namespace lufact::gpu {

// Vertices of a piece: fill entries of a row are counted by piece, so that the pieces of a row are
// written side by side, and those without an entry are not looked at.
inline constexpr Index gsofa_piece = 1024;

// In words of 4 bytes, from the begin of the slot:
//   [0, put_off)       fill: a tag for each vertex (`paper`), or a bit (`merged`)
//   [put_off, counts)  a bit for each vertex that is to be expanded but found no place in a queue
//   [counts, stride)   entries of the row in each piece, and behind the last one a word
// The stride is a multiple of 4, so that four tags are read at once. Everything but tags is zero
// when the search of a batch begins.
struct GsofaSlotWords {
  Offset put_off = 0, counts = 0, stride = 0;

  LUFACT_HOST_DEVICE static constexpr Offset pieces(Index n) {
    return (Offset{n} + gsofa_piece - 1) / gsofa_piece;
  }
  LUFACT_HOST_DEVICE static constexpr Offset bit_words(Index n) { return (Offset{n} + 31) / 32; }

  LUFACT_HOST_DEVICE static constexpr GsofaSlotWords of(Index n, bool merged) {
    const Offset put_off = round_up(merged ? bit_words(n) : Offset{n});
    const Offset counts = put_off + round_up(bit_words(n));
    return {put_off, counts, counts + round_up(pieces(n) + 1)};
  }

 private:
  LUFACT_HOST_DEVICE static constexpr Offset round_up(Offset words) { return (words + 3) / 4 * 4; }
};

}  // namespace lufact::gpu
