// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lufact {

// The last lines of a stream that say anything: rules of dashes and empty lines are left out.
class LastLines {
 public:
  void add(std::string_view bytes);
  // At most `most` of them.
  std::vector<std::string> take_last(std::size_t most) const;
  bool contain(std::string_view text) const;

 private:
  void keep(std::string line);

  std::deque<std::string> lines_;
  std::string begun_;
};

}  // namespace lufact
