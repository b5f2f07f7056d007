// SPDX-License-Identifier: BSD-3-Clause
// The body of a Matrix Market file as a list of entries in the order of the file.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "core/matrix/banner.hpp"
#include "core/matrix/entry_line.hpp"
#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {

// A piece of the text that ends after a newline (the last one may lack it) and its entries.
struct Run {
  std::size_t text_begin = 0, text_end = 0;
  Offset begin = 0, count = 0;  // entries[begin .. begin + count)
};

struct Triplets {
  std::unique_ptr<Entry[]> entries;  // written in the runs only; gaps between them hold nothing
  std::vector<Run> runs;             // in the order of the file
  Offset count = 0;                  // entries of all runs
  bool below_diagonal = false, above_diagonal = false;  // whether any entry lies there
};

constexpr std::size_t default_run_bytes = std::size_t{1} << 19;

// Reads the lines after header.body_offset on `threads` threads, each a run of about `run_bytes` at
// a time. The result is the same for every number of threads. Throws Error{error, "bad_matrix"}
// with the line of the first fault, of the first entry too many, or the last line where entries are
// missing; std::bad_alloc.
Triplets parse_triplets(const SourceText& source, const Header& header, int threads,
                        std::size_t run_bytes = default_run_bytes);

// Where in the text the line of an entry starts; `entry` is its position in triplets.entries.
std::size_t text_offset(const SourceText& source, const Triplets& triplets, Offset entry);

}  // namespace lufact::matrix_market
