// SPDX-License-Identifier: BSD-3-Clause
// Solutions in double that are refined on the device, with factors in float.
#pragma once
#include <span>
#include <vector>

#include "core/dense/refinement.hpp"
#include "gpu/dense/ours/streams.hpp"
#include "gpu/dense/ours/triangular_solves.hpp"
#include "gpu/dense/ours/vector_kernels.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {

// A x = b in double on the device; vectors of b follow each other.
struct DeviceSystem {
  Index n = 0, columns = 0;
  const double* a = nullptr;
  Offset ld = 0;
  double* b = nullptr;
};

// Work that is put on the session's stream; each call that returns a size waits for it.
class DeviceRefinedColumns final : public RefinedColumns {
 public:
  // Memory for `columns` vectors of length n. Throws Error{oom_device, ...}.
  DeviceRefinedColumns(DeviceSession& session, Index n, Index columns);

  // The solutions so far become zero. `factors`: of `scale` times A, which they do not say; their
  // addresses and those of `system` are the same in every call.
  void begin(const DeviceSystem& system, const FactoredSystem<float>& factors, double scale,
             double matrix_norm);
  // Writes the solutions over b.
  void write_solutions();

  Index order() const override { return n_; }
  Index columns() const override { return columns_; }
  double matrix_norm() const override { return norm_; }
  std::vector<double> right_hand_sides() override;
  std::vector<RefinedSizes> correct(std::span<const Index> columns) override;
  void take(Index column) override;
  // Takes memory for the factors in double and for the vectors when first called. Throws
  // Error{oom_device, ...}.
  bool open_krylov(int most_vectors) override;
  double start_krylov(Index column) override;
  std::vector<double> extend_krylov(int k) override;
  RefinedSizes combine_krylov(Index column, std::span<const double> factors) override;

 private:
  // What GMRES takes beside; the basis is that of -M^-1 A, which is what products give.
  struct Krylov {
    Buffer<double> lu, vectors, work, products;
    Buffer<int> nonfinite;
    FactoredSystem<double> factors;
  };

  cudaStream_t stream() { return session_.stream(); }
  Buffer<double> vectors(Index columns, std::string_view what);
  double* vector(int k) { return krylov_.vectors.data() + Offset{k} * n_; }
  RefinementStep step(Index columns);
  void set_list(std::span<const Index> columns);
  void solve_corrections(Index columns);
  std::vector<RefinedSizes> measure_candidates(Index columns);
  void precondition_with(double* x);
  void add_vector(int k, double length);

  DeviceSession& session_;
  const Index n_, columns_;
  Buffer<double> x_, residual_, candidate_, left_, size_, sizes_;
  Buffer<float> correction_;
  Buffer<Index> list_;
  std::vector<Index> listed_;  // columns that have candidates
  DeviceSystem system_;
  FactoredSystem<float> factors_;
  double scale_ = 1, norm_ = 0;
  RecordedWork solution_;  // of recorded_ columns of correction_
  Index recorded_ = 0;
  Krylov krylov_;
};

}  // namespace lufact::gpu::blocked
