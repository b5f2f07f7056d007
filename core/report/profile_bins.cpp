// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/profile_bins.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace lufact {
namespace {

// Applies `join` to the entries [first, last) of every bin.
template <class T, class Join>
std::vector<T> bin_list(const std::vector<T>& list, Join join) {
  if (list.size() <= max_profile_entries) return list;
  const std::size_t width = (list.size() + max_profile_entries - 1) / max_profile_entries;
  std::vector<T> bins;
  for (std::size_t first = 0; first < list.size(); first += width) {
    bins.push_back(join(first, std::min(first + width, list.size())));
  }
  return bins;
}

template <class T>
std::span<const T> part(const std::vector<T>& list, std::size_t first, std::size_t last) {
  return std::span<const T>(list).subspan(first, last - first);
}

std::vector<Offset> bin_sums(const std::vector<Offset>& list) {
  return bin_list(list, [&](std::size_t first, std::size_t last) {
    const auto entries = part(list, first, last);
    return std::accumulate(entries.begin(), entries.end(), Offset{0});
  });
}

std::vector<Offset> bin_maxima(const std::vector<Offset>& list) {
  return bin_list(list, [&](std::size_t first, std::size_t last) {
    const auto entries = part(list, first, last);
    return *std::max_element(entries.begin(), entries.end());
  });
}

std::vector<Offset> bin_firsts(const std::vector<Offset>& list) {
  return bin_list(list, [&](std::size_t first, std::size_t) { return list[first]; });
}

std::vector<std::string> bin_names(const std::vector<std::string>& list) {
  return bin_list(list, [&](std::size_t first, std::size_t last) {
    const auto entries = part(list, first, last);
    const bool same = std::all_of(entries.begin(), entries.end(),
                                  [&](const std::string& name) { return name == list[first]; });
    return same ? list[first] : std::string("mixed");
  });
}

// Every entry counts with its number of rows, with 1 where that is not known.
std::vector<double> bin_means(const std::vector<double>& list, const std::vector<Offset>& rows) {
  return bin_list(list, [&](std::size_t first, std::size_t last) {
    double sum = 0, weights = 0;
    for (std::size_t k = first; k < last; ++k) {
      const double weight = k < rows.size() ? static_cast<double>(rows[k]) : 1.0;
      sum += weight * list[k];
      weights += weight;
    }
    return weights > 0 ? sum / weights : list[first];
  });
}

}  // namespace

ProfileRecord bin_profile(const ProfileRecord& profile) {
  ProfileRecord bins;
  bins.levels = {bin_sums(profile.levels.columns), bin_maxima(profile.levels.max_subcolumns),
                 bin_names(profile.levels.kernel_mode)};
  const FrontierProfile& frontier = profile.frontier;
  bins.frontier = {bin_firsts(frontier.first_row),
                   bin_sums(frontier.rows),
                   bin_maxima(frontier.max_frontier),
                   bin_firsts(frontier.part),
                   bin_means(frontier.bytes_per_row, frontier.rows),
                   frontier.parts};
  const GsofaSources& sources = profile.sources;
  bins.sources = {bin_firsts(sources.first_row), bin_sums(sources.rows),
                  bin_means(sources.mean_frontier, sources.rows), bin_sums(sources.iterations),
                  bin_sums(sources.edges)};
  return bins;
}

}  // namespace lufact
