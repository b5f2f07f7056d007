// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch_input/make_batch_input.hpp"

#include "app/batch_input/sparse_blocks.hpp"
#include "app/workload/input.hpp"

namespace lufact {
namespace {

std::vector<BatchGroup> groups_of(const BatchInputRequest& request, const BatchInputName& name) {
  if (name.source == BatchSource::blocks) {
    return repeating_all(blocks_of_file(request, name.path), request.count, request.seed);
  }
  if (name.source == BatchSource::fronts) {
    return repeating_all(fronts_of_file(request, name.path), request.count, request.seed);
  }
  return stand_alone_groups(request);
}

}  // namespace

BatchInput make_batch_input(const BatchInputRequest& request) {
  check_batch_request(request);
  const BatchInputName name = parse_batch_input(request.input);
  BatchInput input{.name = request.input};
  input.groups = groups_of(request, name);
  input.sha256 = name.path.empty() ? hash_of_generator(batch_generator_facts(request)).sha256
                                   : hash_of_file(name.path).sha256;
  return input;
}

}  // namespace lufact
