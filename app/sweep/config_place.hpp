// SPDX-License-Identifier: BSD-3-Clause
// Members of the configuration of a sweep, which know where they stand in it. What they throw is a
// UsageError with that place.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/suggestion.hpp"

namespace lufact {

// `where` is empty for the configuration as a whole.
[[noreturn]] inline void refuse(const std::string& where, const std::string& why) {
  throw UsageError(where.empty() ? why : fmt::format("{}: {}", where, why));
}

// A member of the configuration and its place in it, for messages.
class Place {
 public:
  Place(const nlohmann::ordered_json& json, std::string where)
      : json_(json), where_(std::move(where)) {}

  const nlohmann::ordered_json& json() const noexcept { return json_; }
  const std::string& where() const noexcept { return where_; }
  bool has(const char* key) const { return json_.contains(key); }

  Place operator[](const char* key) const {
    if (!has(key)) refuse(where_, fmt::format("'{}' is missing", key));
    return {json_.at(key), where_.empty() ? key : fmt::format("{}.{}", where_, key)};
  }

  std::vector<Place> items() const {
    if (!json_.is_array()) refuse(where_, "must be a list");
    std::vector<Place> places;
    for (std::size_t k = 0; k < json_.size(); ++k) {
      places.emplace_back(json_[k], fmt::format("{}[{}]", where_, k));
    }
    return places;
  }

  std::string text() const {
    if (!json_.is_string() || json_.get<std::string>().empty()) refuse(where_, "must be a text");
    return json_.get<std::string>();
  }

  // A text, or a list of them.
  std::vector<std::string> texts() const {
    if (!json_.is_array()) return {text()};
    std::vector<std::string> texts;
    for (const Place& item : items()) texts.push_back(item.text());
    return texts;
  }

  void accept_only(const std::vector<std::string_view>& keys) const {
    if (!json_.is_object()) refuse(where_, "must be an object");
    for (const auto& item : json_.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
        refuse(where_.empty() ? "the configuration" : where_,
               fmt::format("unknown key '{}'{}; accepted: {}", item.key(),
                           did_you_mean(item.key(), {keys.begin(), keys.end()}),
                           fmt::join(keys, ", ")));
      }
    }
  }

 private:
  const nlohmann::ordered_json& json_;
  std::string where_;
};

}  // namespace lufact
