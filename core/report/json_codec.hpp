// SPDX-License-Identifier: BSD-3-Clause
// Structs to JSON and back from one list of fields each, so that writing and reading cannot drift
// apart. A struct takes part by a function visit_fields(visitor, object) that names its members in
// the order in which they are written.
#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace lufact {

// `T` is `U` or `const U`: lets one field list serve reading and writing.
template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// Marks a field that files of an earlier minor version lack: field(key, member, added_later).
struct AddedLater {};
inline constexpr AddedLater added_later;

namespace codec {

using Json = nlohmann::ordered_json;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

// An empty optional and a number that is not finite become null.
template <class T>
Json encode(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return Json(value);
  } else if constexpr (is_optional<T>) {
    return value.has_value() ? encode(*value) : Json(nullptr);
  } else if constexpr (is_vector<T>) {
    Json array = Json::array();
    for (const auto& element : value) array.push_back(encode(element));
    return array;
  } else if constexpr (is_map<T>) {
    Json object = Json::object();
    for (const auto& [key, member] : value) object[key] = encode(member);
    return object;
  } else {
    Json object = Json::object();
    visit_fields(
        [&](const char* key, const auto& member, auto...) { object[key] = encode(member); }, value);
    return object;
  }
}

// The inverse: null is an empty optional, an empty vector, a NaN where a number is not optional.
// Throws nlohmann::json::exception for a wrong type, or a missing key that was not added later.
template <class T>
void decode(const Json& json, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    value = json.get<T>();
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (!json.is_null()) decode(json, value.emplace());
  } else if constexpr (is_vector<T>) {
    value.clear();
    if (json.is_null()) return;
    for (const Json& element : json.get_ref<const Json::array_t&>()) {
      decode(element, value.emplace_back());
    }
  } else if constexpr (is_map<T>) {
    value.clear();
    if (json.is_null()) return;
    for (const auto& [key, member] : json.items()) decode(member, value[key]);
  } else {
    visit_fields(
        [&](const char* key, auto& member, auto... later) {
          if (sizeof...(later) == 0 || json.contains(key)) decode(json.at(key), member);
        },
        value);
  }
}

}  // namespace codec
}  // namespace lufact
