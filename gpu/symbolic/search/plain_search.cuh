// SPDX-License-Identifier: BSD-3-Clause
// The fill2 search of one source row by one thread: Fig. 3(b) of GSoFa, after Rose and Tarjan 1978.
#pragma once
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// Tags as in FillSearch: 2 src + 1 for an entry of the row of L + U, 2 src for a vertex that was
// passed, less for one that was not reached.
class PlainSearch {
 public:
  __device__ PlainSearch(const PatternRef& matrix, Index src, Index* tags, Index* queue)
      : matrix_(matrix), src_(src), tags_(tags), queue_(queue) {}

  // Lines 2 to 18; calls on_lower(k, t) for the k-th entry t left of the diagonal, ascending.
  template <class OnLower>
  __device__ void run(OnLower on_lower) {
    mark_row();
    Index done = 0;
    for (Index threshold = 0; threshold < src_; ++threshold) {
      if (tags_[threshold] != fill_tag()) continue;
      on_lower(done++, threshold);
      expand(threshold);
    }
    lower_ = done;
  }

  // After run(): the diagonal and the entries right of it.
  __device__ void emit_upper(Index* out) const {
    for (Index v = src_; v < matrix_.n; ++v) {
      if (tags_[v] == fill_tag()) *out++ = v;
    }
  }

  __device__ Index filled() const { return filled_; }
  __device__ Index lower() const { return lower_; }
  __device__ Index max_frontier() const { return max_frontier_; }

 private:
  __device__ Index passed_tag() const { return 2 * src_; }
  __device__ Index fill_tag() const { return 2 * src_ + 1; }

  __device__ void mark_row() {
    for (Offset p = matrix_.row_ptr[src_]; p < matrix_.row_ptr[src_ + 1]; ++p) {
      tags_[matrix_.col_idx[p]] = fill_tag();
      ++filled_;
    }
  }

  // Everything reached from the threshold through vertices below it. Every vertex enters once, so
  // that one queue serves as both.
  __device__ void expand(Index threshold) {
    Index tail = 0;
    visit_row(threshold, threshold, tail);
    for (Index head = 0; head < tail; ++head) visit_row(threshold, queue_[head], tail);
    max_frontier_ = max(max_frontier_, tail + 1);
  }

  __device__ void visit_row(Index threshold, Index vertex, Index& tail) {
    for (Offset p = matrix_.row_ptr[vertex]; p < matrix_.row_ptr[vertex + 1]; ++p) {
      const Index neighbour = matrix_.col_idx[p];
      if (tags_[neighbour] >= passed_tag()) continue;
      if (neighbour > threshold) {
        tags_[neighbour] = fill_tag();
        ++filled_;
      } else {
        tags_[neighbour] = passed_tag();
        queue_[tail++] = neighbour;
      }
    }
  }

  PatternRef matrix_;
  Index src_;
  Index *tags_, *queue_;
  Index filled_ = 0, lower_ = 0, max_frontier_ = 0;
};

}  // namespace lufact::gpu
