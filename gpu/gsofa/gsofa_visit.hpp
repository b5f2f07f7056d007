// SPDX-License-Identifier: BSD-3-Clause
// One neighbour of one frontier vertex: lines 9 to 15 of GSoFa's Fig. 6, corrected, for both
// layouts of the marks. Kernels and the sequential models of tests run this code; what is atomic is
// a policy.
#pragma once
#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/base/types.hpp"
#include "gpu/gsofa/gsofa_windows.hpp"

namespace lufact::gpu {

using MarkWord = std::uint32_t;

// `fill` of a vertex of the row of `source` in layout `paper`. 0 stands for "never touched", so
// that source 0 has a tag as well; sources ascend in every slot, and so do their tags.
LUFACT_HOST_DEVICE constexpr MarkWord fill_tag(Index source) {
  return static_cast<MarkWord>(source) + 1;
}

// The marks of one source in flight.
struct GsofaMarks {
  MaxIdWord* max_id = nullptr;  // of the vertices below the source, at least
  MarkWord* fill = nullptr;     // a tag for each vertex, or in layout `merged` a bit
  GsofaWindow window;
  Index source = 0;
};

struct GsofaVisit {
  bool fills = false;   // the neighbour is a new entry of the row of L + U
  bool enters = false;  // it becomes a frontier vertex
  bool again = false;   // and has been one before
};

// A policy of atomics has, for words of 32 bits: load(word), fetch_min(word, value),
// fetch_max(word, value) and fetch_or(word, value); each returns what the word held before.

// Layout `paper`: maxId and fill of Table 2. A vertex beyond the source needs no maxId: every path
// to it has passed smaller vertices alone, so that reached means filled.
template <bool fill_first>  // line 9.5
struct PaperLayout {
  static constexpr bool merged = false;
  // A warp for each frontier vertex, and a barrier behind each of their levels, as published.
  static constexpr int levels_at_once = 1;

  template <class Atomics>
  LUFACT_HOST_DEVICE static GsofaVisit visit(const Atomics& atomics, const GsofaMarks& marks,
                                             Index cost, Index neighbour) {
    if (neighbour >= marks.source) return {.fills = mark_fill(atomics, marks, neighbour)};
    if constexpr (fill_first) {
      if (is_fill(atomics, marks, neighbour)) return {};
    }
    const MaxIdWord word = marks.window.encode(cost);
    MaxIdWord& held = marks.max_id[neighbour];
    if (atomics.load(held) <= word) return {};
    const MaxIdWord before = atomics.fetch_min(held, word);
    if (before <= word) return {};
    // Line 14: what a fill vertex hands on is its own number, which no path makes smaller.
    const bool fill = neighbour > cost;
    if (fill && !mark_fill(atomics, marks, neighbour)) return {};
    return {fill, true, marks.window.reached(before)};
  }

  // An entry of the matrix in the row of the source, which no other thread marks.
  template <class Atomics>
  LUFACT_HOST_DEVICE static void mark_entry(const Atomics&, const GsofaMarks& marks, Index vertex) {
    marks.fill[vertex] = fill_tag(marks.source);
    if (vertex < marks.source) marks.max_id[vertex] = marks.window.encode(0);
  }

  template <class Atomics>
  LUFACT_HOST_DEVICE static bool is_fill(const Atomics& atomics, const GsofaMarks& marks,
                                         Index vertex) {
    return atomics.load(marks.fill[vertex]) == fill_tag(marks.source);
  }

 private:
  // True for the one thread that marks the vertex.
  template <class Atomics>
  LUFACT_HOST_DEVICE static bool mark_fill(const Atomics& atomics, const GsofaMarks& marks,
                                           Index vertex) {
    if (is_fill(atomics, marks, vertex)) return false;
    const MarkWord tag = fill_tag(marks.source);
    return atomics.fetch_max(marks.fill[vertex], tag) < tag;
  }
};

// Layout `merged`: a fill vertex is one whose maxId is the bottom of the window, which is right
// since what a fill vertex hands on is its own number whatever its maxId. No other vertex is at the
// bottom: 0 is handed on by vertex 0 alone, to neighbours above it. So one atomic marks a fill and
// lowers a maxId; beyond the source a bit tells a fill.
struct MergedLayout {
  static constexpr bool merged = true;
  // A warp goes on with what it found, so many levels between two barriers, and long rows are
  // shared: what a search gives does not depend on the order in which frontier vertices come, since
  // each that was lowered is expanded later with what it then holds.
  static constexpr int levels_at_once = 5;

  template <class Atomics>
  LUFACT_HOST_DEVICE static GsofaVisit visit(const Atomics& atomics, const GsofaMarks& marks,
                                             Index cost, Index neighbour) {
    if (neighbour >= marks.source) return {.fills = mark_beyond(atomics, marks, neighbour)};
    const MaxIdWord word = marks.window.encode(cost);
    MaxIdWord& held = marks.max_id[neighbour];
    if (atomics.load(held) <= word) return {};
    const bool fill = neighbour > cost;
    const MaxIdWord lowered = fill ? marks.window.encode(0) : word;
    const MaxIdWord before = atomics.fetch_min(held, lowered);
    if (before <= lowered) return {};
    return {fill, true, marks.window.reached(before)};
  }

  template <class Atomics>
  LUFACT_HOST_DEVICE static void mark_entry(const Atomics& atomics, const GsofaMarks& marks,
                                            Index vertex) {
    if (vertex < marks.source) {
      marks.max_id[vertex] = marks.window.encode(0);
    } else {
      atomics.fetch_or(marks.fill[vertex / 32], bit(vertex));
    }
  }

  template <class Atomics>
  LUFACT_HOST_DEVICE static bool is_fill(const Atomics& atomics, const GsofaMarks& marks,
                                         Index vertex) {
    if (vertex < marks.source) return atomics.load(marks.max_id[vertex]) == marks.window.encode(0);
    return (atomics.load(marks.fill[vertex / 32]) & bit(vertex)) != 0;
  }

 private:
  LUFACT_HOST_DEVICE static constexpr MarkWord bit(Index vertex) {
    return MarkWord{1} << (static_cast<MarkWord>(vertex) % 32);
  }
  template <class Atomics>
  LUFACT_HOST_DEVICE static bool mark_beyond(const Atomics& atomics, const GsofaMarks& marks,
                                             Index vertex) {
    if (is_fill(atomics, marks, vertex)) return false;
    return (atomics.fetch_or(marks.fill[vertex / 32], bit(vertex)) & bit(vertex)) == 0;
  }
};

// Line 8: what a frontier vertex hands on to its neighbours, the smallest maximum of a path that
// ends in it.
template <class Atomics>
LUFACT_HOST_DEVICE Index handed_on(const Atomics& atomics, const GsofaMarks& marks, Index vertex) {
  const Index held = marks.window.decode(atomics.load(marks.max_id[vertex]));
  return held > vertex ? held : vertex;
}

}  // namespace lufact::gpu
