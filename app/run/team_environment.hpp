// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

namespace lufact {

// What a worker's OpenMP must be told before it starts: how long a thread that waits for its team
// looks for work before it sleeps. "NAME=VALUE"; empty where the user has said how threads wait.
//
// A thread that looks keeps its processor. Where another process has the processor of one thread of
// the team, that one cannot go to those of the threads that wait for it: regions of microseconds
// then take time slices of milliseconds. libgomp looks 300,000 times (some 15 ms) unless told
// otherwise. Here it looks for about as long as it takes to wake a thread, which costs at most
// twice the better of looking and sleeping (Karlin, Li, Manasse and Owicki 1991, "Empirical studies
// of competitive spinning for a shared-memory multiprocessor").
std::vector<std::string> team_environment();

}  // namespace lufact
