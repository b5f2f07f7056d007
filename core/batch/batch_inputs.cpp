// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/batch_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/batch/kinetics_matrices.hpp"
#include "core/batch/npy.hpp"

namespace lufact {
namespace {

// A network or an element is made for each of so many matrices; then they repeat.
constexpr Offset most_made = 16384;

[[noreturn]] void refuse_input(std::string_view text) {
  throw UsageError(
      fmt::format("--input {}: accepted: {}", text, fmt::join(accepted_batch_inputs(), ", ")));
}

// The part behind `head`, which must not be empty.
std::optional<std::string> behind(std::string_view text, std::string_view head) {
  if (!text.starts_with(head)) return std::nullopt;
  if (text.size() == head.size()) refuse_input(text);
  return std::string(text.substr(head.size()));
}

struct SizeRange {
  Index least = 1, largest = largest_batch_order;
};

SizeRange sizes_of(const BatchInputName& name) {
  if (name.source == BatchSource::kinetics) return {least_kinetics_order, largest_kinetics_order};
  if (name.source == BatchSource::elements) return {order_of(name.element), order_of(name.element)};
  return {};
}

bool has_own_sizes(BatchSource source) {
  return source != BatchSource::kind && source != BatchSource::kinetics;
}

BatchGroup file_group(const BatchInputRequest& request, const std::string& path) {
  GivenMatrices given = read_npy(path);
  if (request.size && *request.size != given.n) {
    throw Error(Outcome::error, "bad_matrix",
                fmt::format("{}: has matrices of order {}, not {}", path, given.n, *request.size));
  }
  return repeating(std::move(given), request.count, request.seed);
}

}  // namespace

BatchInputName parse_batch_input(std::string_view text) {
  if (const auto kind = parse_batch_kind(text)) {
    return {.source = BatchSource::kind, .kind = *kind};
  }
  if (text == "kinetics") return {.source = BatchSource::kinetics};
  if (const auto shape = behind(text, "elements:")) {
    const auto element = parse_element_shape(*shape);
    if (!element) refuse_input(text);
    return {.source = BatchSource::elements, .element = *element};
  }
  if (auto path = behind(text, "blocks:")) {
    return {.source = BatchSource::blocks, .path = *std::move(path)};
  }
  if (auto path = behind(text, "fronts:")) {
    return {.source = BatchSource::fronts, .path = *std::move(path)};
  }
  if (text.ends_with(".npy")) return {.source = BatchSource::file, .path = std::string(text)};
  refuse_input(text);
}

std::vector<std::string> accepted_batch_inputs() {
  std::vector<std::string> names;
  for (const BatchKind kind : batch_kinds()) names.emplace_back(to_string(kind));
  names.emplace_back("kinetics");
  for (const ElementShape shape : element_shapes()) {
    names.push_back(fmt::format("elements:{}", to_string(shape)));
  }
  for (const char* name : {"blocks:FILE.mtx", "fronts:FILE.mtx", "FILE.npy"}) {
    names.emplace_back(name);
  }
  return names;
}

void check_batch_request(const BatchInputRequest& request) {
  const BatchInputName name = parse_batch_input(request.input);
  const SizeRange range = sizes_of(name);
  if (request.count < 1) {
    throw UsageError(fmt::format("--count {}: accepted: 1 or more", request.count));
  }
  if (!request.size && !has_own_sizes(name.source)) {
    throw UsageError(fmt::format("--size auto: {} has no sizes of its own; accepted: {} to {}",
                                 request.input, range.least, range.largest));
  }
  if (request.size && (*request.size < range.least || *request.size > range.largest)) {
    throw UsageError(fmt::format("--size {}: {} has orders from {} to {}", *request.size,
                                 request.input, range.least, range.largest));
  }
  if (request.floating && name.source != BatchSource::elements) {
    throw UsageError(fmt::format("--floating: {} has no elements", request.input));
  }
}

GeneratorFacts batch_generator_facts(const BatchInputRequest& request) {
  const BatchInputName name = parse_batch_input(request.input);
  const Index own = name.source == BatchSource::elements ? order_of(name.element) : 0;
  GeneratorFacts facts{.kind = request.input,
                       .sizes = {{"n", request.size.value_or(own)}, {"count", request.count}},
                       .seed = request.seed};
  if (name.source == BatchSource::elements) {
    facts.sizes.emplace_back("floating", request.floating ? 1 : 0);
  }
  return facts;
}

std::vector<BatchGroup> stand_alone_groups(const BatchInputRequest& request) {
  check_batch_request(request);
  const BatchInputName name = parse_batch_input(request.input);
  const Offset made = std::min(request.count, most_made);
  switch (name.source) {
    case BatchSource::kind:
      return {
          {.n = *request.size, .count = request.count, .kind = name.kind, .seed = request.seed}};
    case BatchSource::kinetics:
      return {repeating(kinetics_matrices(*request.size, made, request.seed), request.count,
                        request.seed)};
    case BatchSource::elements:
      return {repeating(element_matrices(name.element, request.floating, made, request.seed),
                        request.count, request.seed)};
    case BatchSource::file:
      return {file_group(request, name.path)};
    case BatchSource::blocks:
    case BatchSource::fronts:
      break;
  }
  throw std::logic_error("the matrices of a sparse matrix are not made here");
}

BatchGroup repeating(GivenMatrices given, Offset count, std::uint64_t seed) {
  const Index n = given.n;
  return {.n = n,
          .count = count,
          .given = std::make_shared<const GivenMatrices>(std::move(given)),
          .seed = seed};
}

std::vector<BatchGroup> repeating_all(std::vector<GivenMatrices> given, Offset count,
                                      std::uint64_t seed) {
  Offset all = 0;
  for (const GivenMatrices& matrices : given) all += matrices.count;
  // Those of a batch of `count` that come before matrix `before` of all.
  const auto share = [&](Offset before) {
    return count / all * before + count % all * before / all;
  };
  std::vector<BatchGroup> groups;
  Offset before = 0;
  for (GivenMatrices& matrices : given) {
    const Offset begin = share(before);
    before += matrices.count;
    const Offset own = share(before) - begin;
    if (own > 0) groups.push_back(repeating(std::move(matrices), own, seed));
  }
  return groups;
}

}  // namespace lufact
