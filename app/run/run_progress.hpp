// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "app/terminal/progress_line.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/measure/phase_board.hpp"

namespace lufact {

// What the supervisor does at the moment, in one line: "memplus (2 of 4): klu, repetition 3 of 5,
// numeric; about 12 s left". The time is that of what is still to be done on this input, by the
// means of what each variant took on it, "at least" where repetitions go on until they are many
// enough; none is given before every variant has had a turn.
class RunProgress {
 public:
  // `inputs` are all that this invocation may run on.
  RunProgress(std::size_t inputs, bool wanted);

  void begin_input(const std::string& name);
  // A variant of the input that will have turns.
  void expect(const std::string& variant, const Measuring& measuring);
  // Opening an input; then turns, negative ones being warm-up. How many there are may be known only
  // with the `last` one.
  void begin_opening(const std::string& variant);
  void begin_turn(const std::string& variant, int repetition, bool last);
  // A turn has its sample; what follows in it are refactorizations, if any.
  void sampled();
  void refactored();
  // The variant has no more turns.
  void end_variant(const std::string& variant);

  // Draws the line, now and then. `board` is that of the process at work.
  void look(const PhaseBoard* board);
  // Before anything else is printed.
  void clear() { line_.clear(); }

  std::string text(const PhaseBoard* board) const;

 private:
  using Steady = std::chrono::steady_clock;
  // What some equal parts have taken so far.
  struct Mean {
    double seconds = 0;
    int parts = 0, left = 0;
  };
  struct Variant {
    Measuring measuring;
    Mean turns, refactorizations;
    bool warm = false;  // the turns that count are timed: warm-up may take longer
    bool last = false;  // it has its last turn

    bool may_go_on() const { return measuring.adapts() && !last; }
  };
  double elapsed_s() const;
  void add_part(Mean& mean);
  std::string doing() const;
  std::string time_left() const;

  ProgressLine line_;
  std::size_t inputs_, begun_ = 0;
  std::string input_, variant_;
  std::optional<int> repetition_;  // empty: opening
  std::map<std::string, Variant> variants_;
  bool refactoring_ = false;
  Steady::time_point began_;  // the turn, or the refactorization under way
};

}  // namespace lufact
