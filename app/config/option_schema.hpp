// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of options as a sweep's configuration gives them: OptionSchema is the visitor
// that makes it from their declarations (option.hpp). A number or a flag may be written as a text
// too, as on the command line.
#pragma once
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "app/config/choices.hpp"
#include "app/config/option.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

class OptionSchema {
 public:
  // Adds properties to `properties`, which must outlive the visit.
  explicit OptionSchema(nlohmann::ordered_json& properties) : properties_(properties) {}

  // Those of the whole invocation stand in no configuration.
  template <class T, class Form = AnyValue>
  void operator()(const Option& option, const T& value, const Form& form = {}) {
    if (option.scope == OptionScope::invocation) return;
    nlohmann::ordered_json schema{{"description", option.help}};
    schema.update(of(value, form));
    properties_[std::string(option.name).substr(2)] = std::move(schema);
  }

 private:
  using Json = nlohmann::ordered_json;

  template <class T>
  static Json of(const T& value, AnyValue) {
    if constexpr (codec::is_optional<T>) {
      return of(typename T::value_type{}, AnyValue{});
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"enum", {true, false, "true", "false"}}};
    } else if constexpr (std::is_enum_v<T>) {
      return {{"enum", spellings<T>()}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {{"type", {"number", "string"}}};
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", {"integer", "string"}}};
    } else {
      static_cast<void>(value);
      return {{"type", "string"}};
    }
  }

  static Json of(const auto& value, const InRange& range) {
    Json schema = of(value, AnyValue{});
    schema["minimum"] = range.bound;
    if (range.open) schema["exclusiveMinimum"] = true;  // as draft 4 has it
    if (range.most < std::numeric_limits<double>::infinity()) schema["maximum"] = range.most;
    return schema;
  }

  static Json of(const auto&, const OneOf& one) { return {{"enum", one.names}}; }
  static Json of(const auto&, ExistingFile) { return {{"type", "string"}}; }
  static Json of(const auto&, FileName) { return {{"type", "string"}}; }
  static Json of(const auto&, ByteSize) { return {{"type", {"string", "integer"}}}; }
  static Json of(const auto&, LevelWidths) { return {{"type", {"string", "array"}}}; }
  static Json of(const auto&, const AutoOr& range) {
    return {{"anyOf",
             {Json{{"type", "integer"}, {"minimum", range.least}, {"maximum", range.most}},
              Json{{"type", "string"}}}}};
  }
  // Several, as a list or with commas between them.
  static Json of(const auto&, const CommaSeparated&) { return {{"type", {"string", "array"}}}; }
  static Json of(const auto&, PeerNames) { return {{"type", {"string", "array"}}}; }
  static Json of(const auto&, const Orders&) { return {{"type", {"string", "integer", "array"}}}; }

  Json& properties_;
};

// Of every option that `config` has, in the order of their declarations.
template <class Config>
nlohmann::ordered_json schema_of_options(const Config& config) {
  nlohmann::ordered_json properties = nlohmann::ordered_json::object();
  OptionSchema visitor(properties);
  visit_options(visitor, config);
  return properties;
}

}  // namespace lufact
