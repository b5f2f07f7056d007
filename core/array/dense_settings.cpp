// SPDX-License-Identifier: BSD-3-Clause
#include "core/array/dense_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lufact {
namespace {

std::string accepted_options(const DenseTakes& takes) {
  std::vector<std::string_view> names;
  const auto add = [&](bool taken, std::string_view name) {
    if (taken) names.push_back(name);
  };
  add(takes.block.has_value(), "--block");
  add(takes.depth, "--depth");
  add(!takes.bases.empty(), "--base");
  add(takes.blocks.has_value(), "--blocks");
  add(takes.threads_per_block.has_value(), "--threads-per-block");
  add(!takes.products.empty(), "--product");
  add(!takes.triangulars.empty(), "--triangular");
  return names.empty() ? "none of these options" : fmt::format("{}", fmt::join(names, ", "));
}

std::string not_taken(const std::string& stage, std::string_view option, const DenseTakes& takes) {
  return fmt::format("{} does not take {}; accepted: {}", stage, option, accepted_options(takes));
}

std::string unless_number(const std::string& stage, std::string_view option,
                          const DenseTakes& takes, const std::optional<TakenNumbers>& taken,
                          const std::optional<int>& value) {
  if (!value) return "";
  if (!taken) return not_taken(stage, option, takes);
  const auto [least, most, step] = *taken;
  if (*value >= least && *value <= most && (*value - least) % step == 0) return "";
  const std::string numbers = step == 1
                                  ? fmt::format("{} to {}", least, most)
                                  : fmt::format("{}, {}, ... to {}", least, least + step, most);
  return fmt::format("{} does not take {} {}; accepted: {}", stage, option, *value, numbers);
}

template <class T>
std::string unless_named(const std::string& stage, std::string_view option, const DenseTakes& takes,
                         const std::vector<T>& taken, const std::optional<T>& value) {
  if (!value || std::ranges::find(taken, *value) != taken.end()) return "";
  if (taken.empty()) return not_taken(stage, option, takes);
  std::vector<std::string_view> names;
  for (const T name : taken) names.push_back(to_string(name));
  return fmt::format("{} does not take {} {}; accepted: {}", stage, option, to_string(*value),
                     fmt::join(names, ", "));
}

std::string unless_depth(const std::string& stage, const DenseTakes& takes,
                         const DenseSettings& settings, Index order) {
  if (!settings.depth) return "";
  if (!takes.depth) return not_taken(stage, "--depth", takes);
  const int block = settings.block.value_or(takes.own_block);
  const Index levels = dense_levels(order, block);
  if (*settings.depth >= 0 && *settings.depth <= levels) return "";
  return fmt::format(
      "{} does not take --depth {} for order {} in blocks of {}; accepted: max, or 0 to {}", stage,
      *settings.depth, order, block, levels);
}

}  // namespace

std::string_view to_string(DenseBase base) noexcept {
  return base == DenseBase::skr ? "skr" : "mkr";
}

std::string_view to_string(DenseProduct product) noexcept {
  switch (product) {
    case DenseProduct::own:
      return "own";
    case DenseProduct::simple:
      return "simple";
    case DenseProduct::cublas:
      return "cublas";
  }
  return "";
}

std::string_view to_string(DenseTriangular triangular) noexcept {
  return triangular == DenseTriangular::columns ? "columns" : "blocked";
}

Index dense_levels(Index order, int block) noexcept {
  return order / block + (order % block != 0 ? 1 : 0);
}

std::string settings_refusal(const std::string& stage, const DenseTakes& takes,
                             const DenseSettings& settings, Index order) {
  for (std::string reason :
       {unless_number(stage, "--block", takes, takes.block, settings.block),
        unless_number(stage, "--blocks", takes, takes.blocks, settings.blocks),
        unless_number(stage, "--threads-per-block", takes, takes.threads_per_block,
                      settings.threads_per_block),
        unless_named(stage, "--base", takes, takes.bases, settings.base),
        unless_named(stage, "--product", takes, takes.products, settings.product),
        unless_named(stage, "--triangular", takes, takes.triangulars, settings.triangular)}) {
    if (!reason.empty()) return reason;
  }
  return unless_depth(stage, takes, settings, order);
}

}  // namespace lufact
