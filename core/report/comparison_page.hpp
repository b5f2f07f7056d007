// SPDX-License-Identifier: BSD-3-Clause
// The comparison of two result files, for people.
#pragma once
#include <string>

#include "core/report/file_comparison.hpp"

namespace lufact {

// Where a file comes from.
struct ComparedFile {
  std::string path, device, host, commit, started_at;
};
// Of a result file that is valid.
ComparedFile compared_file(const std::string& path, const nlohmann::ordered_json& file);

struct ComparisonPage {
  ComparedFile a, b;
  ComparisonOptions options;
  FileComparison comparison;
};

// A table for each matrix, geometric means over the matrices, then the notes. Ends with a newline.
std::string comparison_text(const ComparisonPage& page);

// For a pull request: what it comes to in a line, a table of what became slower or faster, and all
// other rows folded; then the same as above. GitHub's Markdown.
std::string comparison_markdown(const ComparisonPage& page);

}  // namespace lufact
