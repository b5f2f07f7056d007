// SPDX-License-Identifier: BSD-3-Clause
// Synthetic matrices, reproducible from a kind, sizes and a seed on every machine.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/facts.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

struct GeneratorSize {
  std::string_view name;  // as in `lufact generate KIND --name VALUE`
  Offset default_value;
  Offset minimum;
  std::string_view description;
  bool of_order = true;  // the order of the matrix is the product of the sizes that have this
};

struct GeneratorKind {
  std::string_view name;
  std::string_view description;  // one line
  bool symmetric;                // pattern and values
  std::vector<GeneratorSize> sizes;
  CsrMatrix (*make)(std::span<const Offset> sizes, std::uint64_t seed);  // sizes already checked
  // What is wrong with the sizes together, or nothing.
  std::string (*fault)(std::span<const Offset> sizes) = nullptr;
};

// Every kind, in the order in which `lufact list` shows them.
std::span<const GeneratorKind> generator_kinds();

// The kind of that name. Throws UsageError naming the kinds.
const GeneratorKind& find_generator_kind(std::string_view name);

// `request` with every size of its kind, in the kind's order, defaults filled in. Throws UsageError
// for an unknown kind, an unknown, repeated or too small size, and for a matrix whose order is
// beyond 32-bit indices.
GeneratorFacts complete_generator_facts(const GeneratorFacts& request);

// The square matrix that `request` names: columns ascending, no duplicates, finite values, full
// structural rank but for the graphs, which have no diagonal. Entries may be stored zeros only in
// `circuit` and `netlist`. Throws what complete_generator_facts throws, UsageError where a mesh
// cannot have as many entries as are asked for, and Error{oom_host, "generate_memory"} where memory
// runs out.
CsrMatrix generate_matrix(const GeneratorFacts& request);

}  // namespace lufact
