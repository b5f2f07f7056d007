// SPDX-License-Identifier: BSD-3-Clause
// Optional values as JSON: null stands for an empty one.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>

namespace lufact {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

template <class T>
void read_optional(const nlohmann::json& from, const char* key, std::optional<T>& to) {
  to.reset();
  if (!from.at(key).is_null()) to = from.at(key).get<T>();
}

}  // namespace lufact
