// SPDX-License-Identifier: BSD-3-Clause
// The settings of cuDSS that have names: peers cudss-NAME.
#pragma once
#include "baselines/peers/include/lufact_peer.h"

namespace lufact::peers {

inline constexpr lufact_peer_text cudss_variants[] = {
    {"amd", "AMD instead of nested dissection"},
    {"amd-matching", "AMD, and maximum product matching with scaling"},
    {"btf-colamd", "block triangular form and COLAMD"},
    {"hybrid-execute", "hybrid execution: small parts of the work stay on the host"},
    {"hybrid-memory",
     "hybrid memory mode: factors on the host, in as much device memory as it takes"},
    {"hybrid-memory-min", "hybrid memory mode in the least device memory that it says it needs"},
    {"ir", "2 refinement steps of its own; the default takes none"},
    {"matching", "maximum product matching with scaling, not the library's choice"},
    {"nomatching", "no matching"},
    {"seq", "without the threading layer: the analysis on one host thread"}};

}  // namespace lufact::peers
