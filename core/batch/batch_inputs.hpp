// SPDX-License-Identifier: BSD-3-Clause
// What --input may name, and the inputs that need no matrix file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch/batch_input.hpp"
#include "core/batch/element_matrices.hpp"
#include "core/matrix/facts.hpp"

namespace lufact {

// The largest order of a matrix of a batch.
inline constexpr Index largest_batch_order = 64;

enum class BatchSource {
  kind,      // random, dominant, ...
  kinetics,  // of reaction networks, see kinetics_matrices.hpp
  elements,  // elements:SHAPE, of finite elements, see element_matrices.hpp
  blocks,    // blocks:FILE.mtx, diagonal blocks of a sparse matrix
  fronts,    // fronts:FILE.mtx, pivot blocks of the fronts of a sparse matrix
  file,      // FILE.npy
};

struct BatchInputName {
  BatchSource source = BatchSource::kind;
  BatchKind kind = BatchKind::random;                 // of `kind`
  ElementShape element = ElementShape::tet4_elastic;  // of `elements`
  std::string path{};                                 // of `blocks`, `fronts` and `file`
};

// Throws UsageError naming what is accepted.
BatchInputName parse_batch_input(std::string_view text);
// As --input spells them, with FILE for a path.
std::vector<std::string> accepted_batch_inputs();

// The batch of one run.
struct BatchInputRequest {
  std::string input = "random";  // as --input spells it
  std::optional<Index> size{};   // empty: `auto`, for inputs that have sizes of their own
  Offset count = 1'000'000;      // matrices, of all sizes together
  std::uint64_t seed = 1;
  bool floating = false;  // elements: rigid motions are left in, so that matrices are singular
  // Of blocks and fronts, as `run` has them.
  std::string scaling = "mc64", ordering = "amd";
  int threads = 1;
};

// Throws UsageError where the request has a size that the input cannot have (0, above
// largest_batch_order, not that of the elements, `auto` for an input without sizes of its own), no
// matrices, or floating elements of an input that has no elements.
void check_batch_request(const BatchInputRequest& request);

// What says which matrices they are, where they are not those of a file; sizes are n (0: `auto`),
// count, and floating for elements.
GeneratorFacts batch_generator_facts(const BatchInputRequest& request);

// The matrices of every source but blocks and fronts. Throws what check_batch_request() throws,
// and Error{error, "bad_matrix"} for a file that is no such array or has another order.
std::vector<BatchGroup> stand_alone_groups(const BatchInputRequest& request);

// `count` matrices of one order that repeat `given`.
BatchGroup repeating(GivenMatrices given, Offset count, std::uint64_t seed);

// `count` matrices that repeat all of `given`, each order in its share. Orders that get none are
// left out.
std::vector<BatchGroup> repeating_all(std::vector<GivenMatrices> given, Offset count,
                                      std::uint64_t seed);

}  // namespace lufact
