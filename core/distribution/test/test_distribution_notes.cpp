// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/distribution/distribution_notes.hpp"

namespace lufact {
namespace {

StageNotes slice_notes(Offset batches, Offset edges, Offset sources) {
  StageNotes notes;
  notes.gsofa.emplace();
  notes.gsofa->batches = batches;
  notes.gsofa->edges_checked = edges;
  notes.gsofa->concurrency.least = notes.gsofa->concurrency.most = sources;
  notes.gsofa->bytes.by_table2 = static_cast<std::uint64_t>(24 * sources);
  notes.chunk_sizes.assign(at(batches), sources);
  notes.bytes_per_source = 10;
  return notes;
}

TEST(DistributionNotes, CountsAreSumsAndBytesThoseOfTheLargestDevice) {
  const StageNotes first = slice_notes(2, 100, 50), second = slice_notes(3, 70, 60),
                   idle = slice_notes(0, 0, 0);
  const StageNotes* const slices[] = {&first, &second, &idle};
  StageNotes notes;
  combine_gsofa_notes(slices, notes);
  EXPECT_EQ(notes.gsofa->batches, 5);
  EXPECT_EQ(notes.gsofa->edges_checked, 170);
  EXPECT_EQ(notes.gsofa->concurrency.least, 50);
  EXPECT_EQ(notes.gsofa->concurrency.most, 60);
  EXPECT_EQ(notes.gsofa->bytes.by_table2, 24U * 60);
  EXPECT_EQ(notes.chunk_sizes, (std::vector<Offset>{50, 50, 60, 60, 60}));
  EXPECT_EQ(notes.chunks, 5);
  EXPECT_EQ(notes.bytes_per_source, 30);
}

TEST(DistributionNotes, ProfilesAddUp) {
  StageNotes first = slice_notes(1, 6, 1), second = slice_notes(1, 9, 1);
  first.gsofa_sources = {{0, 1}, {1, 1}, {3, 0}, {2, 0}, {6, 0}};
  second.gsofa_sources = {{0, 1}, {1, 1}, {6, 4}, {1, 2}, {5, 4}};
  const StageNotes* const slices[] = {&first, &second};
  StageNotes notes;
  combine_gsofa_notes(slices, notes);
  EXPECT_EQ(notes.gsofa_sources.iterations, (std::vector<Offset>{3, 2}));
  EXPECT_EQ(notes.gsofa_sources.edges, (std::vector<Offset>{11, 4}));
  EXPECT_DOUBLE_EQ(notes.gsofa_sources.mean_frontier[0], 4);
  EXPECT_DOUBLE_EQ(notes.gsofa_sources.mean_frontier[1], 4);
}

TEST(DistributionNotes, ImbalanceIsTheSlowestOverTheMean) {
  DistributionNotes notes;
  notes.slices.resize(2);
  notes.slices[0].search_s = 3;
  notes.slices[1].search_s = 1;
  compare_slices(notes, true);
  EXPECT_DOUBLE_EQ(notes.imbalance, 1.5);
  EXPECT_DOUBLE_EQ(notes.slices[0].wait_s, 0);
  EXPECT_DOUBLE_EQ(notes.slices[1].wait_s, 2);
  notes.slices[1].wait_s = 0;
  compare_slices(notes, false);
  EXPECT_DOUBLE_EQ(notes.slices[1].wait_s, 0);
}

}  // namespace
}  // namespace lufact
