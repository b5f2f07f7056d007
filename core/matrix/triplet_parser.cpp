// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/triplet_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/matrix/parallel.hpp"

namespace lufact::matrix_market {
namespace {

struct RunOutcome {
  Offset count = 0;
  bool below = false, above = false;
  std::size_t fault_offset = std::string_view::npos;
  std::string fault;
};

bool ends_word(char c) noexcept {
  return c == '\n' || is_blank(c);
}

// The read_* functions below take `p` inside a text that ends with a newline, so that no step needs
// to look for the end. They leave `p` after the word and say whether it was a plain one; all else
// is left to read_line.
bool read_plain_index(const char*& p, Index n, Index& index) noexcept {
  while (*p == ' ' || *p == '\t') ++p;
  const char* const begin = p;
  std::uint64_t value = 0;
  for (unsigned digit; (digit = static_cast<unsigned>(*p) - '0') < 10; ++p) {
    value = 10 * value + digit;
  }
  // Ten digits cannot wrap around; 0 and an empty word become the largest number here.
  value -= 1;
  index = static_cast<Index>(value & 0x7fffffff);
  return p - begin <= 10 && value < static_cast<std::uint64_t>(n);
}

bool read_plain_value(const char*& p, const char* end, Field field, double& value) {
  while (*p == ' ' || *p == '\t') ++p;
  const auto [stop, status] = std::from_chars(p, end, value);
  if (status == std::errc() && std::isfinite(value) && ends_word(*stop) && field == Field::real) {
    p = stop;
    return true;
  }
  // Signs, D exponents, integers and the limits of double.
  const char* word_end = p;
  while (!ends_word(*word_end)) ++word_end;
  const std::string_view word(p, static_cast<std::size_t>(word_end - p));
  p = word_end;
  return (field == Field::real ? read_real(word, value) : read_integer(word, value)).empty();
}

bool read_plain_integer(const char*& p, const char* end, double& value) {
  while (*p == ' ' || *p == '\t') ++p;
  std::int64_t integer = 0;
  const auto [stop, status] = std::from_chars(p, end, integer);
  if (status != std::errc() || !ends_word(*stop)) {
    return read_plain_value(p, end, Field::integer, value);
  }
  value = static_cast<double>(integer);
  p = stop;
  return true;
}

template <Field field>
bool read_plain_entry(const char*& p, const char* end, Index n, Entry& entry) {
  if (!read_plain_index(p, n, entry.row) || !is_blank(*p)) return false;
  if (!read_plain_index(p, n, entry.col) || !ends_word(*p)) return false;
  entry.value = 1;
  if constexpr (field == Field::real) {
    if (!read_plain_value(p, end, field, entry.value)) return false;
  } else if constexpr (field == Field::integer) {
    if (!read_plain_integer(p, end, entry.value)) return false;
  }
  while (is_blank(*p)) ++p;
  return *p++ == '\n';
}

// Reads the lines of [begin, end), which ends after a newline, into `out`.
template <Field field>
RunOutcome parse_lines(const char* begin, const char* end, Index n, Entry* out) {
  RunOutcome outcome;
  Entry* const first = out;
  Index below = 0, above = 0;
  for (const char* p = begin; p != end;) {
    const char* const line = p;
    Entry entry;
    if (!read_plain_entry<field>(p, end, n, entry)) {
      const auto* const stop =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
      p = stop + 1;
      const std::string_view text(line, static_cast<std::size_t>(stop - line));
      const LineKind kind = read_line(text, field, n, entry, outcome.fault);
      if (kind == LineKind::idle) continue;
      if (kind == LineKind::fault) {
        outcome.fault_offset = static_cast<std::size_t>(line - begin);
        break;
      }
    }
    below |= static_cast<Index>(entry.row > entry.col);
    above |= static_cast<Index>(entry.row < entry.col);
    *out++ = entry;
  }
  outcome.count = out - first;
  outcome.below = below != 0;
  outcome.above = above != 0;
  return outcome;
}

RunOutcome parse_text(std::string_view text, const Header& header, Entry* out) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  switch (header.field) {
    case Field::real:
      return parse_lines<Field::real>(begin, end, header.n, out);
    case Field::integer:
      return parse_lines<Field::integer>(begin, end, header.n, out);
    case Field::pattern:
      break;
  }
  return parse_lines<Field::pattern>(begin, end, header.n, out);
}

std::string_view text_of(const SourceText& source, const Run& run) {
  return source.text.substr(run.text_begin, run.text_end - run.text_begin);
}

// A last line without a newline is a run of its own; it is copied and given one.
RunOutcome parse_run(const SourceText& source, const Header& header, const Run& run, Entry* out) {
  const std::string_view text = text_of(source, run);
  if (text.ends_with('\n')) return parse_text(text, header, out);
  RunOutcome outcome = parse_text(std::string(text) + '\n', header, out);
  if (outcome.fault_offset != std::string_view::npos) {
    outcome.fault += "; the file ends inside this line (truncated?)";
  }
  return outcome;
}

// Pieces of about `run_bytes`, cut after newlines; an unfinished last line is a run of its own.
std::vector<Run> split_runs(std::string_view text, std::size_t begin, std::size_t run_bytes) {
  const std::size_t last_newline = text.rfind('\n');
  const std::size_t whole =
      last_newline == std::string_view::npos ? begin : std::max(begin, last_newline + 1);
  std::vector<Run> runs;
  while (begin < whole) {
    const std::size_t near = std::min(begin + run_bytes, whole) - 1;
    const std::size_t end = next_line(text, near);
    runs.push_back({begin, end, 0, 0});
    begin = end;
  }
  if (whole < text.size()) runs.push_back({whole, text.size(), 0, 0});
  return runs;
}

// Gives each run room for one entry per line; returns the room needed.
Offset place_runs(const SourceText& source, int threads, std::vector<Run>& runs) {
  parallel_for(static_cast<Offset>(runs.size()), threads, [&](Offset k) {
    Run& run = runs[static_cast<std::size_t>(k)];
    const std::string_view text = text_of(source, run);
    run.count = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
  });
  Offset room = 0;
  for (Run& run : runs) {
    run.begin = room;
    room += run.count;
  }
  return room;
}

// Where the line of the entry number `ordinal` (from 0) of a run starts.
std::size_t entry_offset(const SourceText& source, const Run& run, Offset ordinal) {
  std::size_t offset = run.text_begin;
  while (true) {
    const auto words = split_words(line_at(source.text, offset), 1);
    const bool is_entry = !words.empty() && words[0].front() != '%';
    if (is_entry && ordinal-- == 0) return offset;
    offset = next_line(source.text, offset);
  }
}

void check_count(const SourceText& source, const Header& header, const Triplets& triplets) {
  if (triplets.count == header.entries) return;
  const SourceText head{source.name, source.text.substr(0, header.size_offset)};
  const auto size_line = std::count(head.text.begin(), head.text.end(), '\n') + 1;
  if (triplets.count < header.entries) {
    const std::size_t end = source.text.size() - (source.text.ends_with('\n') ? 1 : 0);
    fail_at(source, end,
            fmt::format("the file ends after {} of the {} entries that line {} announces "
                        "(truncated?)",
                        triplets.count, header.entries, size_line));
  }
  Offset before = 0;
  for (const Run& run : triplets.runs) {
    if (before + run.count > header.entries) {
      fail_at(source, entry_offset(source, run, header.entries - before),
              fmt::format("one entry more than the {} that line {} announces", header.entries,
                          size_line));
    }
    before += run.count;
  }
}

}  // namespace

Triplets parse_triplets(const SourceText& source, const Header& header, int threads,
                        std::size_t run_bytes) {
  Triplets triplets;
  triplets.runs = split_runs(source.text, header.body_offset, run_bytes);
  const Offset room = place_runs(source, threads, triplets.runs);
  triplets.entries.reset(new Entry[checked_bytes(room, sizeof(Entry)) / sizeof(Entry)]);
  std::vector<RunOutcome> outcomes(triplets.runs.size());
  parallel_for(static_cast<Offset>(outcomes.size()), threads, [&](Offset k) {
    const Run& run = triplets.runs[static_cast<std::size_t>(k)];
    outcomes[static_cast<std::size_t>(k)] =
        parse_run(source, header, run, triplets.entries.get() + run.begin);
  });
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    Run& run = triplets.runs[k];
    if (outcomes[k].fault_offset != std::string_view::npos) {
      fail_at(source, run.text_begin + outcomes[k].fault_offset, outcomes[k].fault);
    }
    run.count = outcomes[k].count;
    triplets.count += run.count;
    triplets.below_diagonal |= outcomes[k].below;
    triplets.above_diagonal |= outcomes[k].above;
  }
  check_count(source, header, triplets);
  return triplets;
}

std::size_t text_offset(const SourceText& source, const Triplets& triplets, Offset entry) {
  const auto after = std::upper_bound(triplets.runs.begin(), triplets.runs.end(), entry,
                                      [](Offset e, const Run& run) { return e < run.begin; });
  const Run& run = *(after - 1);
  return entry_offset(source, run, entry - run.begin);
}

}  // namespace lufact::matrix_market
