// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/permutation_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace lufact {
namespace {

struct Label {
  Index value;
  Offset line;  // of the file, from 1
};

[[noreturn]] void fail(const std::string& message) {
  throw Error(Outcome::error, "bad_permutation", message);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\f\v";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

Index parse_label(std::string_view text, const std::string& path, Offset line) {
  Index value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) {
    fail(fmt::format("{}:{}: '{}' is not one integer", path, line, text));
  }
  return value;
}

std::vector<Label> read_labels(const std::string& path, Index n) {
  std::ifstream file(path);
  if (!file) fail(fmt::format("{}: cannot be opened", path));
  std::vector<Label> labels;
  std::string line;
  for (Offset number = 1; std::getline(file, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '%') continue;
    if (static_cast<Index>(labels.size()) == n) {
      fail(fmt::format("{}:{}: more than the {} labels of this matrix", path, number, n));
    }
    labels.push_back({parse_label(text, path, number), number});
  }
  if (file.bad()) fail(fmt::format("{}: reading failed", path));
  if (static_cast<Index>(labels.size()) < n) {
    fail(fmt::format("{}: {} labels, but this matrix needs {}", path, labels.size(), n));
  }
  return labels;
}

// Labels of a permutation of 1..n hold n and no 0.
Index first_label(const std::vector<Label>& labels) {
  const bool has_zero = std::any_of(labels.begin(), labels.end(),
                                    [](const Label& label) { return label.value == 0; });
  return has_zero ? 0 : 1;
}

}  // namespace

Permutation read_permutation_file(const std::string& path, Index n) {
  if (path.empty()) fail("the ordering `file` needs --permutation FILE");
  const std::vector<Label> labels = read_labels(path, n);
  const Index first = first_label(labels);
  std::vector<Offset> line_of(labels.size(), 0);
  std::vector<Index> old_of_new;
  old_of_new.reserve(labels.size());
  for (const Label& label : labels) {
    if (label.value < first || label.value - first >= n) {
      fail(fmt::format("{}:{}: label {} is outside {}..{}", path, label.line, label.value, first,
                       n - 1 + first));
    }
    const Index k = label.value - first;
    if (line_of[k] != 0) {
      fail(fmt::format("{}:{}: label {} appears already in line {}", path, label.line, label.value,
                       line_of[k]));
    }
    line_of[k] = label.line;
    old_of_new.push_back(k);
  }
  return Permutation::from_old_of_new(std::move(old_of_new));
}

}  // namespace lufact
