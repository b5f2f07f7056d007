// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/device_refined_columns.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/dense/ours/product.hpp"

namespace lufact::gpu::blocked {

DeviceRefinedColumns::DeviceRefinedColumns(DeviceSession& session, Index n, Index columns)
    : session_(session),
      n_(n),
      columns_(columns),
      x_(vectors(columns, "solutions so far")),
      residual_(vectors(columns, "their residuals")),
      candidate_(vectors(columns, "corrected solutions")),
      left_(vectors(columns, "residuals of these")),
      size_(session, MemoryRole::scratch, columns, "sizes of residuals"),
      sizes_(session, MemoryRole::scratch, Offset{2} * columns, "sizes of candidates"),
      correction_(session, MemoryRole::scratch, Offset{n} * columns, "corrections"),
      list_(session, MemoryRole::scratch, columns, "columns that are corrected") {}

Buffer<double> DeviceRefinedColumns::vectors(Index columns, std::string_view what) {
  return {session_, MemoryRole::scratch, Offset{n_} * columns, what};
}

void DeviceRefinedColumns::begin(const DeviceSystem& system, const FactoredSystem<float>& factors,
                                 double scale, double matrix_norm) {
  system_ = system;
  factors_ = factors;
  scale_ = scale;
  norm_ = matrix_norm;
  x_.fill_bytes(0);
  LUFACT_CUDA(cudaMemcpyAsync(residual_.data(), system.b, residual_.bytes(),
                              cudaMemcpyDeviceToDevice, stream()));
}
void DeviceRefinedColumns::write_solutions() {
  LUFACT_CUDA(
      cudaMemcpyAsync(system_.b, x_.data(), x_.bytes(), cudaMemcpyDeviceToDevice, stream()));
}

std::vector<double> DeviceRefinedColumns::right_hand_sides() {
  largest_magnitudes(stream(), system_.b, n_, columns_, sizes_.data());
  return sizes_.download(columns_);
}

RefinementStep DeviceRefinedColumns::step(Index columns) {
  return {.n = n_,
          .columns = columns,
          .list = list_.data(),
          .x = x_.data(),
          .residual = residual_.data(),
          .b = system_.b,
          .size = size_.data(),
          .correction = correction_.data(),
          .candidate = candidate_.data(),
          .left = left_.data()};
}

void DeviceRefinedColumns::set_list(std::span<const Index> columns) {
  if (std::ranges::equal(columns, listed_)) return;
  listed_.assign(columns.begin(), columns.end());
  list_.upload(listed_);
}

std::vector<RefinedSizes> DeviceRefinedColumns::correct(std::span<const Index> open) {
  const auto count = static_cast<Index>(open.size());
  set_list(open);
  scale_residuals(stream(), step(count));
  solve_corrections(count);
  add_corrections(stream(), step(count), scale_);
  return measure_candidates(count);
}

// A solution is some hundreds of small kernels, one after the other.
void DeviceRefinedColumns::solve_corrections(Index columns) {
  if (recorded_ != columns) {
    solution_.record(stream(),
                     [&] { solve_with_factors(stream(), factors_, correction_.data(), columns); });
    recorded_ = columns;
  }
  solution_.launch(stream());
}

// left_ has the right-hand sides.
std::vector<RefinedSizes> DeviceRefinedColumns::measure_candidates(Index columns) {
  subtract_product(stream(), Product<double>{.left = system_.a,
                                             .ld_left = system_.ld,
                                             .right = candidate_.data(),
                                             .ld_right = n_,
                                             .target = left_.data(),
                                             .ld_target = n_,
                                             .rows = n_,
                                             .columns = columns,
                                             .depth = n_});
  largest_magnitudes(stream(), candidate_.data(), n_, columns, sizes_.data());
  largest_magnitudes(stream(), left_.data(), n_, columns, sizes_.data() + columns);
  const std::vector<double> largest = sizes_.download(Offset{2} * columns);
  std::vector<RefinedSizes> sizes(at(columns));
  for (Index k = 0; k < columns; ++k) sizes[at(k)] = {largest[at(k)], largest[at(columns + k)]};
  return sizes;
}

void DeviceRefinedColumns::take(Index column) {
  const auto place = std::ranges::find(listed_, column) - listed_.begin();
  const std::size_t bytes = at(n_) * sizeof(double);
  const auto copy = [&](Buffer<double>& to, const Buffer<double>& from) {
    LUFACT_CUDA(cudaMemcpyAsync(to.data() + Offset{column} * n_, from.data() + place * n_, bytes,
                                cudaMemcpyDeviceToDevice, stream()));
  };
  copy(x_, candidate_);
  copy(residual_, left_);
}

bool DeviceRefinedColumns::open_krylov(int most_vectors) {
  if (krylov_.lu.size() == 0) {
    krylov_.lu = {session_, MemoryRole::scratch, factors_.ld * n_, "factors in double"};
    krylov_.vectors = vectors(most_vectors, "the basis of a Krylov space");
    krylov_.work = vectors(1, "a vector of GMRES");
    krylov_.products = {session_, MemoryRole::scratch, Offset{2} * most_vectors + 1,
                        "products of vectors"};
    krylov_.nonfinite = {session_, MemoryRole::scratch, 1, "whether factors are not finite"};
  }
  widen_matrix(stream(), factors_.lu, factors_.ld, krylov_.lu.data(), factors_.ld, n_,
               krylov_.nonfinite.data());
  krylov_.factors = {.lu = krylov_.lu.data(), .ld = factors_.ld, .n = n_};
  krylov_.factors.origin = factors_.origin;
  krylov_.factors.destination = factors_.destination;
  krylov_.factors.list = factors_.list;
  krylov_.factors.info = factors_.info;
  return read_value(session_, krylov_.nonfinite.data()) == 0;
}

void DeviceRefinedColumns::precondition_with(double* x) {
  solve_with_factors(stream(), krylov_.factors, x, 1);
}

// Of what is in `work`.
void DeviceRefinedColumns::add_vector(int k, double length) {
  scale_vector(stream(), krylov_.work.data(), length > 0 ? 1 / length : 1, n_, vector(k));
}

double DeviceRefinedColumns::start_krylov(Index column) {
  scale_vector(stream(), residual_.data() + Offset{column} * n_, -1, n_, krylov_.work.data());
  precondition_with(krylov_.work.data());
  multiply_vectors(stream(), krylov_.work.data(), n_, 1, krylov_.work.data(),
                   krylov_.products.data());
  const double size = std::sqrt(read_value(session_, krylov_.products.data()));
  add_vector(0, size);
  return size;
}

// Classical Gram-Schmidt, twice: as good as the modified one (Giraud and others, Numer. Math. 101,
// 2005), and all products of a round are one kernel.
std::vector<double> DeviceRefinedColumns::extend_krylov(int k) {
  const int count = k + 1;
  double* const work = krylov_.work.data();
  double* const products = krylov_.products.data();
  krylov_.work.fill_bytes(0);
  subtract_product(stream(), Product<double>{.left = system_.a,
                                             .ld_left = system_.ld,
                                             .right = vector(k),
                                             .ld_right = n_,
                                             .target = work,
                                             .ld_target = n_,
                                             .rows = n_,
                                             .columns = 1,
                                             .depth = n_});
  precondition_with(work);
  for (const int round : {0, 1}) {
    multiply_vectors(stream(), vector(0), n_, count, work, products + Offset{round} * count);
    subtract_vectors(stream(), vector(0), n_, count, products + Offset{round} * count, work);
  }
  multiply_vectors(stream(), work, n_, 1, work, products + Offset{2} * count);
  const std::vector<double> found = krylov_.products.download(Offset{2} * count + 1);
  std::vector<double> h(found.begin(), found.begin() + count);
  for (int j = 0; j < count; ++j) h[at(j)] += found[at(count + j)];
  h.push_back(std::sqrt(found.back()));
  if (h.back() > 0) add_vector(count, h.back());
  return h;
}

RefinedSizes DeviceRefinedColumns::combine_krylov(Index column, std::span<const double> factors) {
  set_list(std::span(&column, 1));
  const Offset first = Offset{column} * n_;
  const std::size_t bytes = at(n_) * sizeof(double);
  const auto copy = [&](Buffer<double>& to, const double* from) {
    LUFACT_CUDA(cudaMemcpyAsync(to.data(), from, bytes, cudaMemcpyDeviceToDevice, stream()));
  };
  copy(candidate_, x_.data() + first);
  copy(left_, system_.b + first);
  std::vector<double> negative(factors.begin(), factors.end());
  for (double& factor : negative) factor = -factor;
  krylov_.products.upload(negative);
  subtract_vectors(stream(), vector(0), n_, static_cast<int>(factors.size()),
                   krylov_.products.data(), candidate_.data());
  return measure_candidates(1).front();
}

}  // namespace lufact::gpu::blocked
