// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "core/pipeline/stage.hpp"

namespace lufact {

// What is known when a family is chosen.
struct FamilyQuestion {
  std::string planned, other;  // the numeric stage of either chain, for the record
  double most_entries = 0;     // that L + U can have, diagonal once
  Index rhs = 1;
};

// Goes on behind the ordering as planned or with the stages of another mode, before anything is
// made for either. Only orderings that count entries on their way raise the question.
class FamilySelector : public Stage {
 public:
  // Whose symbolic, levelize and numeric stage may go on.
  virtual std::string other_mode() const = 0;
  // Whether they do. Records a choice of stage "family".
  virtual bool takes_other(const FamilyQuestion& question, StageContext& context) const = 0;
};

}  // namespace lufact
