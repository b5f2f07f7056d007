// SPDX-License-Identifier: BSD-3-Clause
// What the plug-ins for dense matrices share: a C++ class becomes the C table of
// lufact_array_peer.h.
#pragma once
#include "baselines/peers/include/lufact_array_peer.h"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {

constexpr std::uint32_t bit(int value) noexcept {
  return 1u << value;
}

struct ArrayFacts {
  bool on_device = false;
  int threads = 1;
  std::uint32_t operations = 0;
  std::uint32_t precisions = bit(LUFACT_ARRAY_FLOAT32) | bit(LUFACT_ARRAY_FLOAT64);
  std::uint32_t layouts = bit(LUFACT_ARRAY_CONTIGUOUS) | bit(LUFACT_ARRAY_POINTERS);
  std::uint32_t pivoting = bit(LUFACT_ARRAY_PIVOTING_PARTIAL);
  int largest_order = std::numeric_limits<int>::max();
  bool in_place = false, out_of_place = true;  // of the inverse
  bool gives_pivots = true;
  std::uint32_t commands = LUFACT_ARRAY_BATCHES;
  std::uint32_t factors = bit(LUFACT_ARRAY_FACTORS_OWN);
  int refinement_steps = 0;
  std::string library, version;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::pair<std::string, std::string>> warnings;  // code, message
};

// One opened library. A problem that facts() does not take never comes.
class ArraySolver {
 public:
  virtual ~ArraySolver() = default;
  virtual ArrayFacts facts() const = 0;
  // Returns the bytes that were allocated where the library computes.
  virtual std::int64_t prepare(const lufact_array_problem& problem,
                               const lufact_array_operands& operands) = 0;
  virtual void run(void* stream) = 0;
};

template <class T>
constexpr int precision_of = sizeof(T) == sizeof(double) ? LUFACT_ARRAY_FLOAT64
                                                         : LUFACT_ARRAY_FLOAT32;

// Entries from one matrix of a contiguous array to the next.
inline std::int64_t matrix_stride(const lufact_array_problem& problem) {
  return std::int64_t{problem.ld} * problem.columns;
}
inline std::int64_t rhs_stride(const lufact_array_problem& problem) {
  return std::int64_t{problem.rows} * problem.rhs;
}

// The number of matrices as the 32-bit integer that libraries take.
inline int narrow_count(const lufact_array_problem& problem) {
  if (problem.count > std::numeric_limits<int>::max()) {
    throw Failure(LUFACT_PEER_UNSUPPORTED, "the library counts matrices with 32 bits");
  }
  return static_cast<int>(problem.count);
}

// Addresses of matrices that lie `stride` entries apart.
template <class T>
std::vector<T*> addresses(void* first, std::int64_t stride, std::int64_t count) {
  std::vector<T*> result(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    result[static_cast<std::size_t>(k)] = static_cast<T*>(first) + k * stride;
  }
  return result;
}

// For `work` that takes a value of the precision's type.
template <class Work>
auto with_precision(std::int32_t precision, Work work) {
  return precision == LUFACT_ARRAY_FLOAT64 ? work(double{}) : work(float{});
}

}  // namespace lufact::peers

// The C side of a library: the texts that describe() hands out live here.
struct lufact_array_peer {
  std::unique_ptr<lufact::peers::ArraySolver> solver;
  lufact::peers::ArrayFacts facts;
  std::vector<lufact_peer_text> settings, warnings;
  std::string error;
};

namespace lufact::peers {

inline std::int32_t describe_arrays(lufact_array_peer* peer, lufact_array_facts* to) {
  return guarded(peer->error, [&] {
    peer->facts = peer->solver->facts();
    const ArrayFacts& facts = peer->facts;
    peer->settings = texts_of(facts.settings);
    peer->warnings = texts_of(facts.warnings);
    lufact_array_facts made{};
    made.on_device = facts.on_device ? 1 : 0;
    made.threads = facts.threads;
    made.operations = facts.operations;
    made.precisions = facts.precisions;
    made.layouts = facts.layouts;
    made.pivoting = facts.pivoting;
    made.largest_order = facts.largest_order;
    made.takes_in_place = facts.in_place ? 1 : 0;
    made.takes_out_of_place = facts.out_of_place ? 1 : 0;
    made.gives_pivots = facts.gives_pivots ? 1 : 0;
    made.library = facts.library.c_str();
    made.version = facts.version.c_str();
    made.setting_count = static_cast<std::uint32_t>(peer->settings.size());
    made.settings = peer->settings.data();
    made.commands = facts.commands;
    made.factors = facts.factors;
    made.refinement_steps = facts.refinement_steps;
    made.warning_count = static_cast<std::uint32_t>(peer->warnings.size());
    made.warnings = peer->warnings.data();
    hand_out(made, to);
    return LUFACT_PEER_OK;
  });
}

template <auto Make>
std::int32_t create_arrays(const lufact_peer_options* options, lufact_array_peer** to) {
  return guarded(creation_error(), [&] {
    auto peer = std::make_unique<lufact_array_peer>();
    peer->solver = Make(*options);
    *to = peer.release();
    return LUFACT_PEER_OK;
  });
}

inline std::int32_t prepare_arrays(lufact_array_peer* peer, const lufact_array_problem* problem,
                                   const lufact_array_operands* operands, std::int64_t* bytes) {
  return guarded(peer->error, [&] {
    *bytes = peer->solver->prepare(*problem, *operands);
    return LUFACT_PEER_OK;
  });
}

inline std::int32_t run_arrays(lufact_array_peer* peer, void* stream) {
  return guarded(peer->error, [&] {
    peer->solver->run(stream);
    return LUFACT_PEER_OK;
  });
}

inline void destroy_arrays(lufact_array_peer* peer) {
  delete peer;
}

inline const char* last_array_error(const lufact_array_peer* peer) {
  return peer == nullptr ? creation_error().c_str() : peer->error.c_str();
}

template <auto Make, std::size_t Count>
lufact_array_peer_api make_array_api(const char* name, const char* description,
                                     const lufact_peer_text (&variants)[Count]) {
  lufact_array_peer_api api{};
  api.abi_version = LUFACT_ARRAY_PEER_ABI_VERSION;
  api.struct_size = sizeof(lufact_array_peer_api);
  api.name = name;
  api.description = description;
  while (api.variant_count < Count && variants[api.variant_count].name != nullptr) {
    ++api.variant_count;
  }
  api.variants = variants;
  api.create = create_arrays<Make>;
  api.describe = describe_arrays;
  api.prepare = prepare_arrays;
  api.run = run_arrays;
  api.destroy = destroy_arrays;
  api.last_error = last_array_error;
  return api;
}

}  // namespace lufact::peers
