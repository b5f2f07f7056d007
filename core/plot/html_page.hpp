// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/plot/figure.hpp"

namespace lufact::plot {

struct Page {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // name and value
  std::vector<Figure> figures;
  std::string made_by;  // last line
};

// One file that needs no other: figures, their descriptions and their numbers, in one column on a
// phone and in several on a wide screen, dark where the reader prefers that.
std::string html_page(const Page& page);

}  // namespace lufact::plot
