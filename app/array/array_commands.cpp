// SPDX-License-Identifier: BSD-3-Clause
#include "app/array/array_commands.hpp"

#include "app/input/matrix_files.hpp"
#include "core/base/error.hpp"

namespace lufact {

FoundInput find_array_file(const std::string& name, const std::string& file,
                           const std::string& path, const std::string& accepted,
                           const std::vector<std::string>& folders,
                           Input (*open)(const std::string& name, const std::string& text)) {
  if (path.empty()) {
    throw UsageError("file '" + file +
                     "': give what is generated as 'generate'; accepted here: " + accepted);
  }
  const std::string head = file.substr(0, file.size() - path.size());
  const std::string found = find_matrix_file(path, folders);
  if (found.empty()) return {open(name, file), missing_matrix_file(path, folders)};
  return {open(name, head + found), ""};
}

InputHash hash_of_array_input(const Input& input) {
  return input.path.empty() ? hash_of_generator(input.generator.value()) : hash_of_file(input.path);
}

}  // namespace lufact
