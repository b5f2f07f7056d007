// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/result_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/report/run_header.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using JsonPointer = json::json_pointer;

rapidjson::SchemaDocument compiled(const json& schema) {
  rapidjson::Document document;
  document.Parse(schema.dump().c_str());
  return rapidjson::SchemaDocument(document);
}

rapidjson::SizeType size_of(std::size_t size) {
  return static_cast<rapidjson::SizeType>(size);
}

// runs[0].factors; the schema has no names with dots or brackets in them.
struct Place {
  std::vector<std::string> steps;  // from the innermost out: "factors", "[0]", "runs"

  std::string text() const {
    std::string path;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      path += (path.empty() || step->front() == '[' ? "" : ".") + *step;
    }
    return path.empty() ? "the whole file" : path;
  }
};

using Values = std::unordered_set<const json*>;

// Shows a value to RapidJSON's validator, which ends at the first violation, without the members
// and elements that are `done`. Objects and arrays that fit become done.
class Walk {
 public:
  Walk(const rapidjson::SchemaDocument& schema, Values& done) : validator_(schema), done_(done) {}

  // False where a violation was found.
  bool show(const json& value) {
    const bool fits = show_any(value);
    if (fits && value.is_structured()) done_.insert(&value);
    return fits;
  }

  const json& culprit() const { return *culprit_; }
  const Place& place() const { return place_; }
  std::string keyword() const { return validator_.GetInvalidSchemaKeyword(); }
  // Of the schema that the culprit breaks.
  JsonPointer schema_pointer() const {
    rapidjson::StringBuffer text;
    validator_.GetInvalidSchemaPointer().Stringify(text);
    return JsonPointer(text.GetString());
  }

 private:
  bool show_any(const json& value) {
    if (value.is_object()) return show_object(value);
    if (value.is_array()) return show_array(value);
    return show_scalar(value) || stop_at(value);
  }

  bool show_object(const json& object) {
    if (!validator_.StartObject()) return stop_at(object);
    for (const auto& [name, member] : object.items()) {
      if (done_.contains(&member)) continue;
      const bool allowed = validator_.Key(name.data(), size_of(name.size()), true);
      if (!(allowed ? show(member) : stop_at(member))) return leave(name);
    }
    return validator_.EndObject(size_of(object.size())) || stop_at(object);
  }

  bool show_array(const json& array) {
    if (!validator_.StartArray()) return stop_at(array);
    for (std::size_t k = 0; k < array.size(); ++k) {
      if (done_.contains(&array[k])) continue;
      if (!show(array[k])) return leave(fmt::format("[{}]", k));
    }
    return validator_.EndArray(size_of(array.size())) || stop_at(array);
  }

  bool show_scalar(const json& value) {
    switch (value.type()) {
      case json::value_t::boolean:
        return validator_.Bool(value.get<bool>());
      case json::value_t::number_integer:
        return validator_.Int64(value.get<std::int64_t>());
      case json::value_t::number_unsigned:
        return validator_.Uint64(value.get<std::uint64_t>());
      case json::value_t::number_float:
        return validator_.Double(value.get<double>());
      case json::value_t::string: {
        const auto& text = value.get_ref<const std::string&>();
        return validator_.String(text.data(), size_of(text.size()), true);
      }
      default:
        return validator_.Null();
    }
  }

  bool stop_at(const json& value) {
    culprit_ = &value;
    return false;
  }

  bool leave(std::string step) {
    place_.steps.push_back(std::move(step));
    return false;
  }

  rapidjson::SchemaValidator validator_;
  Values& done_;
  const json* culprit_ = nullptr;
  Place place_;
};

std::string shown(const json& value) {
  if (value.is_structured()) return value.is_object() ? "an object" : "an array";
  constexpr std::size_t longest = 60;
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

// The keys of `names` that `object` lacks, each in quotes.
std::vector<std::string> missing(const json& names, const json& object) {
  std::vector<std::string> lacking;
  for (const auto& name : names) {
    if (!object.contains(name)) lacking.push_back(name.dump());
  }
  return lacking;
}

// Empty where all that is missing are members that were left out of the walk.
std::string violation(const json& schema, const Walk& walk) {
  const std::string keyword = walk.keyword(), place = walk.place().text();
  const json& limit = schema.at(walk.schema_pointer()).at(keyword);
  if (keyword != "required") {
    return fmt::format("{}: {} breaks \"{}\": {}", place, shown(walk.culprit()), keyword,
                       limit.dump());
  }
  const std::vector<std::string> lacking = missing(limit, walk.culprit());
  if (lacking.empty()) return "";
  return fmt::format("{}: lacks {}", place, fmt::join(lacking, ", "));
}

bool is_of_first_version(const json& file) {
  const json::json_pointer at("/schema/version");
  return file.contains(at) && file.at(at).is_string() &&
         file.at(at).get<std::string>().starts_with("1.");
}

// A record of schema 1.x is one of 2.0 but for the header that workloads share.
json schema_of(bool first_version) {
  json schema = json::parse(result_schema());
  if (!first_version) return schema;
  schema["properties"]["schema"]["properties"]["version"]["pattern"] = "^1\\.[0-9]+\\.[0-9]+$";
  json& required = schema["definitions"]["run"]["required"];
  for (const char* later : {"workload", "variant", "input", "host_state"}) {
    required.erase(std::find(required.begin(), required.end(), later));
  }
  return schema;
}

}  // namespace

// One walk finds one violation. What it found wrong and all that it found right is left out of the
// next one, so that every value is looked at about once; a walk then ends at objects that seem to
// lack a member, which is no violation.
std::vector<std::string> violations(const json& schema, const json& value) {
  const rapidjson::SchemaDocument rules = compiled(schema);
  std::vector<std::string> lines;
  Values done;
  while (!done.contains(&value) && lines.size() < most_violations) {
    Walk walk(rules, done);
    if (walk.show(value)) break;
    done.insert(&walk.culprit());
    std::string line = violation(schema, walk);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> schema_violations(const json& file) {
  return violations(schema_of(is_of_first_version(file)), file);
}

std::vector<std::string> run_schema_violations(const json& run) {
  const json schema = schema_of(run.is_object() && is_of_first_schema(run));
  return violations({{"$schema", schema.at("$schema")},
                     {"definitions", schema.at("definitions")},
                     {"properties", {{"run", {{"$ref", "#/definitions/run"}}}}}},
                    {{"run", run}});
}

}  // namespace lufact
