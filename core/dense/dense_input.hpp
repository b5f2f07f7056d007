// SPDX-License-Identifier: BSD-3-Clause
// The matrix of a run of `lufact dense`: what --input may name, and what is made of it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/dense/dense_entry.hpp"
#include "core/matrix/facts.hpp"

namespace lufact {

// The largest order; one dimension alone may be larger.
inline constexpr Index largest_dense_order = 65536;

enum class DenseSource {
  kind,    // see DenseKind
  npy,     // FILE.npy, m x n
  market,  // FILE.mtx: an array, or a sparse matrix made dense
  front,   // front:FILE.mtx: the largest front of that matrix
};

struct DenseInputName {
  DenseSource source = DenseSource::kind;
  DenseKindName kind{};  // of `kind`
  std::string path{};    // of the others
};

// Throws UsageError naming what is accepted.
DenseInputName parse_dense_input(std::string_view text);
// As --input spells them, with FILE for a path.
std::vector<std::string> accepted_dense_inputs();

// The matrix of one run. Of files, m and n are 0 before they are read.
struct DenseInputRequest {
  std::string input = "random";  // as --input spells it
  Index m = 0, n = 0;
  std::uint64_t seed = 1;
  int threads = 1;
};

// Throws UsageError for a kind without sizes, for sizes below 1, for an order above
// largest_dense_order, and for a column that the matrix has not.
void check_dense_request(const DenseInputRequest& request);

// Kind, sizes m and n (0: those of the file) and seed.
GeneratorFacts dense_generator_facts(const DenseInputRequest& request);

// Entries by columns, in double.
struct GivenDense {
  Index m = 0, n = 0;
  RawVector<double> values{};
};

// A matrix that can be asked for its entries: of a generator, or given ones.
class DenseMatrixSource {
 public:
  // Of a kind; the request is one that check_dense_request() accepts.
  explicit DenseMatrixSource(const DenseInputRequest& request);
  DenseMatrixSource(GivenDense given, std::uint64_t seed);
  DenseMatrixSource(DenseMatrixSource&&) = default;
  DenseMatrixSource& operator=(DenseMatrixSource&&) = default;

  Index m() const noexcept { return generator_.m; }
  Index n() const noexcept { return generator_.n; }
  std::uint64_t seed() const noexcept { return generator_.seed; }
  // Column j, m entries.
  void column(Index j, double* to) const;

 private:
  void make_reflected();

  DenseGenerator generator_;
  std::vector<double> diagonal_, u_, left_, v_, right_;
  std::optional<GivenDense> given_;
};

// FILE.npy, FILE.mtx. Throws Error{error, "bad_matrix"}, Error{oom_host, ...}, and
// Error{unsupported, "too_large"} for a sparse matrix of an order above largest_dense_order.
GivenDense read_dense_file(const DenseInputName& name, int threads);

}  // namespace lufact
