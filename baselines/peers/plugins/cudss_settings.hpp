// SPDX-License-Identifier: BSD-3-Clause
// What the variants of cuDSS set, how a record tells it, and which of them take a uniform batch:
// many matrices with one pattern, whose values and vectors lie one after another.
#pragma once
#include <string>

#include "baselines/peers/plugins/cudss_library.hpp"

namespace lufact::peers {

inline cudssReorderingAlg_t ordering_of(const std::string& variant) {
  if (variant == "amd" || variant == "amd-matching") return CUDSS_REORDERING_ALG_AMD;
  return variant == "btf-colamd" ? CUDSS_REORDERING_ALG_BTF_COLAMD : CUDSS_REORDERING_ALG_DEFAULT;
}
inline const char* name_of(cudssReorderingAlg_t ordering) {
  return ordering == CUDSS_REORDERING_ALG_AMD          ? "amd"
         : ordering == CUDSS_REORDERING_ALG_BTF_COLAMD ? "btf + colamd"
                                                       : "default nested dissection";
}

// The library has no matching for a uniform batch: its default there is none, which is said.
inline cudssMatchingAlg_t matching_of(const std::string& variant, bool batch) {
  if (batch || variant == "nomatching") return CUDSS_MATCHING_ALG_NONE;
  const bool asked = variant == "matching" || variant == "amd-matching";
  return asked ? CUDSS_MATCHING_ALG_MAX_DIAG_PRODUCT : CUDSS_MATCHING_ALG_AUTO;
}
inline const char* name_of(cudssMatchingAlg_t matching) {
  return matching == CUDSS_MATCHING_ALG_MAX_DIAG_PRODUCT ? "maximum product matching with scaling"
         : matching == CUDSS_MATCHING_ALG_NONE           ? "none"
                                                         : "matching: the library's choice";
}

// Throws Failure{unsupported} of a variant that takes one system at a time.
inline void require_batch(const std::string& variant) {
  const auto refuse = [&](const std::string& why) {
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  "cudss-" + variant + " takes one system at a time: " + why +
                      "; cudss, cudss-amd, cudss-ir, cudss-nomatching and cudss-seq take many");
  };
  if (ordering_of(variant) == CUDSS_REORDERING_ALG_BTF_COLAMD) {
    refuse("the library has no uniform batch with this ordering");
  }
  if (matching_of(variant, false) == CUDSS_MATCHING_ALG_MAX_DIAG_PRODUCT) {
    refuse("the library has no matching for a uniform batch");
  }
  if (variant.starts_with("hybrid-memory")) {
    refuse("the library has no hybrid memory mode for a uniform batch");
  }
  if (variant == "hybrid-execute") refuse("the plug-in has hybrid execution for one system alone");
}

// Of a library that did not take what a uniform batch needs.
[[noreturn]] inline void fail_batch(const std::string& version, const std::string& what) {
  throw Failure(LUFACT_PEER_UNSUPPORTED,
                "cuDSS " + version + " does not take a uniform batch (" + what +
                    "); leave --systems out, or take a newer one: " + how_to_get_cudss);
}

}  // namespace lufact::peers
