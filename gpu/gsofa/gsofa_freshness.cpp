// SPDX-License-Identifier: BSD-3-Clause
// What a batch takes over from the one before, and its window.
#include <algorithm>

#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact::gpu {

GsofaFreshness::GsofaFreshness(const GsofaNeeds& needs, const GsofaOptions& options)
    : windows_{std::max<Index>(1, needs.rows.n), needs.window_top},
      windows_at_once_(options.windows ? windows_.count() : 1) {}

void GsofaFreshness::prepare(GsofaBatch& batch) {
  batch.reinitialise = next_window_ == windows_at_once_;
  if (batch.reinitialise) {
    next_window_ = 0;
    good_max_id_ = 0;
  }
  batch.window = windows_.window(next_window_++);
  // What was maxId in the batch before holds `top` or values of earlier windows; what lies behind
  // it may have been a queue or tags.
  batch.fresh_max_id = {std::min(good_max_id_, batch.division.max_id_words),
                        batch.division.max_id_words};
  good_max_id_ = batch.division.max_id_words;
  batch.fresh_fill_begin = std::min(good_fill_, batch.slots);
  batch.fresh_fill_end = batch.slots;
  good_fill_ = batch.slots;
}

}  // namespace lufact::gpu
