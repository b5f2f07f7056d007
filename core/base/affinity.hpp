// SPDX-License-Identifier: BSD-3-Clause
// The processors that this process was given. Where OMP_PROC_BIND says so, OpenMP binds the first
// thread of a program to one place before main() begins. Processes and threads that this thread
// starts inherit its binding: a process would put all threads of its own OpenMP there.
#pragma once
#include <sched.h>

#include <optional>

namespace lufact {

// Every processor of OpenMP's places. Empty where OpenMP binds no thread: what is inherited is then
// what was given.
std::optional<cpu_set_t> given_processors();

// Lets this thread run on those again. Safe between fork and exec.
void run_on(const std::optional<cpu_set_t>& processors) noexcept;

}  // namespace lufact
