// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/batch_input/sparse_blocks.hpp"
#include "app/input/matrix_files.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

// 0 where the facts leave it open.
Index size_of(const GeneratorFacts& facts, std::string_view name) {
  const auto size = std::ranges::find(facts.sizes, name, &std::pair<std::string, Offset>::first);
  return size == facts.sizes.end() ? 0 : checked_index(size->second, "a size");
}

// "random 1000", "random 1000x16", "front:bayer10".
std::string label_of(const std::string& text, const std::string& path, Index m, Index n) {
  if (!path.empty()) return text.substr(0, text.size() - path.size()) + file_stem(path);
  return m == n ? fmt::format("{} {}", text, n) : fmt::format("{} {}x{}", text, m, n);
}

GivenDense front_of(const DenseInputRequest& request, const std::string& path) {
  GivenMatrices front = largest_front_of_file(path, request.seed, request.threads);
  return {.m = front.n, .n = front.n, .values = {front.values.begin(), front.values.end()}};
}

}  // namespace

Input dense_input(const std::string& text, Index m, Index n, std::uint64_t seed) {
  const DenseInputRequest request{.input = text, .m = m, .n = n, .seed = seed};
  check_dense_request(request);
  const std::string path = parse_dense_input(text).path;
  return {label_of(text, path, m, n), path, dense_generator_facts(request)};
}

DenseInputRequest dense_request(const DenseConfig& config, const Input& input) {
  const GeneratorFacts& facts = input.generator.value();
  return {.input = facts.kind,
          .m = size_of(facts, "m"),
          .n = size_of(facts, "n"),
          .seed = facts.seed > 0 ? facts.seed : config.seed,
          .threads = config.threads};
}

Input open_dense_input(const std::string& name, const std::string& text) {
  return {name, parse_dense_input(text).path, GeneratorFacts{text, {}, 0}};
}

std::string dense_reading(const DenseConfig& config, Index m, Index n) {
  std::string text = config.operation;
  if (n > 0) text += fmt::format(" of a matrix of {} x {}", m, n);
  if (config.solves()) text += fmt::format(", {} right-hand sides", config.rhs);
  return text;
}

DenseMatrixSource make_dense_source(const DenseInputRequest& request) {
  const DenseInputName name = parse_dense_input(request.input);
  switch (name.source) {
    case DenseSource::kind:
      return DenseMatrixSource(request);
    case DenseSource::front:
      return {front_of(request, name.path), request.seed};
    default:
      return {read_dense_file(name, request.threads), request.seed};
  }
}

}  // namespace lufact
