// SPDX-License-Identifier: BSD-3-Clause
// The same operations on vectors of the device and of the host.
#pragma once
#include "core/columns/host_vectors.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/solve/test/device_problem.hpp"

namespace lufact::gpu::testing_support {

inline std::vector<double> random_values(std::size_t size, std::uint64_t seed) {
  std::vector<double> values(size);
  for (std::size_t k = 0; k < size; ++k) values[k] = symmetric_interval(hash64(seed, k));
  return values;
}

// The same operations on both sides.
struct BothSides {
  BothSides(DeviceSession& session, const HostProblem& from)
      : problem(from),
        device_matrix(upload(session, from.matrix)),
        device(make_device_vector_backend(session)),
        host(make_host_vector_backend(1)) {}

  Index n() const { return problem.matrix.pattern.n_rows; }

  // Runs `work(backend, matrix, x, y)` on two seeded blocks on each side and compares both after.
  template <class Work>
  void check(Index columns, const Work& work) const {
    const auto size = static_cast<std::size_t>(n()) * static_cast<std::size_t>(columns);
    std::vector<std::vector<double>> results;
    for (const bool on_device : {true, false}) {
      VectorBackend& backend = on_device ? *device : *host;
      const Product& matrix = on_device ? static_cast<const Product&>(*device_matrix)
                                        : static_cast<const Product&>(problem.matrix);
      const auto x = backend.make(n(), columns);
      const auto y = backend.make(n(), columns);
      backend.write(random_values(size, 1), *x);
      backend.write(random_values(size, 2), *y);
      work(backend, matrix, *x, *y);
      for (const VectorBlock* block : {x.get(), y.get()}) {
        results.emplace_back(size);
        backend.read(*block, results.back());
      }
    }
    for (std::size_t k = 0; k < size; ++k) {
      ASSERT_NEAR(results[0][k], results[2][k], 1e-12) << "x, entry " << k;
      ASSERT_NEAR(results[1][k], results[3][k], 1e-12) << "y, entry " << k;
    }
  }

  const HostProblem& problem;
  // On the device, of columns one after another.
  std::unique_ptr<VectorBlock> block(const std::vector<double>& values) const {
    auto result =
        device->make(n(), static_cast<Index>(values.size() / static_cast<std::size_t>(n())));
    device->write(values, *result);
    return result;
  }

  std::shared_ptr<DevicePermutedMatrix> device_matrix;
  std::unique_ptr<VectorBackend> device, host;
};

// y -= B x.
inline void make_residual(VectorBackend& vectors, const Product& matrix, VectorBlock& x,
                          VectorBlock& y) {
  const auto r = vectors.make(x.rows(), x.columns());
  vectors.residual(matrix, 1, x, y, *r);
  vectors.copy(*r, y);
}

}  // namespace lufact::gpu::testing_support
