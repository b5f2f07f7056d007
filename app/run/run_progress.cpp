// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/run_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/cells.hpp"

namespace lufact {

RunProgress::RunProgress(std::size_t inputs, bool wanted)
    : line_(wanted), inputs_(inputs), began_(Steady::now()) {}

void RunProgress::begin_input(const std::string& name) {
  input_ = name;
  ++begun_;
  variants_.clear();
}

void RunProgress::expect(const std::string& variant, const Measuring& measuring) {
  Variant expected{measuring, {}, {}};
  expected.turns.left = measuring.warmup + measuring.repetitions;
  expected.refactorizations.left = measuring.refactor;
  variants_.insert_or_assign(variant, expected);
}

void RunProgress::begin_opening(const std::string& variant) {
  variant_ = variant;
  repetition_.reset();
  refactoring_ = false;
  began_ = Steady::now();
}

void RunProgress::begin_turn(const std::string& variant, int repetition, bool last) {
  variant_ = variant;
  if (const auto found = variants_.find(variant); found != variants_.end()) {
    found->second.last = last;
  }
  repetition_ = repetition;
  refactoring_ = false;
  began_ = Steady::now();
}

double RunProgress::elapsed_s() const {
  return std::chrono::duration<double>(Steady::now() - began_).count();
}

void RunProgress::add_part(Mean& mean) {
  mean.seconds += elapsed_s();
  ++mean.parts;
  mean.left = std::max(mean.left - 1, 0);
  began_ = Steady::now();
}

void RunProgress::sampled() {
  const auto found = variants_.find(variant_);
  if (found == variants_.end() || !repetition_) return;
  Variant& variant = found->second;
  if (*repetition_ >= 0 && !variant.warm) {
    variant.warm = true;
    variant.turns = {0, 0, variant.turns.left};
  }
  add_part(variant.turns);
  if (variant.may_go_on()) variant.turns.left = std::max(variant.turns.left, 1);
  refactoring_ = variant.last && variant.refactorizations.left > 0;
}

void RunProgress::refactored() {
  const auto found = variants_.find(variant_);
  if (found != variants_.end()) add_part(found->second.refactorizations);
}

void RunProgress::end_variant(const std::string& variant) {
  variants_.erase(variant);
}

void RunProgress::look(const PhaseBoard* board) {
  if (line_.is_due()) line_.show(text(board));
}

std::string RunProgress::doing() const {
  if (!repetition_) return "opening";
  const auto found = variants_.find(variant_);
  if (found == variants_.end()) return "";
  const Variant& variant = found->second;
  const Measuring& measuring = variant.measuring;
  if (refactoring_) {
    return fmt::format("refactorization {} of {}", variant.refactorizations.parts + 1,
                       measuring.refactor);
  }
  if (*repetition_ < 0) return "warm-up";
  const int number = *repetition_ + 1;
  if (variant.may_go_on()) {
    return fmt::format("repetition {} of {} to {}", number, measuring.repetitions,
                       measuring.max_repetitions);
  }
  return fmt::format("repetition {} of {}", number, variant.last ? number : measuring.repetitions);
}

std::string RunProgress::time_left() const {
  double seconds = 0;
  bool at_least = false;  // more may follow, or refactorizations that nobody has timed
  for (const auto& [name, variant] : variants_) {
    if (variant.turns.left > 0 && variant.turns.parts == 0) return "";
    at_least = at_least || variant.may_go_on();
    for (const Mean& mean : {variant.turns, variant.refactorizations}) {
      at_least = at_least || (mean.left > 0 && mean.parts == 0);
      if (mean.parts > 0) seconds += mean.left * mean.seconds / mean.parts;
    }
  }
  if (const auto found = variants_.find(variant_); found != variants_.end() && repetition_) {
    const Mean& now = refactoring_ ? found->second.refactorizations : found->second.turns;
    if (now.parts > 0) seconds -= std::min(elapsed_s(), now.seconds / now.parts);
  }
  return fmt::format("; {} {} left{}", at_least ? "at least" : "about",
                     format_duration(std::max(seconds, 0.0)), begun_ < inputs_ ? " on it" : "");
}

std::string RunProgress::text(const PhaseBoard* board) const {
  std::string text = input_;
  if (inputs_ > 1) text += fmt::format(" ({} of {})", begun_, inputs_);
  text += fmt::format(": {}, {}", variant_, doing());
  if (board != nullptr) {
    const PhaseBoard::Shown shown = board->read();
    if (!shown.phase.empty()) text += fmt::format(", {}", shown.phase);
    if (shown.done) text += fmt::format(" {}", format_percent(*shown.done));
  }
  return text + time_left();
}

}  // namespace lufact
