// SPDX-License-Identifier: BSD-3-Clause
// What `lufact describe` knows of a matrix: its entries, what orderings make of it, and what every
// mode will need.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/memory_forecast.hpp"
#include "app/describe/gsofa_batch.hpp"
#include "app/describe/matrix_options.hpp"
#include "app/describe/mode_time.hpp"
#include "app/describe/recommendation.hpp"
#include "core/base/machine.hpp"
#include "core/rates/rate_set.hpp"
#include "core/structure/entry_facts.hpp"

namespace lufact {

struct DescribeOptions {
  MatrixOptions matrix;
  int device = 0;
  std::optional<std::uint64_t> device_memory_limit, host_memory_limit;
  int expect_refactorizations = 0;
};

void visit_options(auto&& option, Is<DescribeOptions> auto& options) {
  using namespace option_groups;
  visit_options(option, options.matrix);
  option(Option{"--expect-refactorizations", "expect_refactorizations", measuring,
                "Factorizations after the first that times and choices plan for"},
         options.expect_refactorizations, at_least(0, "0 or more"));
  visit_device(option, options.device);
  option(Option{"--device-memory-limit", "device_memory_limit", machine,
                "Device memory that runs may use, such as 16GiB; without a device, that of the "
                "card to plan for"},
         options.device_memory_limit, ByteSize{});
  option(Option{"--host-memory-limit", "host_memory_limit", machine,
                "Host memory that runs may use, such as 8GiB"},
         options.host_memory_limit, ByteSize{});
}

// What elimination will take behind one ordering.
struct OrderingFacts {
  std::string asked, chosen;
  double seconds = 0;
  Offset nnz_lu = 0;
  bool exact = true;  // nnz_lu and flops are those of the pattern of L + U, else of A + A', a bound
  std::optional<double> fill_ratio;  // nnz_lu over entries of A; empty without entries
  double flops = 0;                  // one per division, two per multiply-add
  Offset nnz_fronts = 0;             // entries of L + U that the front modes count: those of A + A'
  // Of the elimination tree of A + A'.
  Offset levels = 0, widest_level = 0, largest_column = 0;
  Offset fronts = 0, largest_front = 0;
  std::vector<Choice> choices;
};

struct ModeDescription {
  std::string mode;
  std::string ordering;  // asked of OrderingFacts
  bool uses_device = false;
  bool solves_transposed = false;  // whatever it chooses
  ChainForecast memory;
  std::optional<ModeTime> time;
  std::optional<GsofaBatch> gsofa;
  std::string gsofa_reason;  // why no batch can be planned; empty where there is one, or no GSoFa
};

struct MatrixDescription {
  MatrixFacts facts;
  EntryFacts entries;
  std::string scaling;
  double matching_s = 0;
  int threads = 1;
  int expect_refactorizations = 0;
  RateSet rates;
  Machine machine;
  std::vector<OrderingFacts> orderings;  // the oracle's first, whose counts head the forecast
  std::vector<ModeDescription> modes;
  Recommendation recommendation;
};

// Reads, matches and orders the matrix, once for each ordering that the modes ask for. Where the
// pattern of L + U is not symmetric and has at most 2^28 entries by its bound, it is made and
// counted. Throws as read_matrix().
MatrixDescription describe_matrix(const DescribeOptions& options);

}  // namespace lufact
