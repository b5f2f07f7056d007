// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "core/distribution/rank_group.hpp"

namespace lufact {

// A report as text, and back. Of the notes those that rank_group.hpp names travel.
std::string text_of_report(const RankReport& report);
RankReport report_of_text(const std::string& text);

}  // namespace lufact
