// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/bench/front_problems.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/generate/generate.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/parallel.hpp"
#include "core/matrix/reader.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/ordering_stages.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/numeric/multifrontal_numeric.hpp"
#include "gpu/matrix/transfers.hpp"

namespace lufact::gpu {

std::vector<std::string> split(const std::string& words, char separator) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(separator, begin), words.size());
    list.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

NamedMatrix load_matrix(const std::string& word) {
  std::string name = word.substr(word.find_last_of('/') + 1);
  name.resize(std::min(name.size(), name.find(".mtx")));
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return {name, read_matrix(word, {}).matrix};
  GeneratorFacts facts;
  facts.kind = word.substr(0, colon);
  facts.seed = 1;
  for (const std::string& size : split(word.substr(colon + 1), ',')) {
    const std::size_t equals = size.find('=');
    facts.sizes.emplace_back(size.substr(0, equals), std::stoll(size.substr(equals + 1)));
  }
  return {name, generate_matrix(facts)};
}

FrontProblems::FrontProblems(DeviceSession& session, Pivoting pivoting)
    : phases_(clock_, &session.probe()),
      context_{.phases = phases_,
               .options = options_,
               .notes = notes_,
               .device = &session,
               .check_resident = {}} {
  options_.pivoting = pivoting;
}

FactoredFronts FrontProblems::factor(const CsrMatrix& matrix, const std::string& ordering) {
  std::vector<Warning> warnings;
  const Matching matching = mc64(matrix, false, warnings, thread_count(0));
  const CsrPattern matched = permuted_rows(matrix, matching.rows);
  FactoredFronts fronts;
  fronts.b = build_permuted_matrix(matrix, matching, order(matched, ordering));
  const ProductPtr tree = make_cpu_fronts_symbolic()->run(fronts.b, context_);
  fronts.graph = make_task_graph_levelize()->run(tree, context_);
  fronts.device_b = to_device(fronts.b);
  fronts.factors = make_multifrontal_numeric()->run(fronts.device_b, to_device(tree),
                                                    to_device(fronts.graph), context_);
  return fronts;
}

Ordering FrontProblems::order(const CsrPattern& matched, const std::string& name) {
  for (const auto& stage : lufact::ordering_stages()) {
    if (stage->info().name != name) continue;
    return compose_postorder(matched, stage->run(matched, context_), thread_count(0));
  }
  throw Error(Outcome::unsupported, "ordering", "there is no ordering " + name);
}

ProductPtr FrontProblems::to_device(const ProductPtr& product) {
  auto transfers = make_transfers();
  for (auto& transfer : make_front_transfers()) transfers.push_back(std::move(transfer));
  for (const auto& transfer : transfers) {
    if (transfer->type() == product->type() && transfer->to() == Side::device) {
      return transfer->run(product, context_);
    }
  }
  throw Error(Outcome::unsupported, "transfer", "no transfer takes the product");
}

}  // namespace lufact::gpu
