// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/error.hpp"
#include "core/order/metis_ordering.hpp"

namespace lufact {

bool metis_available() noexcept {
  return false;
}

Permutation metis_ordering(const CsrPattern&) {
  throw Error(Outcome::unsupported, "no_metis", "lufact was built without METIS");
}

}  // namespace lufact
