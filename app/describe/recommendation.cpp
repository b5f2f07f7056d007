// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/recommendation.hpp"

#include <fmt/format.h>

#include "app/describe/description_text.hpp"
#include "app/describe/matrix_description.hpp"
#include "core/base/byte_size.hpp"

namespace lufact {
namespace {

bool can_run_and_fits(const ModeDescription& mode) {
  return mode.memory.fits.value_or(false);
}

double seconds_of(const ModeTime& time, int expect_refactorizations) {
  return time.first_s + expect_refactorizations * time.each_s;
}

// The mode that can run here and holds least, where none fits.
std::string why_none(std::span<const ModeDescription> modes) {
  const ModeDescription* least = nullptr;
  for (const ModeDescription& mode : modes) {
    if (!mode.memory.fits) continue;
    if (can_run_and_fits(mode)) return "no mode that can run here has a forecast of its time";
    if (least == nullptr || mode.memory.resident_bytes < least->memory.resident_bytes) {
      least = &mode;
    }
  }
  if (least == nullptr) return "no mode can run here";
  return fmt::format("no mode fits: {}, which needs least, needs {} and {}; try another --ordering",
                     least->mode, format_byte_size(least->memory.resident_bytes),
                     least->memory.reason);
}

}  // namespace

Recommendation recommend(std::span<const ModeDescription> modes, int expect_refactorizations) {
  const ModeDescription *best = nullptr, *next = nullptr;
  for (const ModeDescription& mode : modes) {
    if (!can_run_and_fits(mode) || !mode.time || mode.time->at_least) continue;
    const auto seconds = [&](const ModeDescription* other) {
      return seconds_of(*other->time, expect_refactorizations);
    };
    if (best == nullptr || seconds(&mode) < seconds(best)) {
      next = best;
      best = &mode;
    } else if (next == nullptr || seconds(&mode) < seconds(next)) {
      next = &mode;
    }
  }
  if (best == nullptr) return {{}, why_none(modes)};
  Recommendation recommendation{best->mode, ""};
  recommendation.reason = fmt::format(
      "by forecast {} for {} factorization{} with {}, {}",
      seconds_text(seconds_of(*best->time, expect_refactorizations)), 1 + expect_refactorizations,
      expect_refactorizations == 0 ? "" : "s", best->time->numeric,
      next == nullptr
          ? std::string("the only mode with a forecast that can run here")
          : fmt::format("the least of the modes that can run here ({}: {})", next->mode,
                        seconds_text(seconds_of(*next->time, expect_refactorizations))));
  recommendation.reason += fmt::format("; {}", best->memory.reason);
  return recommendation;
}

}  // namespace lufact
