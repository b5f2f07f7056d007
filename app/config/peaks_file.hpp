// SPDX-License-Identifier: BSD-3-Clause
// Peaks of machines as a JSON file, which `doctor --measure` writes and every run reads.
#pragma once
#include <filesystem>
#include <optional>

#include "core/base/machine.hpp"
#include "core/rates/peaks.hpp"

namespace lufact {

// LUFACT_PEAKS, else lufact/peaks.json in $XDG_CACHE_HOME, by default ~/.cache; empty without a
// home. One file holds what several machines that share a home can do.
std::optional<std::filesystem::path> peaks_file();

// What the file says of this host, by model and number of threads, and of its device, by UUID;
// nothing where there is no file. Throws UsageError where the file is none of peaks, or where
// LUFACT_PEAKS names one that is not there.
MachinePeaks load_peaks(const Machine& machine);

// Puts them in place of what the file says of this machine, making file and folder. Throws Error
// and UsageError.
void store_peaks(const Machine& machine, const MachinePeaks& peaks);

}  // namespace lufact
