// SPDX-License-Identifier: BSD-3-Clause
// Times of the kernels alone, for who tunes them:
//   test_hybrid_lu --gtest_also_run_disabled_tests --gtest_filter='*KernelTimes*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/dense/ours/hybrid_lu.hpp"

namespace lufact::gpu::blocked {
namespace {

class KernelTimes : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!session) return;
    LUFACT_CUDA(cudaEventCreate(&begin_));
    LUFACT_CUDA(cudaEventCreate(&end_));
  }
  void TearDown() override {
    if (!session) return;
    LUFACT_CUDA(cudaEventDestroy(begin_));
    LUFACT_CUDA(cudaEventDestroy(end_));
  }

  // Milliseconds, the least of several.
  template <class Before, class Body>
  double time(const Before& before, const Body& body, int repetitions = 5) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < repetitions; ++k) {
      before();
      session->synchronize();
      LUFACT_CUDA(cudaEventRecord(begin_, session->stream()));
      body();
      LUFACT_CUDA(cudaEventRecord(end_, session->stream()));
      session->synchronize();
      float ms = 0;
      LUFACT_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
      least = std::min(least, double{ms});
    }
    return least;
  }

  // A matrix with a dominant diagonal, and a copy of it.
  template <class T>
  struct Matrix {
    Matrix(DeviceSession& session, Index m, Index n)
        : ld(m),
          given(session, MemoryRole::scratch, Offset{m} * n, "a"),
          now(session, MemoryRole::scratch, Offset{m} * n, "a") {
      std::vector<T> host(at(Offset{m} * n));
      std::uint64_t state = 1;
      for (T& value : host) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        value = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
      }
      given.upload(host);
    }
    void restore(DeviceSession& session) {
      LUFACT_CUDA(cudaMemcpyAsync(now.data(), given.data(), now.bytes(), cudaMemcpyDeviceToDevice,
                                  session.stream()));
    }
    Offset ld;
    Buffer<T> given, now;
  };

  template <class T>
  void panels(Index rows, ArrayPivoting pivoting) {
    const PanelShape shape = panel_shape<T>(*session, pivoting, rows);
    Matrix<T> a(*session, rows, shape.width);
    Buffer<std::int32_t> pivots(*session, MemoryRole::scratch, 64, "p"),
        info(*session, MemoryRole::scratch, 1, "i");
    Buffer<Index> origin(*session, MemoryRole::scratch, 64, "o"),
        destination(*session, MemoryRole::scratch, 64, "d");
    Buffer<PanelMessage> messages(*session, MemoryRole::scratch, 2 * most_panel_blocks, "m");
    Buffer<unsigned> loaded(*session, MemoryRole::scratch, 1, "l");
    loaded.fill_bytes(0);
    Panel<T> panel;
    panel.a = a.now.data();
    panel.ld = a.ld;
    panel.rows = rows;
    panel.columns = std::min<Index>(shape.width, rows);
    panel.info = info.data();
    panel.pivots = pivots.data();
    panel.origin = origin.data();
    panel.destination = destination.data();
    panel.mailbox = {messages.data(), 1};
    panel.loaded = loaded.data();
    const double ms = time(
        [&] {
          a.restore(*session);
          info.fill_bytes(0);
          messages.fill_bytes(0);
        },
        [&] { factor_panel(session->stream(), pivoting, shape, panel); });
    std::printf("panel %s %d x %d, %d rows a thread: %.1f us, %.2f us a pivot\n",
                pivoting == ArrayPivoting::none ? "plain" : "pivoted", rows, panel.columns,
                shape.rows_per_thread, 1e3 * ms, 1e3 * ms / panel.columns);
  }

  template <class T>
  void products(Index m, Index n, Index depth) {
    Matrix<T> left(*session, m, depth), right(*session, depth, n), target(*session, m, n);
    left.restore(*session);
    right.restore(*session);
    const Product<T> product{
        left.now.data(), m, right.now.data(), depth, target.now.data(), m, m, n, depth};
    const double ms = time([&] { target.restore(*session); },
                           [&] { subtract_product(session->stream(), product); });
    std::printf("product %zu bytes %d x %d x %d: %.1f us, %.2f Tflop/s\n", sizeof(T), m, n, depth,
                1e3 * ms, 2e-9 * m * n * depth / ms);
  }

  template <class T>
  void block_rows(Index n, Index depth) {
    Matrix<T> a(*session, n, n);
    BlockRows<T> rows;
    rows.triangle = a.now.data();
    rows.ld = rows.ldx = n;
    rows.x = a.now.data();
    rows.depth = depth;
    rows.solved = {depth, n};
    const double ms = time([&] { a.restore(*session); },
                           [&] { apply_block(session->stream(), Triangle::unit_lower, rows); });
    std::printf("block rows %d deep, %d columns: %.1f us\n", depth, n - depth, 1e3 * ms);
  }

  template <class T>
  void whole(Index n, ArrayPivoting pivoting, int block) {
    const ArrayProblem problem{
        .rows = n,
        .columns = n,
        .ld = n,
        .precision = sizeof(T) == 8 ? Precision::float64 : Precision::float32,
        .pivoting = pivoting};
    Matrix<T> a(*session, n, n);
    Buffer<std::int32_t> pivots(*session, MemoryRole::scratch, n, "p"),
        info(*session, MemoryRole::scratch, 1, "i");
    HybridLu<T> lu(*session, problem, block);
    const ArrayOperands operands{
        .a = a.now.data(), .result = a.now.data(), .pivots = pivots.data(), .info = info.data()};
    const double ms = time([&] { a.restore(*session); }, [&] { lu.run(operands); });
    std::printf("lu %zu bytes %s n %d block %d: %.3f ms, %.2f us a column, %.2f Tflop/s\n",
                sizeof(T), pivoting == ArrayPivoting::none ? "plain" : "pivoted", n, block, ms,
                1e3 * ms / n, 2e-9 / 3 * n * n * n / ms);
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

TEST_F(KernelTimes, DISABLED_All) {
  for (const Index rows : {64, 256, 512, 1000, 2048, 4096, 8192, 16384, 60000, 1'000'000}) {
    panels<double>(rows, ArrayPivoting::partial);
  }
  for (const Index rows : {64, 1000, 4096, 16384}) panels<double>(rows, ArrayPivoting::none);
  for (const Index depth : {32, 64, 128, 256, 512}) products<double>(8192, 8192, depth);
  for (const Index depth : {32, 64, 128}) products<double>(1000, 32, depth);
  for (const Index depth : {32, 128}) products<float>(8192, 8192, depth);
  for (const Index depth : {32, 64, 128}) block_rows<double>(256, depth);
  for (const Index depth : {32, 64, 128}) block_rows<double>(8192, depth);
  for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
    for (const Index n : {256, 512, 1000, 2048, 4096, 8192, 16384}) {
      for (const int block : {32, 64, 128, 256}) {
        if (n <= 4096 || block >= 128) whole<double>(n, pivoting, block);
      }
      whole<float>(n, pivoting, n <= 4096 ? 64 : 256);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu::blocked
