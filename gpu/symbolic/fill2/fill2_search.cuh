// SPDX-License-Identifier: BSD-3-Clause
// The fill2 search of one source row by one warp, in the contracted graph.
//
// fill2 (Rose and Tarjan 1978; E2E Algorithm 1) finds the entries j < src of a row of L: the
// vertices that a path from src leads to through vertices below j. It takes the entries found so
// far as thresholds t, in ascending order, and follows all edges from t through vertices below t.
// Connections that the symmetric part of the pattern makes below a threshold are not followed edge
// by edge here, but through the elimination forest of the symmetric part (Liu 1990):
//   1. An ancestor of an entry is an entry, as long as it is below src: marks run along parents.
//   2. A threshold t reaches its whole subtree, and what the search passes at t is a union of whole
//      subtrees: only the crossing edges that leave them are followed, a list of consecutive ones.
//   3. An edge to a vertex above the vertex that it leaves gives an entry, in whichever order the
//      thresholds are taken. Only edges downwards have to wait for their turn: a word's thresholds
//      are looked at together, and those that lead down to something new are taken one by one.
// A vertex is visited once it, or an ancestor of it up to the threshold, is marked. The marked
// vertices below src are closed under taking ancestors.
#pragma once
#include "gpu/symbolic/fill2/fill2_crossing.hpp"
#include "gpu/symbolic/fill2/fill2_lists.cuh"
#include "gpu/symbolic/fill2/fill2_marks.cuh"

namespace lufact::gpu {

// In shared memory.
struct Fill2Shared {
  static constexpr Index capacity = 128;
  Index queue[capacity];         // roots of subtrees whose edges are to be followed
  Index queued;                  // beyond the capacity they are pending
  Index targets[2 * warp_size];  // of edges that were found to lead to something new
  unsigned waiting;              // thresholds of a word
};

class Fill2Search {
 public:
  // The whole warp calls all members but mark_entries, is_visited, pass and enqueue.
  __device__ Fill2Search(const ForestRef& forest, const CrossingRef& crossing,
                         const RowMarks& marks, Fill2Shared& shared, Index src)
      : forest_(forest),
        crossing_(crossing),
        marks_(marks),
        shared_(shared),
        src_(src),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  // Searches from the row's own entries; `kCrossing` where there may be crossing edges.
  template <bool kCrossing>
  __device__ void run(const Index* begin, const Index* end) {
    const ListRange own{0, static_cast<Index>(end - begin)};
    for_each_in_wide(own, begin, [&](bool valid, Index v) { mark_entries(valid ? v : -1); });
    __syncwarp();
    if constexpr (kCrossing) take_thresholds();
  }

 private:
  // The vertices of a step in one word.
  __device__ static unsigned bits_of(Index v, Index last) {
    return low_bits(last % word_bits + 1) & ~low_bits(v % word_bits);
  }
  // Bits of the vertices of v's word that are below `end`.
  __device__ static unsigned below(Index end, Index v) {
    return low_bits(max(end - v / word_bits * word_bits, 0));
  }

  // Marks v and its ancestors below src as entries.
  __device__ void mark_entries(Index v) const {
    if (v < 0 || v >= src_ || has_bit(marks_.entries, v)) return;
    do {
      const ForestStep step = forest_.steps[v];
      const unsigned bits = bits_of(v, step.last) & below(src_, v);
      if ((marks_.set(marks_.entries, v / word_bits, bits) & bits) != 0) return;
      v = step.next;
    } while (v >= 0 && v < src_);
  }

  // Whether v < t has been visited, or is in the subtree of an entry up to t that will be.
  __device__ bool is_visited(Index v, Index t) const {
    if (marks_.is_marked(v)) return true;
    while (v >= 0 && v <= t) {
      const ForestStep step = forest_.steps[v];
      const unsigned bits = bits_of(v, step.last) & below(t + 1, v);
      const Index word = v / word_bits;
      if (((marks_.entries[word] | marks_.passed[word]) & bits) != 0) return true;
      v = step.next;
    }
    return false;
  }

  // v < t is reached at threshold t. So is the subtree of v's highest ancestor up to t, and the
  // ancestors above t are entries.
  __device__ void pass(Index v, Index t) const {
    if (marks_.is_marked(v)) return;
    for (;;) {
      const ForestStep step = forest_.steps[v];
      const unsigned bits = bits_of(v, step.last) & below(t + 1, v);
      const Index word = v / word_bits;
      if ((marks_.entries[word] & bits) != 0) return;
      if ((marks_.set(marks_.passed, word, bits) & bits) != 0) return;
      if (step.next < 0 || step.next > t) {
        if (has_bit(crossing_.present, step.last)) enqueue(step.last);
        mark_entries(step.next);
        return;
      }
      v = step.next;
    }
  }

  // Takes an edge out of the vertices that threshold t reaches. Most edges lead to marked vertices;
  // the others are collected, so that all threads climb the forest at the same time.
  __device__ void offer_edge(bool valid, Index target, Index t) {
    const bool is_new = valid && target < src_ &&
                        !(target > t ? has_bit(marks_.entries, target) : marks_.is_marked(target));
    const unsigned offered = __ballot_sync(full_warp, is_new);
    if (is_new) shared_.targets[collected_ + __popc(offered & low_bits(lane_))] = target;
    collected_ += __popc(offered);
    if (collected_ >= warp_size) follow_collected(t);
  }

  // Follows the last of the collected edges, at most a warp's worth.
  __device__ void follow_collected(Index t) {
    __syncwarp();
    const Index first = max(collected_ - warp_size, 0);
    if (first + lane_ < collected_) {
      const Index target = shared_.targets[first + lane_];
      if (target > t) {
        mark_entries(target);
      } else {
        pass(target, t);
      }
    }
    collected_ = first;
    __syncwarp();
  }

  // Entries of one word whose subtrees have crossing edges.
  __device__ unsigned candidates(Index word) const {
    return marks_.entries[word] & crossing_.present[word];
  }

  // The first word from `from` on with candidates, or -1.
  __device__ Index next_word(Index from) const {
    for (Index group = marks_.next_group(from / word_bits); group >= 0;
         group = marks_.next_group(group + 1)) {
      const Index word = group * word_bits + lane_;
      const bool written = word >= from && (marks_.summary[group] >> lane_ & 1) != 0;
      const unsigned found = __ballot_sync(full_warp, written && candidates(word) != 0);
      if (found != 0) return group * word_bits + __ffs(found) - 1;
    }
    return -1;
  }

  __device__ void take_thresholds() {
    for (Index word = next_word(0); word >= 0; word = next_word(word + 1)) take_word(word);
  }

  __device__ void take_word(Index word) {
    unsigned done = 0, todo = read(marks_.entries[word]) & crossing_.present[word];
    while (todo != 0) {
      const unsigned waiting = settle(word, todo);
      done |= todo & ~waiting;
      todo = read(marks_.entries[word]) & crossing_.present[word] & ~done;
      // A new entry may precede a waiting one, and is then looked at first.
      while ((waiting & lowest_bit(todo)) != 0) {
        expand(word * word_bits + __ffs(todo) - 1);
        done |= lowest_bit(todo);
        todo = read(marks_.entries[word]) & crossing_.present[word] & ~done;
      }
    }
  }

  // Reads a word that any thread may write before or after; all threads get the same value.
  template <class Word>
  __device__ static Word read(const Word& word) {
    __syncwarp();
    const Word value = word;
    __syncwarp();
    return value;
  }

  // Looks at thresholds of one word together and follows their edges upwards. Returns those that
  // wait: with long lists, or an edge downwards or a child that leads to an unvisited vertex.
  __device__ unsigned settle(Index word, unsigned thresholds) const {
    const Index first = word * word_bits;
    ListRange edges, children;
    if ((thresholds >> lane_ & 1) != 0) {
      const CrossingSlice& slice = crossing_.slices[first + lane_];
      edges = {slice.own, slice.end};
      children = {slice.child_begin, crossing_.slices[first + lane_ + 1].child_begin};
    }
    const unsigned wide = __ballot_sync(full_warp, edges.is_wide() || children.is_wide());
    if (lane_ == 0) shared_.waiting = wide;
    __syncwarp();
    for_each_in_narrow(children, crossing_.children, [&](bool valid, int owner, Index child) {
      if (valid && !marks_.is_marked(child)) atomicOr(&shared_.waiting, 1u << owner);
    });
    for_each_in_narrow(edges, crossing_.targets, [&](bool valid, int owner, Index target) {
      const Index t = first + owner;
      if (!valid) return;
      if (target > t) {
        mark_entries(target);
      } else if (!is_visited(target, t)) {
        atomicOr(&shared_.waiting, 1u << owner);
      }
    });
    return read(shared_.waiting);
  }

  // Follows every crossing edge out of the unvisited vertices that threshold t reaches.
  __device__ void expand(Index t) {
    const CrossingSlice slice = crossing_.slices[t];
    const Index child_end = crossing_.slices[t + 1].child_begin;
    if (lane_ == 0) shared_.queued = 0;
    __syncwarp();
    for_each_in_wide({slice.child_begin, child_end}, crossing_.children,
                     [&](bool valid, Index child) {
                       if (!valid || marks_.is_marked(child)) return;
                       marks_.set(marks_.passed, child / word_bits, bit_of(child));
                       enqueue(child);
                     });
    for_each_in_wide({slice.own, slice.end}, crossing_.targets,
                     [&](bool valid, Index target) { offer_edge(valid, target, t); });
    empty_queue(t);
  }

  __device__ void enqueue(Index root) const {
    const Index place = atomicAdd(&shared_.queued, 1);
    if (place < Fill2Shared::capacity) {
      shared_.queue[place] = root;
    } else {
      atomicOr(&marks_.pending[root / word_bits], bit_of(root));
    }
  }

  __device__ void empty_queue(Index t) {
    Index head = 0;
    for (;;) {
      const Index queued = read(shared_.queued);
      if (head < min(queued, Fill2Shared::capacity)) {
        const Index count = min(min(queued, Fill2Shared::capacity) - head, warp_size);
        follow_subtrees(head, count, t);
        head += count;
      } else if (queued > Fill2Shared::capacity) {
        refill_queue();
        head = 0;
      } else if (collected_ > 0) {
        follow_collected(t);
      } else {
        return;
      }
    }
  }

  // Follows the edges of `count` subtrees of the queue, at most one a thread.
  __device__ void follow_subtrees(Index head, Index count, Index t) {
    ListRange edges;
    if (lane_ < count) {
      const CrossingSlice& slice = crossing_.slices[shared_.queue[head + lane_]];
      edges = {slice.begin, slice.end};
    }
    for_each_in_narrow(edges, crossing_.targets,
                       [&](bool valid, int, Index target) { offer_edge(valid, target, t); });
    for (unsigned wide = __ballot_sync(full_warp, edges.is_wide()); wide != 0; wide &= wide - 1) {
      const int owner = __ffs(wide) - 1;
      const Index begin = __shfl_sync(full_warp, edges.begin, owner);
      const Index end = __shfl_sync(full_warp, edges.end, owner);
      for_each_in_wide({begin, end}, crossing_.targets,
                       [&](bool valid, Index target) { offer_edge(valid, target, t); });
    }
  }

  // Moves pending subtrees into the empty queue. Where some do not fit, `queued` exceeds the
  // capacity again.
  __device__ void refill_queue() const {
    if (lane_ == 0) shared_.queued = 0;
    __syncwarp();
    for (Index word = lane_; word < marks_.words; word += warp_size) {
      unsigned bits = marks_.pending[word];
      for (; bits != 0; bits &= bits - 1) {
        const Index place = atomicAdd(&shared_.queued, 1);
        if (place >= Fill2Shared::capacity) break;
        shared_.queue[place] = word * word_bits + __ffs(bits) - 1;
      }
      marks_.pending[word] = bits;
    }
  }

  ForestRef forest_;
  CrossingRef crossing_;
  RowMarks marks_;
  Fill2Shared& shared_;
  Index src_;
  int lane_;
  Index collected_ = 0;
};

}  // namespace lufact::gpu
