// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a batch that follow from others: work, bytes and rates.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/pipeline/record.hpp"

namespace lufact {

// The variant that moves the bytes of a batch and computes nothing.
inline constexpr std::string_view yardstick_variant = "copy";

// Of one matrix of order n: LU 2n^3/3 - n^2/2 + 5n/6, LU and inverse 2n^3 - 3n^2/2 + 5n/2 (BATCH,
// section 6); LU and solve: LU and 2n^2 - n for each right-hand side.
double batch_flops(const std::string& operation, Index n, Index rhs);

// Of one matrix, what has to travel at least: lu reads and writes every entry and writes the pivots
// and info; inverse reads the matrix and writes the inverse and info; solve reads the matrix, reads
// and writes the right-hand sides and writes info.
double batch_useful_bytes(const std::string& operation, Index n, Index rhs, Index entry_bytes);

// Sets flops and useful_bytes of the section `batch` by its sizes, and the rates by the median time
// of the samples in the phases `numeric` and `solve`: that of the device where every sample has
// one, since waiting for a device takes as long as a small batch. No rates without samples.
void set_batch_figures(RunRecord& run);

// Sets copy_fraction of runs on a device: their bytes_per_s over those of variant `copy` where it
// took turns with them on the same matrices, in the same arrays. Null without it, and of `copy`.
void set_copy_fractions(std::span<RunRecord> runs);

}  // namespace lufact
