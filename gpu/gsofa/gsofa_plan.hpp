// SPDX-License-Identifier: BSD-3-Clause
// The plan of a GSoFa search: batches of sources, and for each the division of the one array of
// section 6 into maxId, fill and queues. Host arithmetic without CUDA.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.hpp"
#include "core/distribution/gsofa_schedule.hpp"
#include "core/pipeline/gsofa_options.hpp"
#include "gpu/gsofa/gsofa_reach.hpp"
#include "gpu/gsofa/gsofa_slot_words.hpp"
#include "gpu/gsofa/gsofa_windows.hpp"

namespace lufact::gpu {

// What #C may be chosen from beside memory.
struct GsofaCard {
  std::uint64_t l2_bytes = 0;
  Offset resident_warps = 0;  // of the search kernel, on the whole card
};

struct GsofaNeeds {
  GsofaRows rows;
  Index devices = 1;  // of the node; all share one plan
  GsofaCard card;
  std::uint64_t budget_bytes = 0;  // of the one array, on each device
  // Pinned memory for frontiers that the queue does not hold: at most so many entries, 1 MB of
  // them, for it takes a millisecond for two MB to make. What does not fit there either is put off,
  // a bit for each vertex in its slot.
  Offset most_spill_entries = Offset{1} << 16;
  MaxIdWord window_top = 0xffffffffU;  // smaller in tests
  // Of the one device of a node; only where GsofaPlanner::wants_reach(). Null: each source has a
  // maxId for every vertex below it.
  std::shared_ptr<const GsofaReach> reach;
};

// Words [begin, end) of the array.
struct WordRange {
  Offset begin = 0, end = 0;
  LUFACT_HOST_DEVICE constexpr Offset size() const { return end > begin ? end - begin : 0; }
};

// Where the parts of the array are in one batch, in words of 4 bytes:
//   [0, max_id_words)            maxId, slots ascending (GsofaSlots::max_id_begin, or GsofaReach)
//   [queue_begin, + 4 capacity)  queue, new queue, tracker, new tracker, `capacity` entries each
//   the GsofaSlotWords of slot s at fill_begin(s), the last slot first, slot 0 at the end of the
//   array: the place of a slot does not depend on #C, so that its tags stay good while #C falls.
struct GsofaDivision {
  Offset words = 0;  // of the whole array
  Offset max_id_words = 0;
  Offset fill_stride = 0;  // GsofaSlotWords of a slot
  Offset queue_begin = 0, queue_capacity = 0;

  LUFACT_HOST_DEVICE constexpr Offset fill_begin(Index slot) const {
    return words - (Offset{slot} + 1) * fill_stride;
  }
};

// One batch: what all devices of the node search before the next.
struct GsofaBatch {
  Offset first = 0;  // position of slot 0 of device 0
  Index slots = 0;   // #C of the batch, on every device
  GsofaDivision division;
  GsofaWindow window;
  // What has to hold `window_top`, respectively no tag, before the search starts, because it held
  // something else: new parts of the division, and all maxId where the windows are used up.
  // fresh_fill counts slots.
  WordRange fresh_max_id;
  Index fresh_fill_begin = 0, fresh_fill_end = 0;
  bool reinitialise = false;  // fresh_max_id is there because the windows were used up
  // Chunks of this node (GsofaRows) whose last row converges with this batch.
  Offset first_chunk = 0, end_chunk = 0;
};

struct GsofaPlan {
  GsofaRows rows;
  Index devices = 1;
  bool bubbles = false;
  std::vector<GsofaBatch> batches;
  Offset array_words = 0;    // of each device; 4 * array_words <= budget_bytes
  Offset spill_entries = 0;  // of pinned memory; 0 without `external`
  Offset reinitialisations = 0;
  // For the record. least and most leave out a last batch that is short of rows.
  Offset least_sources = 0, most_sources = 0;
  std::string_view bound;  // "memory" | "cache" | "occupancy" | "rows" | "option"

  // The sources of one device in one batch: they ascend in every slot from batch to batch.
  GsofaSlots slots(const GsofaBatch& batch, Index device = 0) const noexcept;
};

GsofaSlotWords gsofa_slot_words(Index n, GsofaLayout layout);

// Counts of U and chunk bits of all rows: 20 bytes a row with chunks of 128.
std::uint64_t gsofa_row_bytes(const GsofaRows& rows);

// 24 n #C, Table 2 in bytes.
std::uint64_t gsofa_table2_bytes(Index n, Offset sources);

// min(4096, 2^floor(log2(budget / (24 n)))), at least 1: the paper's #C. It gives the 1,024 of pre2
// in section 5 and the ratios of Fig. 5 with 16 GiB.
Offset gsofa_paper_sources(Index n, std::uint64_t budget_bytes) noexcept;

// Sources that `auto` would take whatever the budget holds. A batch takes as long as its longest
// path, and all its sources share the card: so many that they saturate the card and make few
// batches, or those whose maxId and fill the cache holds where that is more; in an array of a few
// GiB, for fresh memory takes time as well.
struct GsofaWish {
  Offset sources = 1;
  std::string_view bound;
};
GsofaWish gsofa_wish(Index n, const GsofaOptions& options, const GsofaNeeds& needs);

// The budget where the option names none: half of what the device limit leaves, the other half
// being for the pattern to come.
std::uint64_t gsofa_budget_bytes(const GsofaOptions& options, std::uint64_t left) noexcept;

// The whole plan. Every row of the node is in exactly one batch, slot and device. A batch is as
// large as the wish and the budget allow, in whole chunks where it holds one (equation (1));
// without `dynamic` #C and the division are those of the batch that needs most. n = 0 gives no
// batch. Queue and pinned memory may be too small for the neighbours of a vertex: bits keep them.
// Throws Error{oom_device, "gsofa_budget"} where one source does not fit, with what it needs and
// both options; std::invalid_argument for options that no command line lets through.
GsofaPlan plan_gsofa(const GsofaNeeds& needs, const GsofaOptions& options);

// Gives out windows from batch to batch and says what has to be set before each.
class GsofaFreshness {
 public:
  GsofaFreshness(const GsofaNeeds& needs, const GsofaOptions& options);
  void prepare(GsofaBatch& batch);

 private:
  GsofaWindows windows_;
  Offset windows_at_once_, next_window_ = 0, good_max_id_ = 0;
  Index good_fill_ = 0;
};

// What the batch before told of itself: no sources before the first one, no levels where none of
// its sources had a frontier.
struct GsofaLoad {
  Offset sources = 0, edges = 0, levels = 0;
  Offset frontier = 0;  // vertices that the queues held, in the mean over its iterations
};

// The plan as the search makes it, batch by batch. Where `auto` may change #C (`dynamic`) it
// follows the load. Either the cache holds maxId and fill of all sources in flight, or as many are
// in flight as memory holds: between the two, the time is a constant and one over #C. The cache
// wins where the sources that it holds look at many edges in a level for each lane of the card;
// where they do not, barriers along the longest paths take the time, and few large batches win.
// Where memory decides, a batch is of whole chunks only if that costs it few sources: rows are
// written as they converge, and supernodes are found in the whole pattern. In all other cases it is
// plan_gsofa's plan.
class GsofaPlanner {
 public:
  // Whether the rows' whole triangles of maxId are more than the array holds, so that their reach
  // makes larger batches: in layout `merged`, where maxId takes nearly all of the array.
  static bool wants_reach(const GsofaNeeds& needs, const GsofaOptions& options);

  // Throws as plan_gsofa.
  GsofaPlanner(const GsofaNeeds& needs, const GsofaOptions& options);

  // Nothing after the last batch. Without a load for the first one.
  std::optional<GsofaBatch> next(const GsofaLoad& load);
  // The batches so far, and what is known from the start; sources are counted with the last batch.
  const GsofaPlan& plan() const noexcept { return plan_; }

 private:
  Offset source_queue(const GsofaLoad& load) const;
  GsofaWish wish(Offset first, const GsofaLoad& load) const;
  void add(const GsofaLoad& load);

  GsofaNeeds needs_;
  GsofaOptions options_;
  GsofaPlan plan_;
  std::size_t given_ = 0;
  Offset first_ = 0;  // position of the next batch
  GsofaFreshness freshness_;
};

}  // namespace lufact::gpu
