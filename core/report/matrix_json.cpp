// SPDX-License-Identifier: BSD-3-Clause
// The `matrix` section, written by hand: what is not known of a file that could not be read is null
// although the struct holds plain numbers, and the sizes of a generator are an object.
#include <stdexcept>

#include "core/report/json_codec.hpp"
#include "core/report/matrix_of_arrays.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using codec::decode;
using codec::encode;
using codec::Json;

Json generator_json(const std::optional<GeneratorFacts>& generator) {
  if (!generator.has_value()) return nullptr;
  Json json = Json::object();
  json["kind"] = generator->kind;
  json["sizes"] = Json::object();
  for (const auto& [name, size] : generator->sizes) json["sizes"][name] = size;
  json["seed"] = generator->seed;
  return json;
}

std::optional<GeneratorFacts> generator_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  GeneratorFacts generator;
  decode(json.at("kind"), generator.kind);
  for (const auto& [name, size] : json.at("sizes").items()) {
    generator.sizes.emplace_back(name, size.get<Offset>());
  }
  decode(json.at("seed"), generator.seed);
  return generator;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string text_from(const Json& json) {
  return json.is_null() ? std::string() : json.get<std::string>();
}

// The number, or what the struct starts with where it is null.
template <class T>
void number_from(const Json& json, T& value) {
  if (!json.is_null()) decode(json, value);
}

SymmetryMode symmetry_from(const std::string& text) {
  if (text == "expand") return SymmetryMode::expand;
  if (text == "stored") return SymmetryMode::stored;
  throw std::invalid_argument("unknown symmetry \"" + text + "\"");
}

ExplicitZeros explicit_zeros_from(const std::string& text) {
  if (text == "drop") return ExplicitZeros::drop;
  if (text == "keep") return ExplicitZeros::keep;
  throw std::invalid_argument("unknown explicit_zeros \"" + text + "\"");
}

}  // namespace

Json to_json(const MatrixFacts& facts) {
  const bool was_read = !facts.field.empty() || facts.n > 0;
  const auto if_read = [&](const auto& value) { return was_read ? encode(value) : Json(nullptr); };
  Json json = Json::object();
  json["name"] = facts.name;
  json["path"] = facts.path;
  json["sha256"] = text_or_null(facts.sha256);
  json["generator"] = generator_json(facts.generator);
  json["n"] = if_read(facts.n);
  json["nnz"] = if_read(facts.nnz);
  json["nnz_stored"] = if_read(facts.nnz_stored);
  json["symmetry"] = to_string(facts.symmetry);
  json["explicit_zeros"] = to_string(facts.explicit_zeros);
  json["missing_diagonals_added"] = nullptr;
  json["structural_symmetry"] = if_read(facts.structural_symmetry);
  json["file_bytes"] = if_read(facts.file_bytes);
  json["field"] = text_or_null(facts.field);
  json["file_symmetry"] = text_or_null(facts.file_symmetry);
  json["duplicates_summed"] = if_read(facts.duplicates_summed);
  json["explicit_zeros_dropped"] = if_read(facts.explicit_zeros_dropped);
  json["zero_diagonals_replaced"] = if_read(facts.zero_diagonals_replaced);
  json["missing_diagonals"] = if_read(facts.missing_diagonals);
  return json;
}

MatrixFacts matrix_from_json(const Json& json) {
  MatrixFacts facts;
  decode(json.at("name"), facts.name);
  decode(json.at("path"), facts.path);
  facts.sha256 = text_from(json.at("sha256"));
  facts.generator = generator_from(json.at("generator"));
  number_from(json.at("n"), facts.n);
  number_from(json.at("nnz"), facts.nnz);
  number_from(json.at("nnz_stored"), facts.nnz_stored);
  facts.symmetry = symmetry_from(json.at("symmetry").get<std::string>());
  facts.explicit_zeros = explicit_zeros_from(json.at("explicit_zeros").get<std::string>());
  number_from(json.at("structural_symmetry"), facts.structural_symmetry);
  number_from(json.at("file_bytes"), facts.file_bytes);
  facts.field = text_from(json.at("field"));
  facts.file_symmetry = text_from(json.at("file_symmetry"));
  number_from(json.at("duplicates_summed"), facts.duplicates_summed);
  number_from(json.at("explicit_zeros_dropped"), facts.explicit_zeros_dropped);
  number_from(json.at("zero_diagonals_replaced"), facts.zero_diagonals_replaced);
  number_from(json.at("missing_diagonals"), facts.missing_diagonals);
  return facts;
}

// There is no file that was read as the sparse ones are. A batch has matrices of one order or of
// several.
Json matrix_of_arrays(const RunRecord& run) {
  Json json = to_json(MatrixFacts{});
  json["name"] = run.input.name;
  json["path"] = encode(run.input.path);
  json["sha256"] = encode(run.input.sha256);
  json["n"] = nullptr;
  if (run.dense) {
    json["generator"] = generator_json(run.dense->generator);
    if (run.dense->n > 0) json["n"] = run.dense->n;
  } else {
    const auto& sizes = run.batch->sizes;
    json["generator"] = generator_json(run.batch->generator);
    if (sizes.size() == 1) json["n"] = sizes.front().n;
  }
  json["symmetry"] = nullptr;
  json["explicit_zeros"] = nullptr;
  return json;
}

std::optional<GeneratorFacts> generator_of_arrays(const Json& matrix) {
  return generator_from(matrix.at("generator"));
}

}  // namespace lufact
