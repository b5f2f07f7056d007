// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string_view>

namespace lufact {

// How the devices of a host share what all of them read: in GSoFa the fill and counts in which
// supernodes across devices are found (sections 5 and 6).
enum class TeamSharing {
  bits,         // not at all: a word and a bit for each row of its chunk go to the first device
  um,           // in one array of managed memory
  um_advise,    // the same, each device's part preferred there and mapped by the others
  um_separate,  // an array for each device, preferred there and mapped by the others: the paper's
};
std::string_view to_string(TeamSharing sharing) noexcept;

}  // namespace lufact
