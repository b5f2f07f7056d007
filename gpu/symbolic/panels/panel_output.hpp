// SPDX-License-Identifier: BSD-3-Clause
// The rows of L + U from their bits.
#pragma once
#include "gpu/forest/panel_slots.hpp"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

struct OutputArrays {
  // By slot in row order: the number of entries in all slots before it, modulo 2^32. Differences
  // within a row are exact.
  std::uint32_t* before = nullptr;
  Index* beyond = nullptr;  // of each row: its number of entries of U beyond the panel
  Offset* partial = nullptr;
  std::uint32_t* partial_words = nullptr;

  void lay_out(Carver& carver, Index n, Index slots, Offset blocks);
};

// Sets row_ptr and diagonal of the pattern, and *entries on the device. Closes the diagonal blocks
// of a symmetric pattern.
void count_rows(DeviceSession& session, const PanelArrays& panels, Index panel_count,
                const SlotArrays& slots, const OutputArrays& output, DeviceColumnPattern& pattern,
                Offset* entries);

// Writes the columns of every row, ascending.
void write_rows(DeviceSession& session, const PanelArrays& panels, const SlotArrays& slots,
                const OutputArrays& output, DeviceColumnPattern& pattern);

}  // namespace lufact::gpu
