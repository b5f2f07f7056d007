// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/dense_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"
#include "core/dense/market_array.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

[[noreturn]] void refuse_input(std::string_view text) {
  throw UsageError(
      fmt::format("--input {}: accepted: {}", text, fmt::join(accepted_dense_inputs(), ", ")));
}

bool names_market_file(std::string_view text) {
  for (const std::string_view ending : {".mtx", ".mtx.gz", ".mtx.xz", ".tar.gz"}) {
    if (text.size() > ending.size() && text.ends_with(ending)) return true;
  }
  return false;
}

void check_column(const DenseInputRequest& request, const DenseKindName& name) {
  const bool minor = name.kind == DenseKind::zero_minor;
  if (!minor && name.kind != DenseKind::singular) return;
  // The last minor of a square matrix is the matrix itself, which no exchange saves.
  const Index last = std::min(minor ? request.m - 1 : request.m, request.n);
  if (name.column <= last) return;
  throw UsageError(
      fmt::format("--input {}: a matrix of {} x {} has columns from 1 to {} for that; accepted: {}",
                  request.input, request.m, request.n, last,
                  last < 1 ? "a larger matrix" : fmt::format("1 to {}", last)));
}

// Uniform in the cube, then of length 1.
std::vector<double> unit_vector(Index size, std::uint64_t seed, Index which) {
  std::vector<double> vector(at(size));
  double square = 0;
  for (Index i = 0; i < size; ++i) {
    vector[at(i)] = symmetric_interval(dense_bits(DenseUse::vector, seed, i, which));
    square = std::fma(vector[at(i)], vector[at(i)], square);
  }
  const double length = std::sqrt(square);
  for (double& value : vector) value /= length;
  return vector;
}

GivenDense made_dense(const CsrMatrix& sparse) {
  const Index n = sparse.pattern.n_rows;
  GivenDense dense{.m = n, .n = n};
  dense.values.resize(checked_bytes(Offset{n} * n, sizeof(double)) / sizeof(double));
  std::fill(dense.values.begin(), dense.values.end(), 0.0);
  for (Index i = 0; i < n; ++i) {
    const auto columns = sparse.pattern.row(i);
    const auto values = sparse.row_values(i);
    for (std::size_t p = 0; p < columns.size(); ++p) {
      dense.values[at(Offset{columns[p]} * n + i)] = values[p];
    }
  }
  return dense;
}

GivenDense read_market(const std::string& path, int threads) {
  if (std::optional<GivenDense> array = read_market_array(path)) return *std::move(array);
  ReadOptions reading;
  reading.threads = threads;
  const CsrMatrix sparse = read_matrix(path, reading).matrix;
  if (sparse.pattern.n_rows > largest_dense_order) {
    throw Error(Outcome::unsupported, "too_large",
                fmt::format("{}: order {}; matrices are made dense up to {}", path,
                            sparse.pattern.n_rows, largest_dense_order));
  }
  return made_dense(sparse);
}

GivenDense read_npy_file(const std::string& path) {
  NpyMatrix matrix = read_npy_matrix(path);
  return {.m = matrix.rows, .n = matrix.columns, .values = std::move(matrix.values)};
}

}  // namespace

DenseInputName parse_dense_input(std::string_view text) {
  if (const auto kind = parse_dense_kind(text)) return {.kind = *kind};
  constexpr std::string_view front = "front:";
  // A sweep finds files without their ending, too.
  if (text.starts_with(front) && text.size() > front.size() && !text.ends_with(".npy")) {
    return {.source = DenseSource::front, .path = std::string(text.substr(front.size()))};
  }
  if (text.size() > 4 && text.ends_with(".npy")) {
    return {.source = DenseSource::npy, .path = std::string(text)};
  }
  if (names_market_file(text) && !text.starts_with(front)) {
    return {.source = DenseSource::market, .path = std::string(text)};
  }
  refuse_input(text);
}

std::vector<std::string> accepted_dense_inputs() {
  std::vector<std::string> names;
  for (const std::string_view name : dense_kind_spellings()) names.emplace_back(name);
  for (const char* name : {"FILE.npy", "FILE.mtx", "front:FILE.mtx"}) names.emplace_back(name);
  return names;
}

void check_dense_request(const DenseInputRequest& request) {
  const DenseInputName name = parse_dense_input(request.input);
  if (name.source != DenseSource::kind) {
    if (request.m == 0 && request.n == 0) return;
    throw UsageError(
        fmt::format("--input {}: a file has its own sizes; leave out --n, --rows and "
                    "--columns",
                    request.input));
  }
  if (request.m < 1 || request.n < 1) {
    throw UsageError(
        fmt::format("a matrix of {} x {}; accepted: --n, or --rows and --columns, of 1 "
                    "or more",
                    request.m, request.n));
  }
  if (std::min(request.m, request.n) > largest_dense_order) {
    throw UsageError(fmt::format("a matrix of {} x {}; accepted: the smaller size up to {}",
                                 request.m, request.n, largest_dense_order));
  }
  check_column(request, name.kind);
}

GeneratorFacts dense_generator_facts(const DenseInputRequest& request) {
  return {
      .kind = request.input, .sizes = {{"m", request.m}, {"n", request.n}}, .seed = request.seed};
}

DenseMatrixSource::DenseMatrixSource(const DenseInputRequest& request)
    : generator_{.name = parse_dense_input(request.input).kind,
                 .seed = request.seed,
                 .m = request.m,
                 .n = request.n} {
  if (generator_.name.kind == DenseKind::condition) make_reflected();
}

DenseMatrixSource::DenseMatrixSource(GivenDense given, std::uint64_t seed)
    : generator_{.seed = seed, .m = given.m, .n = given.n}, given_(std::move(given)) {}

void DenseMatrixSource::make_reflected() {
  const Index m = generator_.m, n = generator_.n, order = std::min(m, n);
  u_ = unit_vector(m, generator_.seed, 0);
  v_ = unit_vector(n, generator_.seed, 1);
  left_.assign(at(m), 0.0);
  right_.assign(at(n), 0.0);
  diagonal_.resize(at(order));
  double product = 0;  // u' D v
  for (Index k = 0; k < order; ++k) {
    const double exponent = order == 1 ? 0 : -static_cast<double>(k) / (order - 1);
    const double d = std::pow(generator_.name.condition, exponent);
    diagonal_[at(k)] = d;
    left_[at(k)] = -2 * (d * v_[at(k)]);
    right_[at(k)] = -2 * (d * u_[at(k)]);
    product = std::fma(u_[at(k)], d * v_[at(k)], product);
  }
  for (Index j = 0; j < n; ++j) right_[at(j)] = std::fma(4 * product, v_[at(j)], right_[at(j)]);
  generator_.reflected = {diagonal_.data(), u_.data(), left_.data(), v_.data(), right_.data()};
}

void DenseMatrixSource::column(Index j, double* to) const {
  if (given_) {
    const double* from = given_->values.data() + Offset{j} * given_->m;
    std::copy(from, from + given_->m, to);
    return;
  }
  for (Index i = 0; i < generator_.m; ++i) to[i] = dense_entry(generator_, i, j);
}

GivenDense read_dense_file(const DenseInputName& name, int threads) {
  return name.source == DenseSource::npy ? read_npy_file(name.path)
                                         : read_market(name.path, threads);
}

}  // namespace lufact
