// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "core/pipeline/catalogue.hpp"

namespace lufact {

// Every stage, transfer, handler and mode of this program: the one explicit list.
Catalogue make_catalogue();

// The ordering on the host that gives the same order as `ordering`, which may be of the device: for
// forecasts and for programs that are handed a permuted matrix.
std::string ordering_on_host(const std::string& ordering);

}  // namespace lufact
