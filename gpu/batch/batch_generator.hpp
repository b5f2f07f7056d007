// SPDX-License-Identifier: BSD-3-Clause
// Makes the arrays of a batch on the device, with the bits that they have on the host.
#pragma once
#include <cstdint>

#include "core/array/array_problem.hpp"
#include "core/batch/batch_entry.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// What says which matrices they are; see BatchGroup.
struct BatchSource {
  Index n = 1;
  std::uint64_t seed = 1;
  BatchKind kind = BatchKind::random;  // where none are given
  const double* given = nullptr;       // on the device: n x n by columns, one after the other
  Offset given_count = 0;
};

// An array of matrices with n rows in the memory of the device: operands `a`, `result` or `b`.
struct BatchPlaces {
  void* base = nullptr;  // of entries, or of addresses
  ArrayLayout layout = ArrayLayout::contiguous;
  Precision precision = Precision::float64;
  Offset count = 0;
  Index columns = 1;
  Index ld = 1;
};

// Writes all entries of `source` to `a`; rows behind the n of a matrix are left alone.
void fill_matrices(DeviceSession& session, const BatchSource& source, const BatchPlaces& a);
void fill_right_hand_sides(DeviceSession& session, const BatchSource& source, const BatchPlaces& b);

// addresses[k]: that of the k-th of `count` matrices of `matrix_bytes` bytes, one after the other
// from `first`, in an order that depends on the seed. Throws
// Error{unsupported, "too_many_matrices"} beyond 3e9 of them.
void fill_addresses(DeviceSession& session, void* first, std::size_t matrix_bytes, Offset count,
                    std::uint64_t seed, void** addresses);

// Entries with a value other than `byte` in all bytes, of rows n to ld - 1 of the matrices.
Offset count_damaged_padding(DeviceSession& session, const BatchPlaces& a, Index n, int byte);
// Bytes other than `byte`.
Offset count_other_bytes(DeviceSession& session, const void* data, std::size_t bytes, int byte);

}  // namespace lufact::gpu
