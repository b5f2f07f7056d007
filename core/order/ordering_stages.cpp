// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/ordering_stages.hpp"

#include <utility>

#include "core/order/btf_ordering.hpp"
#include "core/order/dissection_ordering.hpp"
#include "core/order/metis_ordering.hpp"
#include "core/order/permutation_file.hpp"
#include "core/order/suitesparse_orderings.hpp"

namespace lufact {
namespace {

using OrderingFunction = Permutation (*)(const CsrPattern& pa, const StageOptions& options);

// An ordering that is a function of the pattern and the options.
class FunctionOrdering : public OrderingStage {
 public:
  FunctionOrdering(const char* name, const char* description, OrderingFunction function,
                   bool given_labels = false)
      : info_{.name = name,
              .description = description,
              .source = "core/order",
              .takes = {product_types::matching},
              .gives = product_types::ordering,
              .given_labels = given_labels},
        function_(function) {}
  const StageInfo& info() const noexcept override { return info_; }
  Ordering run(const CsrPattern& pa, StageContext& context) const override {
    return {.perm = function_(pa, context.options), .postordered = false};
  }

 private:
  StageInfo info_;
  OrderingFunction function_;
};

class MetisOrdering final : public FunctionOrdering {
 public:
  using FunctionOrdering::FunctionOrdering;
  Support supported(const Machine&) const override {
    if (metis_available()) return {};
    return {false,
            "lufact was built without METIS; install its development files (Debian and Ubuntu: "
            "libmetis-dev) and configure again"};
  }
};

}  // namespace

std::vector<std::unique_ptr<OrderingStage>> ordering_stages() {
  std::vector<std::unique_ptr<OrderingStage>> stages;
  const auto add = [&stages](auto... arguments) {
    stages.push_back(std::make_unique<FunctionOrdering>(arguments...));
  };
  add("amd", "approximate minimum degree on PA + (PA)' (SuiteSparse AMD)",
      [](const CsrPattern& pa, const StageOptions&) { return amd_ordering(pa); });
  add("colamd", "column approximate minimum degree of PA (SuiteSparse COLAMD), to rows as well",
      [](const CsrPattern& pa, const StageOptions&) { return colamd_ordering(pa); });
  add("btf-amd",
      "block upper triangular form of PA (SuiteSparse BTF), AMD inside its blocks; unlike KLU, "
      "the whole permuted matrix is factored",
      [](const CsrPattern& pa, const StageOptions&) { return btf_amd_ordering(pa).perm; });
  stages.push_back(std::make_unique<MetisOrdering>(
      "metis", "nested dissection of PA + (PA)' (METIS_NodeND)",
      [](const CsrPattern& pa, const StageOptions&) { return metis_ordering(pa); }));
  stages.push_back(make_dissection_ordering());
  add(
      "natural", "the order of the file",
      [](const CsrPattern& pa, const StageOptions&) { return Permutation::identity(pa.n_rows); },
      true);
  add(
      "file", "a permutation file: line k holds the label of PA that comes k-th",
      [](const CsrPattern& pa, const StageOptions& options) {
        return read_permutation_file(options.permutation_file, pa.n_rows);
      },
      true);
  return stages;
}

}  // namespace lufact
