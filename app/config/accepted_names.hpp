// SPDX-License-Identifier: BSD-3-Clause
// The names that options accept and that stand in no code of the options: those of modes, stages
// and peers.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/pipeline/catalogue.hpp"

namespace lufact {

using AcceptedNames = std::map<std::string, std::vector<std::string>>;  // by option, "--ordering"

// A peer is named without its variants, which only its plug-in knows.
AcceptedNames accepted_names(const Catalogue& catalogue);

}  // namespace lufact
