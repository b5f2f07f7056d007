// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <new>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/base/memory_limit.hpp"
#include "core/base/sha256.hpp"
#include "core/matrix/assemble.hpp"
#include "core/matrix/file_bytes.hpp"
#include "core/matrix/parallel.hpp"
#include "core/matrix/symmetry_check.hpp"
#include "core/matrix/tar.hpp"

namespace lufact {
namespace {

using namespace matrix_market;

std::string hash_of(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  return hash.finish();
}

// "pre2" of "some/where/pre2.tar.gz".
std::string name_without_endings(std::string_view path) {
  constexpr std::array<std::string_view, 6> endings{".gz", ".xz", ".tgz", ".txz", ".tar", ".mtx"};
  path = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  bool shortened = true;
  while (shortened) {
    shortened = false;
    for (const std::string_view ending : endings) {
      if (path.size() <= ending.size() || !path.ends_with(ending)) continue;
      path.remove_suffix(ending.size());
      shortened = true;
    }
  }
  return std::string(path);
}

void check_options(const ReadOptions& options) {
  if (options.zero_diagonals &&
      (*options.zero_diagonals == 0 || !std::isfinite(*options.zero_diagonals))) {
    throw UsageError("--zero-diagonals needs a finite value other than 0");
  }
}

Mirror mirror_of(const Header& header, const ReadOptions& options) {
  if (options.symmetry == SymmetryMode::stored) return Mirror::none;
  switch (header.symmetry) {
    case FileSymmetry::general:
      return Mirror::none;
    case FileSymmetry::symmetric:
      return Mirror::same;
    case FileSymmetry::skew_symmetric:
      break;
  }
  return Mirror::opposite;
}

AssembleRules rules_of(const Header& header, const ReadOptions& options) {
  AssembleRules rules;
  rules.mirror = mirror_of(header, options);
  rules.explicit_zeros = options.explicit_zeros;
  rules.zero_diagonals = options.zero_diagonals;
  if (header.field == Field::pattern) {
    rules.pattern_values = {options.pattern_values, header.symmetry, options.seed};
  }
  return rules;
}

// Entries of the text, entries by row and the matrix: a lower bound of what reading needs, so that
// an order that no memory holds is refused before the system runs out of it.
void require_memory(const Header& header, Mirror mirror) {
  const double entries = static_cast<double>(header.entries);
  const double expanded = mirror == Mirror::none ? entries : 2 * entries;
  const double needed = 16 * entries + 28 * expanded + 32.0 * header.n;
  const std::uint64_t there = usable_memory();
  if (there != 0 && needed > static_cast<double>(there)) {
    throw Error(
        Outcome::oom_host, "host_memory",
        fmt::format("a matrix of order {} with {} entries needs about {} to be read; "
                    "{} can be used here",
                    header.n, header.entries, format_byte_size(static_cast<std::uint64_t>(needed)),
                    format_byte_size(there)));
  }
}

// The line of the last entry at `position` or, with a mirror, at its image.
[[noreturn]] void fail_overflow(const SourceText& source, const Triplets& triplets, Mirror mirror,
                                const Assembled::Position& position) {
  Offset last = 0;
  for (const Run& run : triplets.runs) {
    for (Offset e = run.begin; e < run.begin + run.count; ++e) {
      const Entry& entry = triplets.entries[static_cast<std::size_t>(e)];
      const bool here = entry.row == position.row && entry.col == position.col;
      const bool image =
          mirror != Mirror::none && entry.row == position.col && entry.col == position.row;
      if (here || image) last = e;
    }
  }
  fail_at(source, text_offset(source, triplets, last),
          fmt::format("overflow: the duplicates of entry ({}, {}) add up to more than a double "
                      "holds",
                      position.row + 1, position.col + 1));
}

InputMatrix make_input(const Header& header, const AssembleRules& rules, Assembled assembled,
                       const ReadOptions& options) {
  InputMatrix input;
  input.matrix = std::move(assembled.matrix);
  MatrixFacts& facts = input.facts;
  facts.field = to_string(header.field);
  facts.file_symmetry = to_string(header.symmetry);
  facts.generator = header.generator;
  facts.n = header.n;
  facts.nnz = input.matrix.pattern.nnz();
  facts.nnz_stored = header.entries;
  facts.duplicates_summed = assembled.duplicates_summed;
  facts.explicit_zeros_dropped = assembled.explicit_zeros_dropped;
  facts.zero_diagonals_replaced = assembled.zero_diagonals_replaced;
  facts.missing_diagonals = assembled.missing_diagonals;
  facts.symmetry = options.symmetry;
  facts.explicit_zeros = options.explicit_zeros;
  // A mirrored matrix has a symmetric pattern by construction.
  facts.structural_symmetry =
      rules.mirror == Mirror::none
          ? structural_symmetry(input.matrix.pattern.view(), thread_count(options.threads))
          : 1;
  return input;
}

InputMatrix parse_source(const SourceText& source, const ReadOptions& options) {
  check_options(options);
  const int threads = thread_count(options.threads);
  const Header header = parse_header(source, options.without_banner);
  const AssembleRules rules = rules_of(header, options);
  require_memory(header, rules.mirror);
  Triplets triplets = parse_triplets(source, header, threads);
  check_stored_symmetry(source, header, triplets, threads);
  Assembled assembled = assemble(triplets, header.n, rules, threads);
  if (assembled.overflow) fail_overflow(source, triplets, rules.mirror, *assembled.overflow);
  triplets.entries.reset();
  return make_input(header, rules, std::move(assembled), options);
}

CsrMatrix number_source(const SourceText& source, const ReadOptions& options) {
  const int threads = thread_count(options.threads);
  const Header header = parse_header(source, options.without_banner);
  AssembleRules rules;
  rules.mirror = mirror_of(header, options);
  rules.explicit_zeros = ExplicitZeros::keep;
  require_memory(header, rules.mirror);
  Triplets triplets = parse_triplets(source, header, threads);
  check_stored_symmetry(source, header, triplets, threads);
  Offset number = 0;
  for (const Run& run : triplets.runs) {
    for (Offset e = run.begin; e < run.begin + run.count; ++e) {
      triplets.entries[static_cast<std::size_t>(e)].value = static_cast<double>(++number);
    }
  }
  Assembled assembled = assemble(triplets, header.n, rules, threads);
  if (assembled.duplicates_summed > 0) {
    fail(source.name, "an entry is listed twice, so that its lines have no values of their own");
  }
  return std::move(assembled.matrix);
}

// As a file of one run has them.
Triplets triplets_of(const CsrMatrix& matrix) {
  const Offset nnz = matrix.pattern.nnz();
  Triplets triplets;
  triplets.entries.reset(new Entry[checked_bytes(nnz, sizeof(Entry)) / sizeof(Entry)]);
  triplets.runs.push_back({.count = nnz});
  triplets.count = nnz;
  for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
    for (Offset p = matrix.pattern.row_ptr[i]; p < matrix.pattern.row_ptr[i + 1]; ++p) {
      const Index j = matrix.pattern.col_idx[p];
      triplets.entries[static_cast<std::size_t>(p)] = {i, j, matrix.values[p]};
      (j < i ? triplets.below_diagonal : triplets.above_diagonal) |= i != j;
    }
  }
  return triplets;
}

// Unpacks as the bytes ask for: a compressed file may hold an archive, an archive a matrix.
auto parse_bytes(std::string_view bytes, const std::string& path, const std::string& name,
                 const ReadOptions& options, const auto& parse) {
  ByteBuffer unpacked;
  const Container outer = recognise(bytes);
  if (outer == Container::gzip) unpacked = gunzip(bytes, path);
  if (outer == Container::xz) unpacked = unxz(bytes, path);
  if (outer == Container::gzip || outer == Container::xz) bytes = unpacked.bytes();
  if (bytes.empty()) fail(path, "the file is empty");
  if (recognise(bytes) != Container::tar) return parse(SourceText{path, bytes}, options);
  const TarMember member = find_matrix_in_tar(bytes, path, name);
  return parse(SourceText{fmt::format("{}({})", path, member.path), member.content}, options);
}

// Memory that runs out is an outcome of the run, not a failure of the program.
template <class Function>
auto with_memory_errors(const std::string& name, const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    throw Error(Outcome::oom_host, "host_memory",
                fmt::format("{}: host memory does not hold the matrix", name));
  }
}

}  // namespace

InputMatrix parse_matrix(std::string_view text, const std::string& name,
                         const ReadOptions& options) {
  return with_memory_errors(name, [&] {
    InputMatrix input = parse_source({name, text}, options);
    input.facts.name = name;
    return input;
  });
}

InputMatrix as_if_read(const CsrMatrix& matrix, const ReadOptions& options) {
  check_options(options);
  return with_memory_errors("generated", [&] {
    Header header;
    header.n = matrix.pattern.n_rows;
    header.entries = matrix.pattern.nnz();
    const AssembleRules rules = rules_of(header, options);
    const int threads = thread_count(options.threads);
    return make_input(header, rules, assemble(triplets_of(matrix), header.n, rules, threads),
                      options);
  });
}

InputMatrix read_matrix(const std::string& path, const ReadOptions& options) {
  return with_memory_errors(path, [&] {
    const MappedFile file(path);
    // Beside the parser, since it takes as long; with one thread asked for, after it.
    const auto policy =
        thread_count(options.threads) > 1 ? std::launch::async : std::launch::deferred;
    std::future<std::string> hash = std::async(policy, hash_of, file.bytes());
    const std::string name = name_without_endings(path);
    InputMatrix input = parse_bytes(file.bytes(), path, name, options, parse_source);
    input.facts.name = name;
    input.facts.path = path;
    input.facts.sha256 = hash.get();
    input.facts.file_bytes = file.bytes().size();
    return input;
  });
}

CsrMatrix read_line_numbers(const std::string& path, const ReadOptions& options) {
  return with_memory_errors(path, [&] {
    const MappedFile file(path);
    return parse_bytes(file.bytes(), path, name_without_endings(path), options, number_source);
  });
}

std::string sha256_of_file(const std::string& path) {
  return hash_of(MappedFile(path).bytes());
}

}  // namespace lufact
