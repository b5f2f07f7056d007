// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "core/pipeline/queued_work.hpp"
#include "core/pipeline/transposed.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/launch.cuh"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/solve/reductions.hpp"
#include "gpu/solve/row_labels.hpp"
#include "gpu/solve/row_products.hpp"
#include "gpu/solve/transposed_rows.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// All three kernels: one thread per entry.
__global__ void scale_by_kernel(const double* factors, Index rows, Offset size, double* x) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < size) x[i] *= factors[i % rows];
}
__global__ void add_scaled_kernel(double alpha, const double* x, Offset size, double* y) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < size) y[i] += alpha * x[i];
}
__global__ void scale_kernel(double alpha, Offset size, double* x) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < size) x[i] *= alpha;
}

LaunchShape thread_per_entry(Offset size) {
  return {ceil_div(size, threads), threads};
}

// Whether a kernel reads or writes page-locked memory of the host in place. For more a copy, which
// has the link to itself, and a kernel on the device's memory are quicker.
bool goes_in_place(const DeviceVectorBlock& block, bool page_locked) {
  constexpr Offset most = (Offset{1} << 20) / Offset{sizeof(double)};
  return page_locked && block.size() <= most;
}

void require_same_size(Offset a, Offset b) {
  if (a != b) throw std::logic_error("vector blocks of different sizes");
}

class DeviceVectorBackend final : public VectorBackend,
                                  public QueuedVectors,
                                  public TransposedVectors {
 public:
  explicit DeviceVectorBackend(DeviceSession& session)
      : session_(session), reductions_(session), residuals_(session), transposed_(session) {}
  Side side() const noexcept override { return Side::device; }

  std::unique_ptr<VectorBlock> make(Index rows, Index columns) override {
    return std::make_unique<DeviceVectorBlock>(session_, rows, columns);
  }
  void set_to_zero(VectorBlock& x) override {
    auto& block = device_block(x);
    if (block.size() == 0) return;
    LUFACT_CUDA(cudaMemsetAsync(block.data(), 0, checked_bytes(block.size(), sizeof(double)),
                                session_.stream()));
  }
  std::unique_ptr<RowLabels> keep_labels(std::span<const Index> labels) override {
    return std::make_unique<DeviceRowLabels>(session_, labels);
  }
  void write(HostSpan<const double> from, const RowLabels* labels, VectorBlock& to) override {
    DeviceVectorBlock& block = device_block(to);
    require_same_size(static_cast<Offset>(from.entries.size()), block.size());
    if (labels == nullptr) return session_.copy_to_device(block.data(), from);
    const DeviceRowLabels& kept = labels_of(*labels, block);
    if (goes_in_place(block, from.page_locked)) {
      return kept.gather(session_.read_in_place(from), block.columns(), block.data());
    }
    Buffer<double> given = other_order(block);
    session_.copy_to_device(given.data(), from);
    kept.gather(given.data(), block.columns(), block.data());
  }
  void read(const VectorBlock& from, const RowLabels* labels, HostSpan<double> to) override {
    const DeviceVectorBlock& block = device_block(from);
    require_same_size(block.size(), static_cast<Offset>(to.entries.size()));
    if (labels == nullptr) return session_.copy_to_host(to, block.data());
    const DeviceRowLabels& kept = labels_of(*labels, block);
    if (goes_in_place(block, to.page_locked)) {
      return kept.scatter(block.data(), block.columns(), session_.write_in_place(to));
    }
    Buffer<double> wanted = other_order(block);
    kept.scatter(block.data(), block.columns(), wanted.data());
    session_.copy_to_host(to, wanted.data());
  }
  void copy(const VectorBlock& from, VectorBlock& to) override {
    require_same_size(device_block(from).size(), device_block(to).size());
    copy_entries(device_block(from).data(), device_block(to).data(), device_block(to).size());
  }
  void copy_column(const VectorBlock& from, Index from_column, VectorBlock& to,
                   Index to_column) override {
    require_same_size(from.rows(), to.rows());
    copy_entries(device_block(from).column(from_column), device_block(to).column(to_column),
                 to.rows());
  }

  void scale_by_rows(const Product& matrix, VectorBlock& x) override {
    scale_by(product_cast<DevicePermutedMatrix>(matrix).row_scale, device_block(x));
  }
  void scale_by_columns(const Product& matrix, VectorBlock& x) override {
    scale_by(product_cast<DevicePermutedMatrix>(matrix).col_scale, device_block(x));
  }
  void add_scaled(double alpha, const VectorBlock& x, VectorBlock& y) override {
    auto& to = device_block(y);
    require_same_size(device_block(x).size(), to.size());
    launch(session_, thread_per_entry(to.size()), add_scaled_kernel, alpha, device_block(x).data(),
           to.size(), to.data());
  }
  void scale(double alpha, VectorBlock& x) override {
    auto& block = device_block(x);
    launch(session_, thread_per_entry(block.size()), scale_kernel, alpha, block.size(),
           block.data());
  }

  double dot(const VectorBlock& x, const VectorBlock& y) override {
    require_same_size(device_block(x).size(), device_block(y).size());
    return reductions_.dot(device_block(x).data(), device_block(y).data(), device_block(x).size());
  }

  void multiply(const Product& matrix, const VectorBlock& x, VectorBlock& y) override {
    const DevicePermutedMatrix& factor = fitting(matrix, x, y);
    multiply_rows(session_, rows_of(factor), device_block(x).data(), device_block(y).data(),
                  x.columns());
  }
  double residual(const Product& matrix, double matrix_norm, const VectorBlock& x,
                  const VectorBlock& b, VectorBlock& r) override {
    const DevicePermutedMatrix& factor = fitting(matrix, x, r);
    require_same_size(device_block(b).size(), device_block(r).size());
    return residuals_.run(rows_of(factor), matrix_norm, device_block(x).data(),
                          device_block(b).data(), device_block(r).data(), x.columns());
  }
  void multiply_transposed(const Product& matrix, const VectorBlock& x, VectorBlock& y) override {
    const DevicePermutedMatrix& factor = fitting(matrix, x, y);
    multiply_rows(session_, transposed_.of(factor), device_block(x).data(), device_block(y).data(),
                  x.columns());
  }
  double residual_transposed(const Product& matrix, double matrix_norm, const VectorBlock& x,
                             const VectorBlock& b, VectorBlock& r) override {
    const DevicePermutedMatrix& factor = fitting(matrix, x, r);
    require_same_size(device_block(b).size(), device_block(r).size());
    return residuals_.run(transposed_.of(factor), matrix_norm, device_block(x).data(),
                          device_block(b).data(), device_block(r).data(), x.columns());
  }

  void queue_residual(const Product& matrix, double matrix_norm, const VectorBlock& x,
                      const VectorBlock& b, VectorBlock& r) override {
    const DevicePermutedMatrix& factor = fitting(matrix, x, r);
    require_same_size(device_block(b).size(), device_block(r).size());
    residuals_.queue(rows_of(factor), matrix_norm, device_block(x).data(), device_block(b).data(),
                     device_block(r).data(), x.columns());
  }
  void queue_residual_transposed(const Product& matrix, double matrix_norm, const VectorBlock& x,
                                 const VectorBlock& b, VectorBlock& r) override {
    const DevicePermutedMatrix& factor = fitting(matrix, x, r);
    require_same_size(device_block(b).size(), device_block(r).size());
    residuals_.queue(transposed_.of(factor), matrix_norm, device_block(x).data(),
                     device_block(b).data(), device_block(r).data(), x.columns());
  }
  double queued_residual() override { return residuals_.take(); }
  void write_from(const VectorBlock& from, const RowLabels& labels, VectorBlock& to) override {
    require_same_size(device_block(from).size(), device_block(to).size());
    labels_of(labels, device_block(to))
        .gather(device_block(from).data(), to.columns(), device_block(to).data());
  }
  void read_to(const VectorBlock& from, const RowLabels& labels, VectorBlock& to) override {
    require_same_size(device_block(from).size(), device_block(to).size());
    labels_of(labels, device_block(from))
        .scatter(device_block(from).data(), from.columns(), device_block(to).data());
  }

 private:
  static const DeviceRowLabels& labels_of(const RowLabels& labels, const VectorBlock& block) {
    const auto& kept = dynamic_cast<const DeviceRowLabels&>(labels);
    require_same_size(kept.rows(), block.rows());
    return kept;
  }
  Buffer<double> other_order(const DeviceVectorBlock& block) const {
    return {session_, MemoryRole::scratch, block.size(), "a block of vectors in the host's order"};
  }
  void copy_entries(const double* from, double* to, Offset size) {
    if (size == 0) return;
    LUFACT_CUDA(cudaMemcpyAsync(to, from, checked_bytes(size, sizeof(double)),
                                cudaMemcpyDeviceToDevice, session_.stream()));
  }
  void scale_by(const SharedBuffer<double>& factors, DeviceVectorBlock& x) {
    require_same_size(factors.size(), x.rows());
    launch(session_, thread_per_entry(x.size()), scale_by_kernel, factors.data(), x.rows(),
           x.size(), x.data());
  }
  // The matrix, to be multiplied by x.
  static const DevicePermutedMatrix& fitting(const Product& product, const VectorBlock& x,
                                             const VectorBlock& y) {
    const auto& matrix = product_cast<DevicePermutedMatrix>(product);
    require_same_size(x.rows(), matrix.n);
    require_same_size(device_block(x).size(), device_block(y).size());
    return matrix;
  }

  DeviceSession& session_;
  Reductions reductions_;
  ResidualRows residuals_;
  TransposedRows transposed_;
};

}  // namespace

std::unique_ptr<VectorBackend> make_device_vector_backend(DeviceSession& session) {
  return std::make_unique<DeviceVectorBackend>(session);
}

}  // namespace lufact::gpu
