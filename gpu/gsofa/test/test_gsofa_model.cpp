// SPDX-License-Identifier: BSD-3-Clause
// A model of the search in which a seed picks the order of every atomic step, with queues that are
// too small, frontiers that spill, vertices that are put off and, where the layout has it, vertices
// that are expanded as soon as they are found: always the reference's pattern.
// The visits are those of the kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>
#include <set>
#include <utility>

#include "core/reference/gsofa.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/test/test_support.hpp"
#include "gpu/gsofa/gsofa_reach.hpp"
#include "gpu/gsofa/gsofa_visit.hpp"
#include "gpu/gsofa/gsofa_windows.hpp"
#include "gpu/gsofa/test/stepped_threads.hpp"

namespace lufact::gpu {
namespace {

using test::SteppedAtomics;
using test::SteppedThreads;

// A frontier vertex and the slot of its source.
struct Entry {
  Index vertex = 0, slot = 0;
};

struct Room {
  std::size_t queue = 1, spill = 0;  // entries
};

template <class Layout>
class Model {
 public:
  Model(const CsrPattern& b, Index slots, Room room, std::uint64_t seed)
      : b_(b),
        room_(room),
        threads_(seed),
        random_(seed + 1),
        slots_(slots),
        windows_{b.n_rows, static_cast<MaxIdWord>(3 * b.n_rows + 1)},
        reach_(GsofaShare{{.n = b.n_rows}, 1, 0}, first_columns(b)),
        max_id_(at(reach_.begins().back() + 1), windows_.top),
        fill_(at(Offset{slots} * b.n_rows), 0) {}

  // The columns of every row.
  std::vector<std::set<Index>> run() {
    std::vector<std::set<Index>> rows;
    Offset window = 0;
    for (Index first = 0; first < b_.n_rows; first += slots_) {
      if (window == windows_.count()) {
        std::ranges::fill(max_id_, windows_.top);
        window = 0;
      }
      begin_batch(first, windows_.window(window++));
      while (next_frontier() || any_put_off()) expand();
      for (const GsofaMarks& marks : marks_) rows.push_back(row_of(marks));
    }
    return rows;
  }
  Offset spilled() const { return spilled_; }
  Offset put_off() const { return put_offs_; }
  Offset swept() const { return swept_; }
  Offset sweeps_beside() const { return sweeps_beside_; }
  Offset at_once() const { return at_once_; }

 private:
  static std::vector<Index> first_columns(const CsrPattern& b) {
    std::vector<Index> first;
    for (Index row = 0; row < b.n_rows; ++row) first.push_back(b.row(row)[0]);
    return first;
  }

  void begin_batch(Index first, GsofaWindow window) {
    marks_.clear();
    if constexpr (Layout::merged) std::ranges::fill(fill_, 0);
    const Index count = std::min(slots_, b_.n_rows - first);
    put_off_.assign(at(Offset{count} * words()), 0);
    for (Index s = 0; s < count; ++s) {
      MaxIdWord* const max_id =
          max_id_.data() +
          reach_origin(reach_.begin(first), reach_.begin(first + s + 1), first + s);
      marks_.push_back({max_id, &fill_[at(Offset{s} * b_.n_rows)], window, first + s});
    }
    std::vector<std::function<void()>> bodies;
    for (Index s = 0; s < count; ++s) {
      for (const Index v : b_.row(first + s)) {
        bodies.push_back([this, s, v] {
          Layout::mark_entry(atomics(), marks_[at(s)], v);
          if (v < marks_[at(s)].source) enqueue({v, s});
        });
      }
    }
    threads_.run(std::move(bodies));
  }

  // What was enqueued, and as much of what is elsewhere as there is room for; false: nothing.
  bool next_frontier() {
    frontier_.swap(queue_);
    queue_.clear();
    std::ranges::shuffle(spill_, random_);
    while (!spill_.empty() && frontier_.size() < room_.queue && coin()) {
      frontier_.push_back(spill_.back());
      spill_.pop_back();
    }
    if (frontier_.empty() && !spill_.empty()) {
      frontier_.push_back(spill_.back());
      spill_.pop_back();
    }
    return !frontier_.empty();
  }

  Index words() const { return (b_.n_rows + 31) / 32; }
  // Layout `merged` has them in the words of fill, where bits below the source mean nothing else.
  MarkWord& put_off_word(Index slot, Index word) {
    return Layout::merged ? marks_[at(slot)].fill[word] : put_off_[at(slot * words() + word)];
  }
  static MarkWord below(Index source, Index word) {
    const Index count = source - 32 * word;
    return count >= 32 ? ~MarkWord{0} : count > 0 ? (MarkWord{1} << count) - 1 : 0;
  }

  bool any_put_off() {
    for (Index s = 0; s < static_cast<Index>(marks_.size()); ++s) {
      for (Index w = 0; w < words(); ++w) {
        if ((put_off_word(s, w) & below(marks_[at(s)].source, w)) != 0) return true;
      }
    }
    return false;
  }

  // What was put off goes to the next queue while others expand, and put off more.
  void sweep(Index slot, Index word) {
    MarkWord& held = put_off_word(slot, word);
    const MarkWord bits = atomics().load(held) & below(marks_[at(slot)].source, word);
    MarkWord left = bits;
    while (left != 0) {
      threads_.step();
      if (queue_.size() >= room_.queue) break;
      queue_.push_back({32 * word + std::countr_zero(left), slot});
      left &= left - 1;
      ++swept_;
    }
    if (left != bits) atomics().fetch_and(held, ~(bits ^ left));
  }

  // One iteration: a lane for every neighbour of every frontier vertex, and a barrier.
  void expand() {
    std::vector<std::function<void()>> bodies;
    std::vector<Index> costs(frontier_.size(), -1);
    for (std::size_t f = 0; f < frontier_.size(); ++f) {
      const Entry entry = frontier_[f];
      for (const Index neighbour : b_.row(entry.vertex)) {
        bodies.push_back([this, entry, neighbour, &cost = costs[f]] {
          if (cost < 0) cost = handed_on(atomics(), marks_[at(entry.slot)], entry.vertex);
          look_at(entry.slot, cost, neighbour, Layout::levels_at_once);
        });
      }
    }
    if (any_put_off() && 2 * frontier_.size() <= room_.queue) {
      for (Index s = 0; s < static_cast<Index>(marks_.size()); ++s) {
        for (Index w = 0; w < words(); ++w) {
          bodies.push_back([this, s, w] { sweep(s, w); });
        }
      }
      if (!frontier_.empty()) ++sweeps_beside_;
    }
    threads_.run(std::move(bodies));
    frontier_.clear();
  }

  // What enters may be expanded by the thread that found it, while others are at earlier levels.
  void look_at(Index slot, Index cost, Index neighbour, int levels) {
    const GsofaMarks& marks = marks_[at(slot)];
    if (!Layout::visit(atomics(), marks, cost, neighbour).enters) return;
    if (levels == 1 || coin()) return enqueue({neighbour, slot});
    ++at_once_;
    const Index own_cost = handed_on(atomics(), marks, neighbour);
    for (const Index next : b_.row(neighbour)) look_at(slot, own_cost, next, levels - 1);
  }

  // Queue, pinned memory, a bit: what has been lowered has its place somewhere.
  void enqueue(Entry entry) {
    threads_.step();
    if (queue_.size() < room_.queue) return queue_.push_back(entry);
    threads_.step();
    if (spill_.size() < room_.spill) {
      ++spilled_;
      return spill_.push_back(entry);
    }
    ++put_offs_;
    atomics().fetch_or(put_off_word(entry.slot, entry.vertex / 32),
                       MarkWord{1} << (entry.vertex % 32));
  }

  std::set<Index> row_of(const GsofaMarks& marks) {
    std::set<Index> row;
    const auto below =
        static_cast<Index>(reach_.begin(marks.source + 1) - reach_.begin(marks.source));
    for (Index v = marks.source - below; v < b_.n_rows; ++v) {
      if (Layout::is_fill(atomics(), marks, v)) row.insert(v);
    }
    return row;
  }

  bool coin() { return (random_() & 1) != 0; }
  SteppedAtomics atomics() { return {&threads_}; }

  const CsrPattern& b_;
  Room room_;
  SteppedThreads threads_;
  std::mt19937_64 random_;
  Index slots_;
  GsofaWindows windows_;
  GsofaReach reach_;  // sources have no maxId but for the vertices that they can come to
  std::vector<MaxIdWord> max_id_;
  std::vector<MarkWord> fill_;
  std::vector<GsofaMarks> marks_;
  std::vector<Entry> frontier_, queue_, spill_;
  std::vector<MarkWord> put_off_;
  Offset spilled_ = 0, put_offs_ = 0, swept_ = 0, sweeps_beside_ = 0, at_once_ = 0;
};

std::vector<std::set<Index>> expected_rows(const CsrPattern& b) {
  const ColumnPattern pattern = reference::fill2(b);
  std::vector<std::set<Index>> rows;
  for (Index i = 0; i < b.n_rows; ++i) {
    const auto row = pattern.rows.row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

std::vector<CsrPattern> small_patterns() {
  std::vector<CsrPattern> patterns;
  for (const test::NamedMatrix& named : test::named_matrices()) {
    if (named.matrix.pattern.n_rows > 24 || named.matrix.pattern.n_rows == 0) continue;
    patterns.push_back(test::natural_order(named.matrix).pattern);
  }
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    patterns.push_back(test::natural_order(test::random_matrix(20, 2, seed)).pattern);
  }
  return patterns;
}

template <class Layout>
void expect_reference_pattern() {
  Offset spilled = 0, put_off = 0, swept = 0, sweeps_beside = 0, at_once = 0;
  for (const CsrPattern& b : small_patterns()) {
    const auto expected = expected_rows(b);
    std::uint64_t seed = 1;
    for (const Room room : {Room{1000, 0}, Room{1, 0}, Room{1, 2}, Room{3, 5}, Room{4, 1000}}) {
      for (const Index slots : {1, 3}) {
        Model<Layout> model(b, slots, room, seed++);
        EXPECT_EQ(model.run(), expected) << "n " << b.n_rows << ", room " << room.queue << " and "
                                         << room.spill << ", " << slots << " slots";
        spilled += model.spilled();
        put_off += model.put_off();
        swept += model.swept();
        sweeps_beside += model.sweeps_beside();
        at_once += model.at_once();
      }
    }
  }
  EXPECT_GT(spilled, 0);
  EXPECT_GT(put_off, 0);
  EXPECT_GT(swept, 0);
  EXPECT_GT(sweeps_beside, 0);
  EXPECT_EQ(at_once > 0, Layout::levels_at_once > 1);
}

TEST(GsofaModel, PaperLayoutGivesTheReferenceInEveryOrder) {
  expect_reference_pattern<PaperLayout<false>>();
}
TEST(GsofaModel, FillFirstGivesTheReferenceInEveryOrder) {
  expect_reference_pattern<PaperLayout<true>>();
}
TEST(GsofaModel, MergedLayoutGivesTheReferenceInEveryOrder) {
  expect_reference_pattern<MergedLayout>();
}

// 9 reaches 2 by way of 3, with a maximum of 3, and by way of 7; 2 leads to 5, which only the
// smaller maximum fills.
CsrPattern two_ways() {
  std::vector<test::Triplet> entries{{9, 7, 1.}, {9, 3, 1.}, {7, 2, 1.}, {3, 2, 1.}, {2, 5, 1.}};
  for (Index v = 0; v < 10; ++v) entries.push_back({v, v, 4.0});
  return test::natural_order(test::matrix_from_triplets(10, entries)).pattern;
}

// Where the queue is full, the public code puts maxId back by an atomicMax with what it held
// before, and looks at the neighbour again later: the search of the last row alone, by the same
// rules.
class PublicRestore {
 public:
  PublicRestore(const CsrPattern& b, std::uint64_t seed)
      : b_(b), threads_(seed), src_(b.n_rows - 1) {}

  bool fills(Index column) {
    max_id_.assign(at(b_.n_rows), static_cast<std::uint32_t>(b_.n_rows));
    std::vector<Index> frontier;
    for (const Index v : b_.row(src_)) {
      max_id_[at(v)] = 0;
      row_.insert(v);
      if (v < src_) frontier.push_back(v);
    }
    std::vector<std::pair<Index, Index>> visits;  // a frontier vertex and a neighbour
    while (!frontier.empty() || !visits.empty()) {
      for (const Index v : frontier) {
        for (const Index neighbour : b_.row(v)) visits.emplace_back(v, neighbour);
      }
      std::vector<std::function<void()>> bodies;
      for (const auto& [vertex, neighbour] : std::exchange(visits, {})) {
        bodies.push_back([this, vertex, neighbour, &visits] {
          if (!visit(vertex, neighbour)) visits.emplace_back(vertex, neighbour);
        });
      }
      threads_.run(std::move(bodies));
      frontier = std::exchange(queue_, {});
    }
    return row_.contains(column);
  }

 private:
  // False: no place, to be tried again.
  bool visit(Index vertex, Index neighbour) {
    const SteppedAtomics atomics{&threads_};
    const std::uint32_t cost =
        std::max(static_cast<std::uint32_t>(vertex), atomics.load(max_id_[at(vertex)]));
    const bool fill = static_cast<std::uint32_t>(neighbour) > cost;
    if (row_.contains(neighbour)) return true;
    if (neighbour > src_) return mark(neighbour, fill);
    const std::uint32_t before = atomics.fetch_min(max_id_[at(neighbour)], cost);
    if (before <= cost) return true;
    threads_.step();
    if (queue_.size() >= 1) {
      atomics.fetch_max(max_id_[at(neighbour)], before);
      return false;
    }
    queue_.push_back(neighbour);
    return mark(neighbour, fill);
  }

  bool mark(Index neighbour, bool fill) {
    if (fill) row_.insert(neighbour);
    return true;
  }

  const CsrPattern& b_;
  SteppedThreads threads_;
  Index src_;
  std::vector<std::uint32_t> max_id_;
  std::set<Index> row_;
  std::vector<Index> queue_;
};

TEST(GsofaModel, ThePublicCodesRestoreLosesEntriesAndOursDoesNot) {
  const CsrPattern b = two_ways();
  const auto expected = expected_rows(b);
  ASSERT_TRUE(expected[9].contains(5));
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    if (!PublicRestore(b, seed).fills(5)) ++lost;
    EXPECT_EQ(Model<PaperLayout<false>>(b, 2, {1, 0}, seed).run(), expected);
    EXPECT_EQ(Model<MergedLayout>(b, 2, {1, 0}, seed).run(), expected);
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 500);
}

}  // namespace
}  // namespace lufact::gpu
