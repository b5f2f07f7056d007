// SPDX-License-Identifier: BSD-3-Clause
// What the plug-ins of this repository share: a C++ class becomes the C table of lufact_peer.h, and
// exceptions become status codes. Depends on nothing but the standard library, so that a plug-in
// stands alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "baselines/peers/include/lufact_peer.h"

namespace lufact::peers {

// A call that fails with one of the statuses of lufact_peer.h.
class Failure : public std::runtime_error {
 public:
  Failure(std::int32_t status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  std::int32_t status() const noexcept { return status_; }

 private:
  std::int32_t status_;
};

struct Facts {
  std::int32_t layout = LUFACT_PEER_BY_ROW;
  bool on_device = false;
  int threads = 1;
  std::string library, version;
  std::string scaling, ordering, symbolic, numeric, solve;  // empty: nothing, or not known
  std::vector<std::pair<std::string, std::string>> fused, settings;
  std::vector<std::pair<std::string, std::string>> warnings;  // code, message
};

// Warns where a solver that may use `given` host threads uses one, and says why: its times are then
// not those of its users. For Facts, and what array_plugin.hpp has like them.
void warn_on_one_thread(auto& facts, int given, const std::string& why) {
  if (given <= 1 || facts.threads > 1) return;
  facts.warnings.emplace_back("peer_on_one_thread", facts.library + " uses one of the " +
                                                        std::to_string(given) +
                                                        " host threads that it may use: " + why);
}

inline lufact_peer_figures unknown_figures() {
  return {sizeof(lufact_peer_figures), -1, -1, -1, -1, -1, -1, -1, 0, 0, -1};
}

enum class Step { done, fused };

// One opened solver. Arrays that are given stay valid as lufact_peer.h says.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual Facts facts() const = 0;
  virtual void set_pattern(std::int32_t n, const std::int64_t* offsets,
                           const std::int32_t* indices) = 0;
  virtual void set_values(const double* values) = 0;
  virtual Step order() = 0;
  virtual Step symbolic() = 0;
  virtual void factor() = 0;
  virtual void refactor() = 0;
  virtual void set_rhs(std::int32_t columns, const double* b) = 0;
  virtual void solve() = 0;
  virtual void get_solution(double* x) = 0;
  virtual lufact_peer_figures figures() const = 0;
  virtual void clear() = 0;
  // Of libraries whose solves take the transpose.
  virtual void transpose(bool transposed) {
    if (!transposed) return;
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  facts().library + " has no solve with the transpose of what it has factored");
  }
};

// Offsets as the 32-bit integers that many libraries take.
inline std::vector<int> narrow_offsets(std::int32_t n, const std::int64_t* offsets) {
  if (offsets[n] > std::numeric_limits<int>::max()) {
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  "the matrix has more entries than this library's 32-bit interface can count");
  }
  std::vector<int> narrow(static_cast<std::size_t>(n) + 1);
  std::transform(offsets, offsets + n + 1, narrow.begin(),
                 [](std::int64_t offset) { return static_cast<int>(offset); });
  return narrow;
}

}  // namespace lufact::peers

// The C side of a solver: the texts that describe() hands out live here.
struct lufact_peer {
  std::unique_ptr<lufact::peers::Solver> solver;
  lufact::peers::Facts facts;
  std::vector<lufact_peer_text> fused, settings, warnings;
  std::string error;
};

namespace lufact::peers {

inline std::string& creation_error() {
  static std::string text;
  return text;
}

template <class Call>
std::int32_t guarded(std::string& error, Call call) noexcept {
  try {
    return call();
  } catch (const Failure& failure) {
    error = failure.what();
    return failure.status();
  } catch (const std::bad_alloc&) {
    error = "the host has no memory left";
    return LUFACT_PEER_OOM_HOST;
  } catch (const std::exception& failure) {
    error = failure.what();
    return LUFACT_PEER_ERROR;
  }
}

// A call without a result, such as Solver::factor.
template <auto Method, class... Arguments>
std::int32_t call(lufact_peer* peer, Arguments... arguments) {
  return guarded(peer->error, [&] {
    (peer->solver.get()->*Method)(arguments...);
    return LUFACT_PEER_OK;
  });
}

template <auto Method>
std::int32_t step(lufact_peer* peer) {
  return guarded(peer->error, [&] {
    return (peer->solver.get()->*Method)() == Step::fused ? LUFACT_PEER_FUSED : LUFACT_PEER_OK;
  });
}

// Writes no more than the caller has room for.
template <class T>
void hand_out(T made, T* to) {
  const std::uint32_t room = to->struct_size;
  made.struct_size = room;
  std::memcpy(to, &made, std::min<std::size_t>(room, sizeof(T)));
}

inline const char* text_or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

inline std::vector<lufact_peer_text> texts_of(
    const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<lufact_peer_text> texts;
  for (const auto& [name, value] : pairs) texts.push_back({name.c_str(), value.c_str()});
  return texts;
}

inline std::int32_t describe(lufact_peer* peer, lufact_peer_facts* to) {
  return guarded(peer->error, [&] {
    peer->facts = peer->solver->facts();
    const Facts& facts = peer->facts;
    peer->fused = texts_of(facts.fused);
    peer->settings = texts_of(facts.settings);
    peer->warnings = texts_of(facts.warnings);
    lufact_peer_facts made{};
    made.layout = facts.layout;
    made.on_device = facts.on_device ? 1 : 0;
    made.threads = facts.threads;
    made.library = facts.library.c_str();
    made.version = facts.version.c_str();
    made.scaling = text_or_null(facts.scaling);
    made.ordering = text_or_null(facts.ordering);
    made.symbolic = text_or_null(facts.symbolic);
    made.numeric = text_or_null(facts.numeric);
    made.solve = text_or_null(facts.solve);
    made.fused_count = static_cast<std::uint32_t>(peer->fused.size());
    made.fused = peer->fused.data();
    made.setting_count = static_cast<std::uint32_t>(peer->settings.size());
    made.settings = peer->settings.data();
    made.warning_count = static_cast<std::uint32_t>(peer->warnings.size());
    made.warnings = peer->warnings.data();
    hand_out(made, to);
    return LUFACT_PEER_OK;
  });
}

inline std::int32_t figures(lufact_peer* peer, lufact_peer_figures* to) {
  return guarded(peer->error, [&] {
    hand_out(peer->solver->figures(), to);
    return LUFACT_PEER_OK;
  });
}

// `Make` turns the options into a Solver.
template <auto Make>
std::int32_t create(const lufact_peer_options* options, lufact_peer** to) {
  return guarded(creation_error(), [&] {
    auto peer = std::make_unique<lufact_peer>();
    peer->solver = Make(*options);
    *to = peer.release();
    return LUFACT_PEER_OK;
  });
}

inline void destroy(lufact_peer* peer) {
  delete peer;
}

inline const char* last_error(const lufact_peer* peer) {
  return peer == nullptr ? creation_error().c_str() : peer->error.c_str();
}

template <auto Make, std::size_t Count>
lufact_peer_api make_api(const char* name, const char* description,
                         const lufact_peer_text (&variants)[Count]) {
  lufact_peer_api api{};
  api.abi_version = LUFACT_PEER_ABI_VERSION;
  api.struct_size = sizeof(lufact_peer_api);
  api.name = name;
  api.description = description;
  while (api.variant_count < Count && variants[api.variant_count].name != nullptr) {
    ++api.variant_count;
  }
  api.variants = variants;
  api.create = create<Make>;
  api.describe = describe;
  api.set_pattern =
      call<&Solver::set_pattern, std::int32_t, const std::int64_t*, const std::int32_t*>;
  api.set_values = call<&Solver::set_values, const double*>;
  api.order = step<&Solver::order>;
  api.symbolic = step<&Solver::symbolic>;
  api.factor = call<&Solver::factor>;
  api.refactor = call<&Solver::refactor>;
  api.set_rhs = call<&Solver::set_rhs, std::int32_t, const double*>;
  api.solve = call<&Solver::solve>;
  api.get_solution = call<&Solver::get_solution, double*>;
  api.figures = figures;
  api.clear = call<&Solver::clear>;
  api.destroy = destroy;
  api.last_error = last_error;
  api.transpose = [](lufact_peer* peer, std::int32_t transposed) {
    return guarded(peer->error, [&] {
      peer->solver->transpose(transposed != 0);
      return LUFACT_PEER_OK;
    });
  };
  return api;
}

}  // namespace lufact::peers

#define LUFACT_PEER_EXPORT extern "C" __attribute__((visibility("default")))
