// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>

namespace lufact::gpu {

// NCCL as a rank would load it here.
struct NcclFinding {
  std::optional<std::string> library, version;
  std::optional<std::string> reason;  // why it cannot be used; empty: it can
};

}  // namespace lufact::gpu
