// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/error.hpp"
#include "core/generate/kinds.hpp"

namespace lufact {
namespace {

constexpr GeneratorSize grid_size(std::string_view name, Offset default_value) {
  return {name, default_value, 1, "points along one axis"};
}

constexpr GeneratorSize unknowns_per_node(Offset default_value) {
  return {"unknowns", default_value, 1, "unknowns per node"};
}

// As above, where the order is given by itself.
constexpr GeneratorSize per_node(Offset default_value) {
  return {"unknowns", default_value, 1, "unknowns per node", false};
}

constexpr GeneratorSize entries(Offset default_value) {
  return {"nnz", default_value, 1, "entries, exactly", false};
}

constexpr GeneratorSize layers(Offset default_value) {
  return {"layers", default_value, 1, "layers of nodes", false};
}

std::string outside(Offset nnz, Offset least, Offset most) {
  if (nnz >= least && nnz <= most) return {};
  return fmt::format("nnz {} is not between {} and {}", nnz, least, most);
}

std::string random_fault(std::span<const Offset> sizes) {
  if (sizes[1] <= sizes[0]) return {};
  return fmt::format("nnz_per_row {} is more than n {}", sizes[1], sizes[0]);
}

// Of kinds that draw their entries at random: far from all possible ones, so that drawing ends.
std::string netlist_fault(std::span<const Offset> sizes) {
  const Offset n = sizes[0];
  return outside(sizes[1], 2 * n, n * std::min<Offset>(n, 256) / 8);
}

std::string harmonic_fault(std::span<const Offset> sizes) {
  const Offset n = sizes[0];
  if (sizes[2] > n / 8) return fmt::format("harmonics {} are more than n / 8", sizes[2]);
  return outside(sizes[1], n, n * std::min<Offset>(n, 256) / 4);
}

std::string economic_fault(std::span<const Offset> sizes) {
  const Offset n = sizes[0];
  if (sizes[2] > n / 4) return fmt::format("periods {} are more than n / 4", sizes[2]);
  return outside(sizes[1], n, n * std::min<Offset>(n / sizes[2], 1024) / 4);
}

std::string mesh_fault(std::span<const Offset> sizes) {
  return outside(sizes[1], sizes[0], sizes[0] * std::min<Offset>(sizes[0], 4096));
}

std::string structural_fault(std::span<const Offset> sizes) {
  if ((sizes[1] - sizes[0]) % 2 == 0) return mesh_fault(sizes);
  return fmt::format(
      "nnz {} - n {} is odd, which a symmetric matrix with a full diagonal cannot be", sizes[1],
      sizes[0]);
}

std::vector<GeneratorKind> make_kinds() {
  using namespace generate;
  return {
      {"grid2d",
       "conductances on a grid, 5-point stencil, symmetric positive definite",
       true,
       {grid_size("nx", 300), grid_size("ny", 300)},
       make_grid2d},
      {"grid3d",
       "conductances on a grid, 7-point stencil, symmetric positive definite",
       true,
       {grid_size("nx", 30), grid_size("ny", 30), grid_size("nz", 30)},
       make_grid3d},
      {"fem3d",
       "hexahedral elements, 27-point coupling by dense blocks, symmetric positive definite",
       true,
       {grid_size("nx", 12), grid_size("ny", 12), grid_size("nz", 12), unknowns_per_node(3)},
       make_fem3d},
      {"cfd",
       "upwind differences of a rotating flow, unsymmetric values, slightly unsymmetric pattern",
       false,
       {grid_size("nx", 80), grid_size("ny", 80), unknowns_per_node(4)},
       make_cfd},
      {"circuit",
       "nodal analysis: local nets, supply nets, controlled sources, missing and zero diagonals",
       false,
       {{"n", 20000, 8, "unknowns"}},
       make_circuit},
      {"planar",
       "a planar triangulation, symmetric positive definite",
       true,
       {{"n", 100000, 3, "vertices"}},
       make_planar},
      {"hex",
       "a hexagonal mesh, at most 3 neighbours, symmetric positive definite",
       true,
       {grid_size("nx", 300), grid_size("ny", 300)},
       make_hex},
      {"random",
       "uniformly random unsymmetric pattern around a hidden dominant permutation",
       false,
       {{"n", 2000, 1, "order"}, {"nnz_per_row", 5, 1, "entries of each row, at most n", false}},
       make_random,
       random_fault},
      {"planar-graph",
       "planar without its diagonal: for --zero-diagonals",
       true,
       {{"n", 100000, 3, "vertices"}},
       make_planar_graph},
      {"hex-graph",
       "hex without its diagonal: for --zero-diagonals",
       true,
       {grid_size("nx", 300), grid_size("ny", 300)},
       make_hex_graph},
      {"netlist",
       "as circuit, with exactly nnz entries",
       false,
       {{"n", 20000, 128, "unknowns"}, entries(100000)},
       make_netlist,
       netlist_fault},
      {"harmonic",
       "harmonic balance: dense blocks of frequencies in one direction, little symmetry",
       false,
       {{"n", 20000, 16, "unknowns"}, entries(150000), {"harmonics", 4, 1, "per node", false}},
       make_harmonic,
       harmonic_fault},
      {"economic",
       "a model over periods: lags, leads, exogenous variables, hardly any symmetry or diagonal",
       false,
       {{"n", 20000, 8, "variables"}, entries(200000), {"periods", 50, 1, "of time", false}},
       make_economic,
       economic_fault},
      {"structural",
       "finite elements, exactly nnz entries, symmetric positive definite",
       true,
       {{"n", 20000, 1, "unknowns"}, entries(1000000), per_node(3), layers(3)},
       make_structural,
       structural_fault},
      {"flow",
       "a flow with several unknowns per node, exactly nnz entries, unsymmetric",
       false,
       {{"n", 20000, 1, "unknowns"}, entries(800000), per_node(5), layers(1)},
       make_flow,
       mesh_fault},
  };
}

template <class Items>
std::string names_of(const Items& items) {
  std::string names;
  for (const auto& item : items) {
    if (!names.empty()) names += ", ";
    names += item.name;
  }
  return names;
}

[[noreturn]] void refuse_size(const GeneratorKind& kind, std::string_view size,
                              std::string_view why) {
  throw UsageError(fmt::format("generate {}: size '{}' {}; sizes of {}: {}", kind.name, size, why,
                               kind.name, names_of(kind.sizes)));
}

// The value that `request` gives to a size of its kind, or the default.
Offset requested_size(const GeneratorFacts& request, const GeneratorKind& kind,
                      const GeneratorSize& size) {
  std::optional<Offset> found;
  for (const auto& [name, value] : request.sizes) {
    if (name != size.name) continue;
    if (found) refuse_size(kind, name, "is given twice");
    found = value;
  }
  const Offset value = found.value_or(size.default_value);
  if (value < size.minimum) {
    refuse_size(kind, size.name, fmt::format("is {}, below its minimum {}", value, size.minimum));
  }
  return value;
}

void check_sizes(const GeneratorKind& kind, std::span<const Offset> sizes) {
  Offset order = 1;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (!kind.sizes[k].of_order) continue;
    if (__builtin_mul_overflow(order, sizes[k], &order) ||
        order > std::numeric_limits<Index>::max()) {
      throw UsageError(fmt::format(
          "generate {}: the sizes give a matrix whose order is beyond {}; choose smaller ones",
          kind.name, std::numeric_limits<Index>::max()));
    }
  }
  const std::string fault = kind.fault == nullptr ? std::string() : kind.fault(sizes);
  if (!fault.empty()) throw UsageError(fmt::format("generate {}: {}", kind.name, fault));
}

std::vector<Offset> values_of(const GeneratorFacts& facts) {
  std::vector<Offset> sizes;
  for (const auto& entry : facts.sizes) sizes.push_back(entry.second);
  return sizes;
}

}  // namespace

std::span<const GeneratorKind> generator_kinds() {
  static const std::vector<GeneratorKind> kinds = make_kinds();
  return kinds;
}

const GeneratorKind& find_generator_kind(std::string_view name) {
  const auto kinds = generator_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(),
                               [&](const GeneratorKind& kind) { return kind.name == name; });
  if (it == kinds.end()) {
    throw UsageError(fmt::format("generate: unknown kind '{}'; kinds: {}", name, names_of(kinds)));
  }
  return *it;
}

GeneratorFacts complete_generator_facts(const GeneratorFacts& request) {
  const GeneratorKind& kind = find_generator_kind(request.kind);
  for (const auto& entry : request.sizes) {
    const bool known =
        std::any_of(kind.sizes.begin(), kind.sizes.end(),
                    [&](const GeneratorSize& size) { return size.name == entry.first; });
    if (!known) refuse_size(kind, entry.first, "is unknown");
  }
  GeneratorFacts complete{request.kind, {}, request.seed};
  for (const GeneratorSize& size : kind.sizes) {
    complete.sizes.emplace_back(size.name, requested_size(request, kind, size));
  }
  check_sizes(kind, values_of(complete));
  return complete;
}

CsrMatrix generate_matrix(const GeneratorFacts& request) {
  const GeneratorFacts facts = complete_generator_facts(request);
  const std::vector<Offset> sizes = values_of(facts);
  const auto out_of_memory = [&] {
    return Error(Outcome::oom_host, "generate_memory",
                 fmt::format("generate {}: not enough memory for the matrix; choose smaller sizes",
                             facts.kind));
  };
  try {
    return find_generator_kind(facts.kind).make(sizes, facts.seed);
  } catch (const std::bad_alloc&) {
    throw out_of_memory();
  } catch (const std::length_error&) {
    throw out_of_memory();
  }
}

}  // namespace lufact
