// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

// Takes one of several symbolic stages that give the same product, once the permuted matrix is
// known and before it is uploaded for any. Named like a stage, in place of one.
class SymbolicSelector : public Stage {
 public:
  // All give the product that info() says. The first works on the host and stands for the chain as
  // long as nothing is chosen: one on the device is open in a run that has a device for the sake of
  // other stages, so that no run needs one for this choice.
  virtual std::vector<std::string> candidates() const = 0;
  // Which of `allowed`, which are all candidates. `device_room` is what is free of the device's
  // budget, in bytes; empty: the run has no device. Records a choice of stage "symbolic".
  virtual std::size_t choose(const PermutedMatrix& b, std::span<const SymbolicStage* const> allowed,
                             std::optional<std::uint64_t> device_room,
                             StageContext& context) const = 0;
};

}  // namespace lufact
