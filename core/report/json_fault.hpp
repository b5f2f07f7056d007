// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace lufact {

// "line 2, column 1: ...": what the parser says of a text that is no JSON, without the names of its
// own that stand before it.
inline std::string json_fault(const nlohmann::json::parse_error& error) {
  const std::string text = error.what();
  const std::size_t place = text.find("line ");
  return place == std::string::npos ? text : text.substr(place);
}

}  // namespace lufact
