// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/suitesparse_orderings.hpp"

#include <amd.h>
#include <colamd.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace lufact {
namespace {

using Int = int;
using Long = SuiteSparse_long;

int call_amd(Int n, const Int* ptr, const Int* idx, Int* perm, double* info) {
  return amd_order(n, ptr, idx, perm, nullptr, info);
}
int call_amd(Long n, const Long* ptr, const Long* idx, Long* perm, double* info) {
  return static_cast<int>(amd_l_order(n, ptr, idx, perm, nullptr, info));
}
int call_colamd(Int n, Int length, Int* idx, Int* ptr, Int* stats) {
  return colamd(n, n, length, idx, ptr, nullptr, stats);
}
Long call_colamd(Long n, Long length, Long* idx, Long* ptr, Long* stats) {
  return colamd_l(n, n, length, idx, ptr, nullptr, stats);
}
std::size_t colamd_length(Int nnz, Int n) {
  return colamd_recommended(nnz, n, n);
}
std::size_t colamd_length(Long nnz, Long n) {
  return colamd_l_recommended(nnz, n, n);
}

[[noreturn]] void throw_out_of_memory(const char* what, const CsrPattern& a) {
  throw Error(Outcome::oom_host, "ordering_memory",
              fmt::format("{} ran out of memory (n = {}, {} entries)", what, a.n_rows, a.nnz()));
}

// AMD forms A + A' and works in up to 2.4 nnz + 7 n integers, COLAMD in 2.2 nnz + 11 n.
bool fits_32_bits(const CsrPattern& a) {
  return 3 * a.nnz() + 12 * (static_cast<Offset>(a.n_rows) + 1) < std::numeric_limits<Int>::max();
}

template <class T>
Permutation to_permutation(const T* order, Index n) {
  return Permutation::from_old_of_new(std::vector<Index>(order, order + n));
}

OrderingCost most_cost(Index n, const double* info, const ColumnPathRates& rates) {
  OrderingCost cost;
  cost.columns = cost.path.columns = n;
  cost.largest_column = static_cast<Index>(info[AMD_DMAX]);
  cost.nnz_l = info[AMD_LNZ] + n;
  cost.flops = cost.path.flops = info[AMD_NDIV] + 2 * info[AMD_NMULTSUBS_LU];
  cost.path.seconds = n * std::max(rates.short_column_s, rates.long_column_s);
  return cost;
}

template <class T>
AmdOrder amd_with(const CsrPattern& a, const ColumnPathRates& rates) {
  const std::vector<T> ptr(a.row_ptr.begin(), a.row_ptr.end());
  std::vector<T> perm(static_cast<std::size_t>(a.n_rows));
  double info[AMD_INFO];
  int status = AMD_OK;
  if constexpr (std::is_same_v<T, Index>) {
    status = call_amd(a.n_rows, ptr.data(), a.col_idx.data(), perm.data(), info);
  } else {
    const std::vector<T> idx(a.col_idx.begin(), a.col_idx.end());
    status = call_amd(static_cast<T>(a.n_rows), ptr.data(), idx.data(), perm.data(), info);
  }
  if (status == AMD_OUT_OF_MEMORY) throw_out_of_memory("AMD", a);
  if (status != AMD_OK) throw std::logic_error("AMD was given a pattern that is not sorted");
  return {to_permutation(perm.data(), a.n_rows), most_cost(a.n_rows, info, rates)};
}

template <class T>
Permutation colamd_with(const CsrPattern& a) {
  const CsrPattern by_column = transpose(a.view());
  const std::size_t length = colamd_length(static_cast<T>(a.nnz()), static_cast<T>(a.n_rows));
  if (length == 0) throw_out_of_memory("COLAMD", a);
  std::vector<T> idx(length);
  std::copy(by_column.col_idx.begin(), by_column.col_idx.end(), idx.begin());
  std::vector<T> ptr(by_column.row_ptr.begin(), by_column.row_ptr.end());
  T stats[COLAMD_STATS];
  if (!call_colamd(static_cast<T>(a.n_rows), static_cast<T>(length), idx.data(), ptr.data(),
                   stats)) {
    throw std::logic_error(fmt::format("COLAMD refused the pattern with status {}",
                                       static_cast<Long>(stats[COLAMD_STATUS])));
  }
  return to_permutation(ptr.data(), a.n_rows);
}

}  // namespace

Permutation amd_ordering(const CsrPattern& a) {
  return amd_ordering_with_cost(a).perm;
}

AmdOrder amd_ordering_with_cost(const CsrPattern& a, const ColumnPathRates& rates) {
  if (a.nnz() == 0) return {Permutation::identity(a.n_rows), {}};  // AMD takes no null arrays
  return fits_32_bits(a) ? amd_with<Int>(a, rates) : amd_with<Long>(a, rates);
}

Permutation colamd_ordering(const CsrPattern& a) {
  if (a.nnz() == 0) return Permutation::identity(a.n_rows);
  return fits_32_bits(a) ? colamd_with<Int>(a) : colamd_with<Long>(a);
}

}  // namespace lufact
