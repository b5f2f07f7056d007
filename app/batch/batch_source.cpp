// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/input/matrix_files.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

// 0 where the facts leave it open.
Offset size_of(const GeneratorFacts& facts, std::string_view name) {
  const auto size = std::ranges::find(facts.sizes, name, &std::pair<std::string, Offset>::first);
  return size == facts.sizes.end() ? 0 : size->second;
}

// "random", "elements:hex8-heat", "blocks:bayer10".
std::string label_of(const std::string& text, const std::string& path) {
  if (path.empty()) return text;
  return text.substr(0, text.size() - path.size()) + file_stem(path);
}

std::optional<Index> only_size(const BatchConfig& config) {
  if (config.sizes.size() > 1) {
    throw UsageError("--size: one run of a sweep has one order; give each an entry of its own");
  }
  return config.sizes.empty() ? std::nullopt : std::optional(config.sizes.front());
}

}  // namespace

Input batch_input(const BatchConfig& config, std::optional<Index> size) {
  const BatchInputRequest request{.input = config.input,
                                  .size = size,
                                  .count = config.count,
                                  .seed = config.seed,
                                  .floating = config.floating};
  check_batch_request(request);
  const std::string path = parse_batch_input(config.input).path;
  std::string name = label_of(config.input, path);
  if (size) name += fmt::format(" {}", *size);
  return {name, path, batch_generator_facts(request)};
}

BatchInputRequest batch_request(const BatchConfig& config, const Input& input) {
  const GeneratorFacts& facts = input.generator.value();
  const Offset n = size_of(facts, "n"), count = size_of(facts, "count");
  return {.input = facts.kind,
          .size = n > 0 ? checked_index(n, "an order") : only_size(config),
          .count = count > 0 ? count : config.count,
          .seed = facts.seed > 0 ? facts.seed : config.seed,
          .floating = config.floating || size_of(facts, "floating") > 0,
          .scaling = config.scaling,
          .ordering = config.ordering,
          .threads = config.threads};
}

Input open_batch_input(const std::string& name, const std::string& text) {
  return {name, parse_batch_input(text).path, GeneratorFacts{text, {}, 0}};
}

std::string batch_reading(const BatchConfig& config, const BatchInputRequest& request) {
  std::string text = fmt::format("{} of {} matrices", to_string(config.operation), request.count);
  if (request.size) text += fmt::format(" of order {}", *request.size);
  if (config.operation == ArrayOperation::solve) {
    text += fmt::format(", {} right-hand sides", config.rhs);
  }
  return text;
}

}  // namespace lufact
