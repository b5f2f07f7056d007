// SPDX-License-Identifier: BSD-3-Clause
// The launches of a GSoFa search: a batch of sources until it has converged, and the rows that it
// gives.
#pragma once
#include <cstdint>

#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/gsofa/gsofa_slot_words.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Frontiers that the queues do not hold, in pinned memory: two halves of `entries`, as the queues.
struct GsofaSpill {
  Index* vertices = nullptr;
  Index* trackers = nullptr;
  Offset entries = 0;  // of a half
};

// Figures of one batch, in the order in which they leave the card. One control read.
struct GsofaTally {
  static constexpr Offset wants_spill = -1;

  Offset end = 0;  // entries of L + U up to the last row of the batch; or wants_spill
  // Neighbours looked at; vertices from a queue; those found that had been found before.
  Offset edges = 0, enqueued = 0, enqueued_again = 0;
  Offset peak = 0;     // frontier vertices of an iteration
  Offset spilled = 0;  // entries that went to pinned memory
  Offset at_once = 0;  // vertices that were expanded by the warp that found them, without a queue
  std::int32_t iterations = 0, spills = 0;
};
static_assert(sizeof(GsofaTally) == 64);

// Counters of one source, for the profile.
struct GsofaSourceTally {
  Offset edges = 0, expanded = 0, iterations = 0;
};

// What the kernel of a batch keeps in device memory.
struct GsofaControl {
  Offset tails[3] =
      {};  // entries enqueued for iteration k at tails[k % 3]; all may exceed the places
  GsofaTally tally;
  std::int32_t level = 0;  // of a search that was left and goes on
};

// One batch. Plain data, passed to kernels.
struct GsofaTask {
  PatternRef matrix;
  Index mean_degree = 1;  // entries of a row of the matrix, rounded up
  GsofaSlots slots;
  GsofaDivision division;
  GsofaWindow window;
  MaxIdWord* array = nullptr;
  MaxIdWord* fill_end = nullptr;  // behind the words of slot 0: of the array, or of managed memory
  GsofaSlotWords words;
  GsofaSpill spill;
  GsofaControl* control = nullptr;
  GsofaTally* page = nullptr;           // pinned
  GsofaSourceTally* sources = nullptr;  // of each slot; empty without a profile
  // Of the rows of the device, by their places (GsofaShare), the first one of the batch being at
  // `place`. Known up to there.
  Offset* row_ptr = nullptr;
  Offset place = 0;
  // GsofaReach::begins() from the place of the batch on; null: maxId as GsofaSlots has it.
  const Offset* reach = nullptr;
  // Before the search: words that become maxId that is not reached, slots whose tags become none.
  WordRange fresh_max_id;
  Index fresh_fill_begin = 0, fresh_fill_end = 0;
  bool resumes = false;      // goes on where it wanted spill memory
  bool wants_spill = false;  // to be left as soon as a queue is full, so that spill memory is made
};

struct GsofaKernel {
  GsofaLayout layout = GsofaLayout::paper;
  bool fill_first = false;
};

// Sources start, converge and are counted; row_ptr then ends every row of the batch, and the tally
// is on its page. A search that was left has counted nothing.
void launch_gsofa_search(DeviceSession& session, const GsofaKernel& kernel, const GsofaTask& task);

// Warps of the search that the card runs at once.
Offset gsofa_resident_warps(DeviceSession& session);

// first[row] = the smallest column of the row.
void launch_first_columns(DeviceSession& session, const PatternRef& matrix, Index* first);

// Behind a search: the columns of its rows, ascending, and the positions of their diagonals, by
// place.
void launch_gsofa_rows(DeviceSession& session, const GsofaKernel& kernel, const GsofaTask& task,
                       Index* col_idx, Offset* diagonal);

}  // namespace lufact::gpu
