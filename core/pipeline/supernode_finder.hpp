// SPDX-License-Identifier: BSD-3-Clause
// Finds supernodes in a finished column pattern, behind a symbolic stage that does not do so
// itself.
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact {

class SupernodeFinder {
 public:
  virtual ~SupernodeFinder() = default;
  virtual Side side() const noexcept = 0;
  // `pattern` is a column pattern on this side that nothing else holds. The result is the same
  // pattern with T3 supernodes of rows (core/columns/supernodes.hpp), each of at most
  // context.options.supernode_size rows.
  virtual ProductPtr run(ProductPtr pattern, StageContext& context) const = 0;
};

}  // namespace lufact
