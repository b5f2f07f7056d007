// SPDX-License-Identifier: BSD-3-Clause
// Ranks as processes of lufact-rank: beside what a stage exchanges, the commands by which the first
// one leads the others.
#pragma once
#include <string>
#include <vector>

#include "core/distribution/rank_group.hpp"

namespace lufact {

struct RankFacts {
  std::string host, build;  // build_name()
};

class RankLink : public RankGroup {
 public:
  virtual const std::vector<RankFacts>& facts() const = 0;  // of all ranks

  virtual void tell_others(const std::string& command) = 0;  // on rank 0
  // On the others. An attentive rank looks some ten thousand times a second, one that is not some
  // five hundred times; both sleep in between, so that whoever has the turn is undisturbed.
  virtual std::string await_command(bool attentive) = 0;
  // Ends all ranks at once.
  [[noreturn]] virtual void abort() = 0;
};

}  // namespace lufact
