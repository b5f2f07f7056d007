// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <set>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

// Says on standard error what is wrong with a run, as soon as the run ends, one line each:
// "lufact: INPUT VARIANT: OUTCOME in PHASE: MESSAGE" and "lufact: INPUT VARIANT: warning CODE:
// MESSAGE". What several variants have to say of an input in the same words, such as that its file
// cannot be read, is said once.
class RunMessages {
 public:
  explicit RunMessages(bool warnings) : warnings_(warnings) {}
  void tell(const RunRecord& run);

 private:
  bool is_new(const std::string& message);

  bool warnings_;  // told, too
  std::string input_;
  std::set<std::string> told_;     // of this input
  std::set<std::string> advised_;  // codes of warnings that were told in full, of any input
};

// After an interrupt, on standard error: how what `output` holds is gone on with.
void tell_how_to_go_on(const std::string& output);

}  // namespace lufact
