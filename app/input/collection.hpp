// SPDX-License-Identifier: BSD-3-Clause
// Matrices of the SuiteSparse Matrix Collection by their names, kept in a folder of the user's.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace lufact {

// lufact/matrices below $XDG_CACHE_HOME, or below ~/.cache. Throws UsageError where there is
// neither.
std::filesystem::path matrix_cache();

// Whether `text` may be Group/Name of the collection: two names with a slash between them, no
// ending of a matrix file.
bool is_collection_name(const std::string& text);

// The path of a matrix: `text` itself, or where Group/Name lies once it has been fetched, which
// happens here where it is not in the cache. A file of that name goes before the collection. Throws
// Error{bad_matrix} where it cannot be had.
std::string path_of_matrix(const std::string& text);

// Runs the script that fetches matrices, with these arguments and our standard streams; it is
// looked for in LUFACT_SCRIPTS, where it is installed, and in the folders above the program.
// Returns its exit status. Throws Error where it is not there or cannot be started.
int run_fetch_script(const std::vector<std::string>& arguments);

}  // namespace lufact
