// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/host_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/matrix/parallel.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/row_labels.hpp"
#include "core/pipeline/transposed.hpp"

namespace lufact {
namespace {

constexpr std::size_t sum_block = 4096;
// Entries of a product with B, or of a relabelled block, that take about 50 us on one core.
constexpr Offset worthwhile_entries = 1 << 16;
constexpr Index columns_together = 8;  // of a product with B

class HostRowLabels final : public RowLabels {
 public:
  explicit HostRowLabels(std::span<const Index> of_rows) : labels(of_rows) {}
  std::span<const Index> labels;
};

std::span<const Index> host(const RowLabels* labels) {
  if (labels == nullptr) return {};
  return dynamic_cast<const HostRowLabels&>(*labels).labels;
}

HostVectorBlock& host(VectorBlock& block) {
  return dynamic_cast<HostVectorBlock&>(block);
}
const HostVectorBlock& host(const VectorBlock& block) {
  return dynamic_cast<const HostVectorBlock&>(block);
}

// NaN counts as infinity, so that it is never lost in a maximum.
double magnitude(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : std::abs(value);
}

double largest(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result = std::max(result, magnitude(value));
  return result;
}

double column_backward_error(double matrix_norm, std::span<const double> x,
                             std::span<const double> b, std::span<const double> r) {
  const double residual = largest(r);
  const double size = matrix_norm * largest(x) + largest(b);
  if (!std::isfinite(residual) || !std::isfinite(size)) {
    return std::numeric_limits<double>::infinity();
  }
  return residual == 0 ? 0 : residual / size;
}

class HostVectorBackend final : public VectorBackend, public TransposedVectors {
 public:
  explicit HostVectorBackend(int threads) : threads_(std::max(1, threads)) {}
  Side side() const noexcept override { return Side::host; }

  std::unique_ptr<VectorBlock> make(Index rows, Index columns) override {
    return std::make_unique<HostVectorBlock>(rows, columns);
  }
  void set_to_zero(VectorBlock& x) override { std::ranges::fill(host(x).data(), 0.0); }
  std::unique_ptr<RowLabels> keep_labels(std::span<const Index> labels) override {
    return std::make_unique<HostRowLabels>(labels);
  }
  void write(HostSpan<const double> from, const RowLabels* labels, VectorBlock& to) override {
    const auto values = host(to).data();
    for_pieces(values.size(), [&](std::size_t first, std::size_t count) {
      gather_rows(from.entries, host(labels), static_cast<Offset>(first),
                  values.subspan(first, count));
    });
  }
  void read(const VectorBlock& from, const RowLabels* labels, HostSpan<double> to) override {
    const auto values = host(from).data();
    for_pieces(values.size(), [&](std::size_t first, std::size_t count) {
      scatter_rows(values.subspan(first, count), host(labels), static_cast<Offset>(first),
                   to.entries);
    });
  }
  void copy(const VectorBlock& from, VectorBlock& to) override {
    const auto values = host(from).data();
    std::copy(values.begin(), values.end(), host(to).data().begin());
  }
  void copy_column(const VectorBlock& from, Index from_column, VectorBlock& to,
                   Index to_column) override {
    const auto values = host(from).column(from_column);
    std::copy(values.begin(), values.end(), host(to).column(to_column).begin());
  }

  void scale_by_rows(const Product& matrix, VectorBlock& x) override {
    scale_by(product_cast<PermutedMatrix>(matrix).row_scale, host(x));
  }
  void scale_by_columns(const Product& matrix, VectorBlock& x) override {
    scale_by(product_cast<PermutedMatrix>(matrix).col_scale, host(x));
  }
  void add_scaled(double alpha, const VectorBlock& x, VectorBlock& y) override {
    const auto from = host(x).data();
    const auto to = host(y).data();
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += alpha * from[k];
  }
  void scale(double alpha, VectorBlock& x) override {
    for (double& value : host(x).data()) value *= alpha;
  }

  double dot(const VectorBlock& x, const VectorBlock& y) override {
    const auto a = host(x).data();
    const auto b = host(y).data();
    double total = 0;
    for (std::size_t begin = 0; begin < a.size(); begin += sum_block) {
      double sum = 0;
      const std::size_t end = std::min(begin + sum_block, a.size());
      for (std::size_t k = begin; k < end; ++k) sum += a[k] * b[k];
      total += sum;
    }
    return total;
  }

  void multiply(const Product& matrix, const VectorBlock& x, VectorBlock& y) override {
    HostVectorBlock& to = host(y);
    for_each_row_product(
        matrix, x, [&to](Index c, std::size_t i, double product) { to.column(c)[i] = product; });
  }
  double residual(const Product& matrix, double matrix_norm, const VectorBlock& x,
                  const VectorBlock& b, VectorBlock& r) override {
    HostVectorBlock& to = host(r);
    const HostVectorBlock& from = host(b);
    for_each_row_product(matrix, x, [&to, &from](Index c, std::size_t i, double product) {
      to.column(c)[i] = from.column(c)[i] - product;
    });
    return backward_error(matrix_norm, host(x), from, to);
  }

  void multiply_transposed(const Product& matrix, const VectorBlock& x, VectorBlock& y) override {
    const auto& b = product_cast<PermutedMatrix>(matrix);
    const Index groups = (x.columns() + columns_together - 1) / columns_together;
    parallel_for(groups, threads_for(b.pattern.nnz() * groups, worthwhile_entries, threads_),
                 [&](Offset group) {
                   const auto first = static_cast<Index>(group) * columns_together;
                   const Index count = std::min(columns_together, x.columns() - first);
                   add_rows(b, host(x), first, count, host(y));
                 });
  }
  double residual_transposed(const Product& matrix, double matrix_norm, const VectorBlock& x,
                             const VectorBlock& b, VectorBlock& r) override {
    multiply_transposed(matrix, x, r);
    const auto from = host(b).data();
    const auto to = host(r).data();
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] - to[k];
    return backward_error(matrix_norm, host(x), host(b), host(r));
  }

 private:
  static double backward_error(double matrix_norm, const HostVectorBlock& x,
                               const HostVectorBlock& b, const HostVectorBlock& r) {
    double worst = 0;
    for (Index c = 0; c < x.columns(); ++c) {
      worst = std::max(worst,
                       column_backward_error(matrix_norm, x.column(c), b.column(c), r.column(c)));
    }
    return worst;
  }

  // Columns first .. first + count - 1 of y := B' x, a row of B after the other on one thread: sums
  // are in the order of rows, whatever the number of threads.
  static void add_rows(const PermutedMatrix& matrix, const HostVectorBlock& x, Index first,
                       Index count, HostVectorBlock& y) {
    for (Index c = first; c < first + count; ++c) std::ranges::fill(y.column(c), 0.0);
    for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
      for (Index c = first; c < first + count; ++c) {
        const double factor = x.column(c)[at(i)];
        double* const sum = y.column(c).data();
        for (Offset p = matrix.pattern.row_ptr[at(i)]; p < matrix.pattern.row_ptr[at(i) + 1]; ++p) {
          sum[matrix.pattern.col_idx[at(p)]] += matrix.values[at(p)] * factor;
        }
      }
    }
  }

  static void scale_by(const std::vector<double>& factors, HostVectorBlock& x) {
    for (Index c = 0; c < x.columns(); ++c) {
      const auto column = x.column(c);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] *= factors[i];
    }
  }

  // Calls work(first, count) for parts of `size` entries.
  template <class Work>
  void for_pieces(std::size_t size, const Work& work) const {
    const std::size_t pieces = (size + sum_block - 1) / sum_block;
    const int threads = threads_for(static_cast<Offset>(size), worthwhile_entries, threads_);
    parallel_for(static_cast<Offset>(pieces), threads, [&](Offset piece) {
      const std::size_t first = static_cast<std::size_t>(piece) * sum_block;
      work(first, std::min(sum_block, size - first));
    });
  }

  // Calls use(c, i, (B x_c)_i) for every row and column; a row is read once for several columns.
  template <class Use>
  void for_each_row_product(const Product& product, const VectorBlock& x, const Use& use) const {
    const auto& matrix = product_cast<PermutedMatrix>(product);
    Index c = 0;
    for (; c + columns_together <= x.columns(); c += columns_together) {
      for_row_products<columns_together>(matrix, host(x), c, use);
    }
    for (; c < x.columns(); ++c) for_row_products<1>(matrix, host(x), c, use);
  }

  template <Index count, class Use>
  void for_row_products(const PermutedMatrix& matrix, const HostVectorBlock& x, Index first,
                        const Use& use) const {
    const int threads = threads_for(matrix.pattern.nnz(), worthwhile_entries, threads_);
    const Index n = matrix.pattern.n_rows;
    const Index* const columns = matrix.pattern.col_idx.data();
    const double* const values = matrix.values.data();
    const double* v[count];
    for (Index s = 0; s < count; ++s) v[s] = x.column(first + s).data();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      double sum[count] = {};
      for (Offset p = matrix.pattern.row_ptr[row]; p < matrix.pattern.row_ptr[row + 1]; ++p) {
        for (Index s = 0; s < count; ++s) sum[s] += values[p] * v[s][columns[p]];
      }
      for (Index s = 0; s < count; ++s) use(first + s, row, sum[s]);
    }
  }

  int threads_;
};

}  // namespace

HostVectorBlock::HostVectorBlock(Index rows, Index columns)
    : rows_(rows),
      columns_(columns),
      values_(checked_bytes(Offset{rows} * columns, sizeof(double)) / sizeof(double), 0.0) {}

std::span<double> HostVectorBlock::column(Index c) noexcept {
  const auto n = static_cast<std::size_t>(rows_);
  return std::span<double>(values_).subspan(static_cast<std::size_t>(c) * n, n);
}

std::span<const double> HostVectorBlock::column(Index c) const noexcept {
  const auto n = static_cast<std::size_t>(rows_);
  return std::span<const double>(values_).subspan(static_cast<std::size_t>(c) * n, n);
}

std::unique_ptr<VectorBackend> make_host_vector_backend(int threads) {
  return std::make_unique<HostVectorBackend>(threads);
}

}  // namespace lufact
