// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/btf_ordering.hpp"

#include <btf.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/order/suitesparse_orderings.hpp"

namespace lufact {
namespace {

using Long = SuiteSparse_long;

int call_btf(int n, int* ptr, int* idx, int* perm, int* blocks, int* work) {
  return btf_strongcomp(n, ptr, idx, nullptr, perm, blocks, work);
}
Long call_btf(Long n, Long* ptr, Long* idx, Long* perm, Long* blocks, Long* work) {
  return btf_l_strongcomp(n, ptr, idx, nullptr, perm, blocks, work);
}

// BTF reads columns, and our rows are the columns of A': its form of A' is block upper triangular,
// so that of A is lower, and the blocks in reverse order make it upper.
template <class T>
BlockTriangularForm strong_components(const CsrPattern& a) {
  const auto n = static_cast<std::size_t>(a.n_rows);
  std::vector<T> ptr(a.row_ptr.begin(), a.row_ptr.end());
  std::vector<T> idx(a.col_idx.begin(), a.col_idx.end());
  std::vector<T> perm(n), starts(n + 1), work(4 * n);
  const T blocks = call_btf(static_cast<T>(a.n_rows), ptr.data(), idx.data(), perm.data(),
                            starts.data(), work.data());
  BlockTriangularForm form;
  std::vector<Index> old_of_new;
  old_of_new.reserve(n);
  for (T b = blocks - 1; b >= 0; --b) {
    for (T k = starts[b]; k < starts[b + 1]; ++k) old_of_new.push_back(static_cast<Index>(perm[k]));
    form.block_ptr.push_back(static_cast<Index>(old_of_new.size()));
  }
  form.perm = Permutation::from_old_of_new(std::move(old_of_new));
  return form;
}

// The pattern of one diagonal block of the permuted matrix, columns ascending in A's order.
CsrPattern diagonal_block(const CsrPattern& a, std::span<const Index> members,
                          std::span<const Index> local_label, Index first_label) {
  CsrPattern block;
  block.n_rows = block.n_cols = static_cast<Index>(members.size());
  for (const Index i : members) {
    for (const Index j : a.row(i)) {
      const Index local = local_label[j] - first_label;
      if (local >= 0 && local < block.n_cols) block.col_idx.push_back(local);
    }
    block.row_ptr.push_back(static_cast<Offset>(block.col_idx.size()));
  }
  return block;
}

}  // namespace

BlockTriangularForm block_triangular_form(const CsrPattern& a) {
  if (a.n_rows == 0) return {};
  const bool narrow = a.nnz() <= std::numeric_limits<int>::max();
  BlockTriangularForm form = narrow ? strong_components<int>(a) : strong_components<Long>(a);
  // Ascending members keep rows of a block ascending in its own labels.
  std::vector<Index> order(form.perm.old_of_new().begin(), form.perm.old_of_new().end());
  for (std::size_t b = 0; b + 1 < form.block_ptr.size(); ++b) {
    std::sort(order.begin() + form.block_ptr[b], order.begin() + form.block_ptr[b + 1]);
  }
  form.perm = Permutation::from_old_of_new(std::move(order));
  return form;
}

BlockTriangularForm btf_amd_ordering(const CsrPattern& a) {
  BlockTriangularForm form = block_triangular_form(a);
  const auto labels = form.perm.old_of_new();
  std::vector<Index> order(labels.begin(), labels.end());
  for (std::size_t b = 0; b + 1 < form.block_ptr.size(); ++b) {
    const Index first = form.block_ptr[b];
    const Index size = form.block_ptr[b + 1] - first;
    if (size < 3) continue;  // every order of a block of 1 or 2 is as good
    const auto members = labels.subspan(first, size);
    const Permutation inside =
        amd_ordering(diagonal_block(a, members, form.perm.new_of_old(), first));
    for (Index k = 0; k < size; ++k) order[first + k] = members[inside.old_of_new()[k]];
  }
  form.perm = Permutation::from_old_of_new(std::move(order));
  return form;
}

}  // namespace lufact
