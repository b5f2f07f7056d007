// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <klu.h>

#include <string>

#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {

// KLU's settings, its analysis of one matrix and the factors of it. Its columns are `lines` of the
// matrix that the user gave: "column", or "row" where KLU was given the transpose.
struct KluObjects {
  explicit KluObjects(const char* line) : lines(line) { klu_defaults(&common); }
  ~KluObjects() { clear(); }
  KluObjects(const KluObjects&) = delete;
  KluObjects& operator=(const KluObjects&) = delete;

  void clear() noexcept {
    if (numeric != nullptr) klu_free_numeric(&numeric, &common);
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  }

  // Of the last factorization; -1 without one.
  double flops() {
    if (numeric == nullptr) return -1;
    klu_flops(symbolic, numeric, &common);
    return common.flops;
  }

  // Throws a Failure of what KLU's status says of the call `what`.
  [[noreturn]] void fail(const std::string& what) const {
    switch (common.status) {
      case KLU_SINGULAR:
        throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, what + ": no usable pivot in " + lines + " " +
                                                        std::to_string(common.singular_col));
      case KLU_OUT_OF_MEMORY:
        throw Failure(LUFACT_PEER_OOM_HOST, what + ": out of memory");
      case KLU_TOO_LARGE:
        throw Failure(LUFACT_PEER_UNSUPPORTED, what + ": the factors overflow 32-bit integers");
      default:
        throw Failure(LUFACT_PEER_ERROR, what + ": status " + std::to_string(common.status));
    }
  }

  const char* lines;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
};

inline std::string klu_version() {
  return std::to_string(KLU_MAIN_VERSION) + "." + std::to_string(KLU_SUB_VERSION) + "." +
         std::to_string(KLU_SUBSUB_VERSION);
}

}  // namespace lufact::peers
