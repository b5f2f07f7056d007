// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// Every stage, transfer, handler and mode of this program: the one explicit list.
Catalogue make_catalogue();

}  // namespace lufact
