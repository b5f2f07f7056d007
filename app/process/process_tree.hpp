// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <sys/types.h>

#include <vector>

namespace lufact {

// `root` and all processes of this host that it has started, directly or through others.
std::vector<pid_t> process_tree(pid_t root);

// Whether one of the process's threads runs, by the state of each.
bool has_running_thread(pid_t process);

}  // namespace lufact
