// SPDX-License-Identifier: BSD-3-Clause
// Back ends: the stages behind the symbolic one, and the selector that takes one of several once
// the symbolic product is known, before anything is uploaded for either.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

struct BackEnd {
  const LevelizeStage* levelize = nullptr;
  const NumericStage* numeric = nullptr;
  std::string solve;  // a method of the numeric stage
};

struct BackEndNames {
  std::string levelize, numeric;
};

// Named like a stage, in place of levelize and numeric stage. Naming one of the two, or a method of
// the solves, narrows the candidates; where one is left, nothing is chosen.
class BackEndSelector : public Stage {
 public:
  // All take the symbolic product that info() says and give the factors that it says. The first is
  // the one whose needs stand for the chain as long as nothing is chosen.
  virtual std::vector<BackEndNames> candidates() const = 0;
  // Which of `allowed`, a part of the candidates. Records a choice of stage "numeric".
  virtual std::size_t choose(const Product& symbolic, std::span<const BackEnd> allowed,
                             StageContext& context) const = 0;
};

}  // namespace lufact
