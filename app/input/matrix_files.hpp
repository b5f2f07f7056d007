// SPDX-License-Identifier: BSD-3-Clause
// How files of matrices are named and found.
#pragma once
#include <string>
#include <vector>

namespace lufact {

// "group/name.mtx.gz" is called "name".
std::string file_stem(const std::string& path);

// Below one of `folders`: the file as it is, with the ending of a matrix file, without its group,
// or in a folder of its own name. Empty where there is none.
std::string find_matrix_file(const std::string& file, const std::vector<std::string>& folders);

// What find_matrix_file() has looked for, in words.
std::string missing_matrix_file(const std::string& file, const std::vector<std::string>& folders);

}  // namespace lufact
