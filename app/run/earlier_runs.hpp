// SPDX-License-Identifier: BSD-3-Clause
// Runs that an earlier invocation has left, and whether they answer what this one asks.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/machine.hpp"
#include "core/pipeline/record.hpp"
#include "core/report/build_info.hpp"
#include "core/report/result_writer.hpp"

namespace lufact {

// What decides how long a run takes beside its options: a hash of the program, the host and the
// device.
std::string environment_of(const Machine& machine, const BuildInfo& build);

// Whether a run has no answer that would stand: it was interrupted, could not read its input or was
// unsupported, and what was missing may have come.
bool is_to_be_made_again(const RunRecord& run);

// Of one command that runs variants side by side. Those of an input take turns, so its runs count
// only where all of them are there.
class EarlierRuns {
 public:
  // None.
  EarlierRuns() = default;
  // Those that `output` and its journal hold. `wanted`: for each input the records of its variants
  // as they are before they run.
  EarlierRuns(const std::string& output, const std::vector<std::vector<RunRecord>>& wanted);

  // For the writer of `output`, which asks for each run that is there.
  ResultWriter::Earlier judge(const RunRecord& run);
  // The runs of an input in the order of `wanted`; empty unless all are there.
  std::optional<std::vector<RunRecord>> of_input(const std::vector<RunRecord>& wanted) const;

 private:
  using Key = std::pair<std::string, std::string>;  // id and path: copies of a file have one id
  static Key key_of(const RunRecord& run);

  std::string environment_;
  std::set<Key> wanted_, told_;
  std::map<Key, RunRecord> done_;
};

}  // namespace lufact
