// SPDX-License-Identifier: BSD-3-Clause
// KLU of a matrix that is given by rows, with its factors by rows too, as solvers on a device take
// them. To KLU the arrays are those of the transpose by columns; nothing is transposed.
#pragma once
#include "baselines/peers/plugins/klu_objects.hpp"

namespace lufact::peers {

// P A Q = L U, in terms of entries: A(p[i], q[j]) = sum over k of L(i, k) U(k, j). L has a unit
// diagonal, which is stored; columns ascend in every row.
struct RowFactors {
  std::vector<int> l_rows, l_columns, u_rows, u_columns;
  std::vector<double> l_values, u_values;
  std::vector<int> p, q;
};

// One diagonal block and no scaling, since the factors are to be those of A itself.
class KluByRow {
 public:
  KluByRow() {
    klu_.common.btf = 0;
    klu_.common.scale = -1;
  }

  // `columns` must stay as it is until clear().
  void set_pattern(std::int32_t n, const std::int64_t* offsets, const std::int32_t* columns) {
    clear();
    n_ = n;
    rows_ = narrow_offsets(n, offsets);
    columns_ = columns;
  }

  // KLU declares its inputs without const and does not write to them.
  void analyze() {
    klu_.symbolic = klu_analyze(n_, rows_.data(), const_cast<int*>(columns_), &klu_.common);
    if (klu_.symbolic == nullptr) klu_.fail("klu_analyze");
  }
  void factor(const double* values) {
    klu_.numeric = klu_factor(rows_.data(), const_cast<int*>(columns_), const_cast<double*>(values),
                              klu_.symbolic, &klu_.common);
    if (klu_.numeric == nullptr) klu_.fail("klu_factor");
  }
  // x: n x rhs, by columns; the right-hand sides on entry.
  void solve(std::int32_t rhs, double* x) {
    if (klu_tsolve(klu_.symbolic, klu_.numeric, n_, rhs, x, &klu_.common) == 0) {
      klu_.fail("klu_tsolve");
    }
  }

  // With K the transpose of A, KLU has K(pk[i], qk[j]) = sum of Lk(i, k) Uk(k, j), so that
  // A(qk[i], pk[j]) = sum of Uk(k, i) Lk(j, k). The columns of Uk are the rows of a lower factor
  // whose diagonal d is not one: L(i, k) = Uk(k, i) / d(k), U(k, j) = d(k) Lk(j, k).
  RowFactors factors() {
    if (klu_sort(klu_.symbolic, klu_.numeric, &klu_.common) == 0) klu_.fail("klu_sort");
    RowFactors f;
    const auto size = static_cast<std::size_t>(n_);
    f.l_rows.resize(size + 1);
    f.u_rows.resize(size + 1);
    f.p.resize(size);
    f.q.resize(size);
    f.l_columns.resize(static_cast<std::size_t>(klu_.numeric->unz));
    f.l_values.resize(f.l_columns.size());
    f.u_columns.resize(static_cast<std::size_t>(klu_.numeric->lnz));
    f.u_values.resize(f.u_columns.size());
    if (klu_extract(klu_.numeric, klu_.symbolic, f.u_rows.data(), f.u_columns.data(),
                    f.u_values.data(), f.l_rows.data(), f.l_columns.data(), f.l_values.data(),
                    nullptr, nullptr, nullptr, f.q.data(), f.p.data(), nullptr, nullptr,
                    &klu_.common) == 0) {
      klu_.fail("klu_extract");
    }
    move_diagonal(f);
    return f;
  }

  // Of A's factors: the strictly lower part, and the upper with its diagonal.
  std::int64_t nnz_l() const {
    return klu_.numeric == nullptr ? -1 : std::int64_t{klu_.numeric->unz} - n_;
  }
  std::int64_t nnz_u() const {
    return klu_.numeric == nullptr ? -1 : std::int64_t{klu_.numeric->lnz};
  }
  double flops() { return klu_.flops(); }
  int* row_offsets() noexcept { return rows_.data(); }

  void clear() noexcept { klu_.clear(); }

 private:
  void move_diagonal(RowFactors& f) const {
    std::vector<double> diagonal(f.p.size());
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      diagonal[i] = f.l_values[static_cast<std::size_t>(f.l_rows[i + 1]) - 1];
    }
    for (std::size_t q = 0; q < f.l_values.size(); ++q) {
      f.l_values[q] /= diagonal[static_cast<std::size_t>(f.l_columns[q])];
    }
    for (std::size_t k = 0; k < diagonal.size(); ++k) {
      for (int q = f.u_rows[k]; q < f.u_rows[k + 1]; ++q) {
        f.u_values[static_cast<std::size_t>(q)] *= diagonal[k];
      }
    }
  }

  KluObjects klu_{"row"};
  std::int32_t n_ = 0;
  std::vector<int> rows_;
  const std::int32_t* columns_ = nullptr;
};

}  // namespace lufact::peers
