// SPDX-License-Identifier: BSD-3-Clause
// What tests of the plan and of the planner share: needs, what every division has to be, and an
// array in memory that batches take over from each other.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact::gpu::test {

using Random = std::mt19937;

inline Index uniform(Random& random, Index least, Index most) {
  return std::uniform_int_distribution<Index>(least, most)(random);
}

inline GsofaNeeds needs_of(Index n, std::uint64_t budget_bytes) {
  GsofaNeeds needs;
  needs.rows.n = n;
  needs.budget_bytes = budget_bytes;
  needs.card = {50 << 20, 6336};
  return needs;
}

// The parts of a batch's division lie in the array in their order, and hold what its slots need.
inline void expect_sound(const GsofaPlan& plan, const GsofaBatch& batch, const GsofaNeeds& needs,
                         const GsofaOptions& options) {
  const GsofaDivision& division = batch.division;
  ASSERT_EQ(division.words, plan.array_words);
  ASSERT_LE(static_cast<std::uint64_t>(division.words) * 4, needs.budget_bytes);
  for (Index device = 0; device < needs.devices; ++device) {
    const GsofaSlots slots = plan.slots(batch, device);
    ASSERT_LE(slots.max_id_begin(slots.count), division.max_id_words);
  }
  ASSERT_EQ(division.queue_begin, division.max_id_words);
  ASSERT_GE(division.queue_capacity, 1);
  ASSERT_LE(division.queue_begin + 4 * division.queue_capacity,
            division.fill_begin(batch.slots - 1));
  ASSERT_EQ(division.fill_begin(0) + division.fill_stride, division.words);
  ASSERT_EQ(division.fill_begin(0) % 4, 0);
  if (options.queue) {
    ASSERT_EQ(division.queue_capacity, *options.queue);
  }
  if (!options.external) {
    ASSERT_EQ(division.queue_capacity % needs.rows.n, 0);
  }
}

// Plays the search's part on an array in memory: before every batch each word of maxId has to read
// as not reached, and each tag as older than its source, whatever the word was before.
class PlayedArray {
 public:
  PlayedArray(const GsofaNeeds& needs, const GsofaOptions& options, Offset words, Random& random)
      : needs_(needs), options_(options), array_(at(words), 12345), random_(random) {}

  void play(const GsofaBatch& batch, const GsofaSlots& slots) {
    initialise(batch);
    play_max_id(batch, max_id_words(slots));
    for (Index s = 0; s < slots.count; ++s) play_fill(batch.division, slots, s);
    for (Offset w = 0; w < 4 * batch.division.queue_capacity; ++w) {
      array_[at(batch.division.queue_begin + w)] =
          static_cast<MaxIdWord>(uniform(random_, 0, needs_.rows.n - 1));
    }
  }

 private:
  static constexpr MaxIdWord untouched = 0;  // tags are row + 1

  Offset max_id_words(const GsofaSlots& slots) const {
    if (needs_.reach == nullptr) return slots.max_id_begin(slots.count);
    return needs_.reach->begin(slots.first + slots.count) - needs_.reach->begin(slots.first);
  }

  void initialise(const GsofaBatch& batch) {
    for (Offset w = batch.fresh_max_id.begin; w < batch.fresh_max_id.end; ++w) {
      array_[at(w)] = needs_.window_top;
    }
    for (Index s = batch.fresh_fill_begin; s < batch.fresh_fill_end; ++s) {
      std::fill_n(array_.begin() + batch.division.fill_begin(s), batch.division.fill_stride,
                  untouched);
    }
  }

  void play_max_id(const GsofaBatch& batch, Offset words) {
    ASSERT_LE(words, batch.division.max_id_words);
    for (Offset w = 0; w < words; ++w) {
      ASSERT_FALSE(batch.window.reached(array_[at(w)]));
      const Index value = uniform(random_, 0, needs_.rows.n - 1);
      array_[at(w)] = batch.window.encode(value);
      ASSERT_TRUE(batch.window.reached(array_[at(w)]));
      ASSERT_EQ(batch.window.decode(array_[at(w)]), value);
    }
  }

  // The tags; bits are cleared by the search itself.
  void play_fill(const GsofaDivision& division, const GsofaSlots& slots, Index slot) {
    const MaxIdWord tag = static_cast<MaxIdWord>(slots.row(slot)) + 1;
    for (Offset w = 0; w < gsofa_slot_words(needs_.rows.n, options_.layout).put_off; ++w) {
      MaxIdWord& word = array_[at(division.fill_begin(slot) + w)];
      ASSERT_LT(word, tag);
      if (uniform(random_, 0, 1) > 0) word = tag;
    }
  }

  const GsofaNeeds& needs_;
  const GsofaOptions& options_;
  std::vector<MaxIdWord> array_;
  Random& random_;
};

// A smallest column for each row: anywhere below it, or near it.
inline std::vector<Index> random_first_columns(Index n, Random& random) {
  std::vector<Index> first;
  const Index near = uniform(random, 1, 40);
  for (Index row = 0; row < n; ++row) {
    const Index least = uniform(random, 0, 9) > 0 ? std::max(0, row - near) : 0;
    first.push_back(uniform(random, least, row));
  }
  return first;
}

}  // namespace lufact::gpu::test
