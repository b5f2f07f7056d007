// SPDX-License-Identifier: BSD-3-Clause
// What parts of the one array take for a number of sources, and batches that are cut by it: what
// the whole plan and the planner share. Host arithmetic without CUDA.
#pragma once
#include <algorithm>
#include <limits>

#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact::gpu {

inline constexpr Offset word_bytes = sizeof(MaxIdWord);
inline constexpr Offset queue_arrays = 4;  // two queues and their trackers
// The least share of n #C entries that a queue gets beside maxId and fill: what the largest
// iteration was seen to need (Table 3: 25% on pre2) where the division is fixed, and enough for
// most iterations where every batch has its own and nothing is known of frontiers yet.
inline constexpr Offset fixed_queue_share = 4, dynamic_queue_share = 64;
// The queue of a batch of all rows in an array that is still to be made: the share of n #C that
// frontiers take where the rows are many, and no less than what those of a matrix that is soon full
// take.
inline constexpr Offset auto_queue_share = 32, least_auto_queue = Offset{1} << 24;

inline Offset round_up_to_four(Offset words) {
  return (words + 3) / 4 * 4;
}

inline Offset round_down_to_four(Offset words) {
  return words / 4 * 4;
}

inline Offset sources_for(Offset positions, Index devices) {
  return (positions + devices - 1) / devices;
}

// Sizes of the parts for a number of sources, on the device whose rows are largest.
class GsofaSizes {
 public:
  // `source_queue`: entries of the least queue for each source; 0: by its share of n #C.
  GsofaSizes(const GsofaNeeds& needs, const GsofaOptions& options, Offset source_queue = 0)
      : needs_(needs),
        options_(options),
        source_queue_(source_queue),
        fill_stride_(gsofa_slot_words(needs.rows.n, options.layout).stride),
        positions_(needs.rows.positions()) {}

  Offset fill_stride() const { return fill_stride_; }
  Offset budget_words() const {
    return round_down_to_four(static_cast<Offset>(
        std::min<std::uint64_t>(needs_.budget_bytes, std::numeric_limits<Offset>::max()) /
        word_bytes));
  }

  Offset max_id_words(Offset first, Offset sources) const {
    if (needs_.reach != nullptr) {
      return needs_.reach->begin(std::min(first + sources, positions_)) -
             needs_.reach->begin(first);
    }
    // Without `dynamic` the division has to hold the largest rows of all.
    if (!options_.dynamic) {
      first = std::max<Offset>(0, positions_ - 1 - (sources - 1) * needs_.devices);
    }
    const GsofaSlots slots{needs_.rows, first + needs_.devices - 1, needs_.devices,
                           static_cast<Index>(sources), options_.bubbles};
    return slots.max_id_begin(slots.count);
  }
  Offset fill_words(Offset sources) const { return sources * fill_stride_; }
  Offset full_queue(Offset sources) const { return std::max<Offset>(1, sources * needs_.rows.n); }
  Offset least_queue(Offset sources) const {
    if (options_.queue) return *options_.queue;
    if (!options_.external) return full_queue(sources);
    // One source always goes, with a queue of one entry if need be.
    if (sources == 1) return 1;
    if (source_queue_ > 0) return sources * source_queue_;
    return std::max<Offset>(
        1, full_queue(sources) / (options_.dynamic ? dynamic_queue_share : fixed_queue_share));
  }
  // Without a budget of its own a search takes no more than most iterations need.
  Offset most_queue(Offset sources) const {
    if (options_.queue) return *options_.queue;
    if (!options_.external || (options_.dynamic && options_.budget)) return full_queue(sources);
    return std::max<Offset>(1, full_queue(sources) / fixed_queue_share);
  }
  // In an array for batches of up to `sources` that is still to be made.
  Offset auto_queue(Offset sources) const {
    const Offset most = most_queue(sources);
    if (options_.queue || !options_.external || options_.budget) return most;
    return std::min(most, std::max(least_auto_queue, full_queue(sources) / auto_queue_share));
  }
  // In an array that is there already: all that it has left, which costs nothing, while a frontier
  // may be several times n #C long, and pinned memory takes milliseconds to make.
  Offset queue_in(Offset words, Offset sources) const {
    if (options_.queue) return *options_.queue;
    const Offset rest = words / queue_arrays;
    return options_.external ? rest : std::min(rest, full_queue(sources));
  }
  // With the least queue.
  Offset least_words(Offset first, Offset sources) const {
    return max_id_words(first, sources) + fill_words(sources) + queue_arrays * least_queue(sources);
  }
  Offset auto_words(Offset first, Offset sources) const {
    return max_id_words(first, sources) + fill_words(sources) + queue_arrays * auto_queue(sources);
  }
  // The most sources <= `most` that the budget holds; 0: none.
  Offset sources_within_budget(Offset first, Offset most) const {
    return most_sources(budget_words(), most,
                        [&](Offset sources) { return least_words(first, sources); });
  }
  // The most sources whose maxId and fill the cache holds beside the matrix and the queues.
  Offset cached_sources(Offset first) const {
    const auto words = static_cast<Offset>(needs_.card.l2_bytes / 4 * 3) / word_bytes;
    return most_sources(
        words, sources_for(positions_ - first, needs_.devices),
        [&](Offset sources) { return max_id_words(first, sources) + fill_words(sources); });
  }

 private:
  template <class WordsOf>
  Offset most_sources(Offset words, Offset most, const WordsOf& words_of) const {
    // Fill alone bounds them, so that no product below overflows.
    Offset fits = 0, too_many = std::min(most, words / fill_stride_) + 1;
    while (too_many - fits > 1) {
      const Offset middle = fits + (too_many - fits) / 2;
      (words_of(middle) <= words ? fits : too_many) = middle;
    }
    return fits;
  }

  const GsofaNeeds& needs_;
  const GsofaOptions& options_;
  Offset source_queue_;
  Offset fill_stride_;
  Offset positions_;
};

// Throws Error{oom_device, "gsofa_budget"} with what one source needs.
[[noreturn]] void no_source_fits(const GsofaNeeds& needs, const GsofaSizes& sizes);

// Throws Error{unsupported, "matrix_too_large"} from 2^30 rows on.
void require_gsofa_rows(Index n);

// std::invalid_argument for options that no command line lets through.
void require_gsofa_options(const GsofaNeeds& needs, const GsofaOptions& options);

// The batch of so many sources from position `first` on.
GsofaBatch batch_at(const GsofaNeeds& needs, Offset first, Offset sources);

// Gives the batch the parts for so many sources in an array of `words`, but for queues; returns how
// many words are left for those.
Offset divide(const GsofaSizes& sizes, Offset words, Offset sources, GsofaBatch& batch);

// least_sources and most_sources of the batches that are there.
void count_sources(GsofaPlan& plan);

}  // namespace lufact::gpu
