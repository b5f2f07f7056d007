// SPDX-License-Identifier: BSD-3-Clause
// What a variant runs on: a file, or what a kind, sizes and a seed say.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/matrix/facts.hpp"

namespace lufact {

struct Input {
  std::string name;  // in tables and sweeps; unique in a sweep
  std::string path;  // of the file, as typed or where it is to be made; empty: there is no file
  std::optional<GeneratorFacts> generator{};  // complete; of a file that is to be made too
};

nlohmann::ordered_json to_json(const Input& input);
Input input_from_json(const nlohmann::ordered_json& json);

// The hash of an input, or why it cannot be read.
struct InputHash {
  std::string sha256, unreadable;
};
InputHash hash_of_file(const std::string& path);
// Of kind, sizes and seed: equal for equal inputs that are never a file.
InputHash hash_of_generator(const GeneratorFacts& facts);

}  // namespace lufact
