// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/selector.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

struct FrontSymbolic {
  std::string name;
  double (*seconds)(Index n, Offset nnz, int threads, const Rates& rates);
  std::uint64_t (*device_bytes)(Index n, Offset nnz);  // null on the host
};

// `select`: the symbolic stage of fronts with the least forecast among those that can run, the
// first of which is on the host: one on the device needs a device in the run, for the sake of other
// stages, and leaves most of its memory to them.
std::unique_ptr<Selector> make_front_symbolic_selector(
    const std::vector<FrontSymbolic>& candidates);

}  // namespace lufact
