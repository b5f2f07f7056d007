// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lufact {

// Memory that is freed stays with this process, to be allocated again, but for single arrays of
// 32 MiB and more. By default what a repetition frees goes back to the system, and the next one has
// its pages mapped and cleared again, in the kernel, where threads wait for each other. Has an
// effect with glibc alone.
void keep_freed_memory() noexcept;

}  // namespace lufact
