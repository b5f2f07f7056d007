// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/run_errors.hpp"

#include <fmt/format.h>

#include "core/report/table.hpp"

namespace lufact {

void RunErrors::tell(const RunRecord& run) {
  if (run.outcome == Outcome::ok || !run.error) return;
  const std::string& message = run.error->message;
  if (run.input.name == last_input_ && run.input.path == last_path_ && message == last_message_)
    return;
  const std::string phase = run.error->phase ? fmt::format(" in {}", *run.error->phase) : "";
  fmt::print(stderr, "lufact: {} {}: {}{}: {}\n", run.input.name, run_label(run),
             to_string(run.outcome), phase, message);
  last_input_ = run.input.name;
  last_path_ = run.input.path;
  last_message_ = message;
}

}  // namespace lufact
