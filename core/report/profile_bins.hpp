// SPDX-License-Identifier: BSD-3-Clause
// Profiles have one entry per level or per row, too many for a result file.
#pragma once
#include <cstddef>

#include "core/pipeline/record.hpp"

namespace lufact {

inline constexpr std::size_t max_profile_entries = 4096;

// The profile with at most max_profile_entries entries per list: of m entries, bin k joins the
// w = ceil(m / max_profile_entries) entries from k w on. Columns and rows are added, first row
// and part are those of the first entry, subcolumns and frontiers are the largest, bytes per row
// the mean over rows, and a kernel mode is "mixed" where the entries differ. Shorter lists stay as
// they are. A list shorter than its companions (not filled) is binned by itself.
ProfileRecord bin_profile(const ProfileRecord& profile);

}  // namespace lufact
