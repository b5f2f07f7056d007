// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

// Says on standard error why a run is not ok, as soon as the run ends, one line a run:
// "lufact: INPUT VARIANT: OUTCOME in PHASE: MESSAGE". Several variants that fail on an input for
// the same reason, such as a file that cannot be read, get one line together.
class RunErrors {
 public:
  // Prints nothing for a run that is ok.
  void tell(const RunRecord& run);

 private:
  std::string last_input_, last_message_;
  std::optional<std::string> last_path_;
};

}  // namespace lufact
