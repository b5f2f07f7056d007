// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>

namespace lufact {

// What --ranks needs of this machine: lufact-rank, and the launcher that it takes unless told
// otherwise.
struct MpiFinding {
  std::optional<std::string> rank_program, launcher, version;
  std::optional<std::string> reason;  // why ranks cannot be started; empty: they can
};

// Asks the launcher for its version.
MpiFinding find_mpi();

}  // namespace lufact
