// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/last_lines.hpp"

#include <algorithm>

namespace lufact {
namespace {

constexpr std::size_t most_lines = 60;
constexpr std::size_t most_characters = 300;  // of a line

}  // namespace

void LastLines::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') {
      keep(std::move(begun_));
      begun_.clear();
    } else if (begun_.size() < most_characters) {
      begun_ += c;
    }
  }
}

void LastLines::keep(std::string line) {
  if (line.find_first_not_of(" \t\r-") == std::string::npos) return;
  lines_.push_back(std::move(line));
  if (lines_.size() > most_lines) lines_.pop_front();
}

std::vector<std::string> LastLines::take_last(std::size_t most) const {
  std::vector<std::string> all(lines_.begin(), lines_.end());
  if (begun_.find_first_not_of(" \t\r-") != std::string::npos) all.push_back(begun_);
  const std::size_t surplus = all.size() - std::min(most, all.size());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(surplus));
  return all;
}

bool LastLines::contain(std::string_view text) const {
  return std::ranges::any_of(
      lines_, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace lufact
