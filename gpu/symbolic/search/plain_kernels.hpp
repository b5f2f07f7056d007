// SPDX-License-Identifier: BSD-3-Clause
// fill2 with one thread for each source row, as GSoFa's Fig. 3(b) stands: the launches.
#pragma once
#include "gpu/symbolic/search/fill_kernels.hpp"

namespace lufact::gpu {

// As launch_count and launch_place of fill_kernels.hpp, with the same work arrays and results. A
// queue must be as long as RowPart::full_capacity() says: none can overflow.
void launch_plain_count(cudaStream_t stream, const SearchTask& task, Offset* counts);
void launch_plain_place(cudaStream_t stream, const SearchTask& task, const PatternTarget& target);

}  // namespace lufact::gpu
