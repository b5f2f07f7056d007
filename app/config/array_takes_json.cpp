// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/array_takes_json.hpp"

#include "app/config/array_choices.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <class T>
ordered_json spelled(const std::vector<T>& values) {
  auto names = ordered_json::array();
  for (const T value : values) names.push_back(to_string(value));
  return names;
}

template <class T>
void read(const json& names, std::vector<T>& values) {
  values.clear();
  for (const json& name : names) {
    values.push_back(parse_choice<T>(name.get<std::string>()).value());
  }
}

}  // namespace

ordered_json array_takes_to_json(const ArrayStageFacts& facts) {
  return {{"operations", spelled(facts.operations)},
          {"layouts", spelled(facts.layouts)},
          {"precisions", spelled(facts.precisions)},
          {"pivoting", spelled(facts.pivoting)},
          {"least_order", facts.least_order},
          {"largest_order", facts.largest_order},
          {"built_orders", facts.built_orders},
          {"arithmetics", spelled(facts.arithmetics)},
          {"workload", facts.workload}};
}

void array_takes_from_json(const json& from, ArrayStageFacts& facts) {
  read(from.at("operations"), facts.operations);
  read(from.at("layouts"), facts.layouts);
  read(from.at("precisions"), facts.precisions);
  read(from.at("pivoting"), facts.pivoting);
  from.at("least_order").get_to(facts.least_order);
  from.at("largest_order").get_to(facts.largest_order);
  from.at("built_orders").get_to(facts.built_orders);
  read(from.at("arithmetics"), facts.arithmetics);
  from.at("workload").get_to(facts.workload);
}

}  // namespace lufact
