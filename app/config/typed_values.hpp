// SPDX-License-Identifier: BSD-3-Clause
// Checks of values that are read already, for every command. They throw UsageError.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace lufact {

// Refuses a name that occurs twice: its runs would stand side by side under one name.
void refuse_repeated(const std::string& option, const std::vector<std::string>& names);

// Refuses a name that is none of `accepted`, and says which may have been meant.
void require_known(const std::string& option, const std::string& name,
                   const std::vector<std::string>& accepted);

// Refuses a file that could not be written, before the work whose result it is to hold.
void require_writable(const std::string& option, const std::string& path);

// A file that holds a part of a run's result.
struct WrittenFile {
  const char* option;
  const std::optional<std::string>& path;
  std::string nothing;  // why there is nothing to write; empty: there is
};

// Refuses files that could not be written, or not with this run, and one that would hold two
// things. Whether `one_run` is all that there is: one input and one variant.
void check_written_files(const std::vector<WrittenFile>& files, bool one_run);

}  // namespace lufact
