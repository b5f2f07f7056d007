// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/symbolic/tree_passes.hpp"

#include <initializer_list>
#include <span>
#include <utility>

#include "core/matrix/parallel.hpp"
#include "gpu/components/grid.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset worthwhile_sets = 2'000;

AmalgamationSet start_set(const std::vector<ColumnSet>& sets, Index columns, Index s) {
  const ColumnSet& set = sets[at(s)];
  const Index end = at(s) + 1 < sets.size() ? sets[at(s) + 1].first : columns;
  const Index pivots = end - set.first;
  return {.parent = set.parent,
          .pivots = pivots,
          .order = set.order,
          .into = s,
          .subtree = set.subtree,
          .own = pivots,
          .zeros = set.zeros,
          .below = 0};
}

SubtreeRanges ranges_of(const std::vector<ColumnSet>& sets, int threads) {
  if (threads == 1) return {};
  std::vector<Index> parent, size;
  parent.reserve(sets.size());
  size.reserve(sets.size());
  for (const ColumnSet& set : sets) {
    parent.push_back(set.parent);
    size.push_back(set.subtree);
  }
  return cut_subtrees(parent, size, std::vector<Offset>(sets.size(), 1), threads);
}

// Joins several tables, so that one copy is enough.
std::vector<Index> joined(std::initializer_list<std::span<const Index>> tables) {
  std::size_t size = 0;
  for (const auto& table : tables) size += table.size();
  std::vector<Index> all;
  all.reserve(size);
  for (const auto& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace

TreePasses::TreePasses(const DevicePermutedMatrix& matrix, StageContext& context)
    : session_(*context.device),
      context_(context),
      matrix_(matrix),
      result_(std::make_shared<DeviceFrontTree>()) {
  checked_index(matrix.nnz, "the number of entries of B");
  result_->n = result_->host.n = matrix.n;
  result_->label = Buffer<Index>(session_, MemoryRole::resident, matrix.n, "the labels of pivots");
}

void TreePasses::find_forest() {
  const auto phase = context_.phases.scope("forest");
  forest_.emplace(session_, matrix_);
  const bool symmetric = forest_->facts().one_sided == 0;
  if (symmetric) {
    edges_ = edges_in_order(forest_->pattern(), forest_->nnz(), forest_->arrays());
  } else {
    sorted_edges_.emplace(session_, forest_->pattern(), forest_->nnz(), forest_->arrays(),
                          forest_->facts());
    edges_ = sorted_edges_->lists();
  }
  result_->host.exact = symmetric;
}

void TreePasses::count_columns() {
  const auto phase = context_.phases.scope("count");
  const Index n = matrix_.n;
  count_block_ = carve(session_, "sets of columns",
                       [&](Carver& carver) { counts_.lay_out_results(carver, n); });
  const Buffer<std::byte> work = carve(session_, "counting columns", [&](Carver& carver) {
    counts_.lay_out_work(carver, n, most_grid_blocks(session_));
  });
  count_facts_ = gpu::count_columns(session_, forest_->pattern(), forest_->nnz(), forest_->arrays(),
                                    edges_, counts_);
  result_->host.nnz_bound = 2 * count_facts_.entries - n;
}

void TreePasses::merge() {
  const auto phase = context_.phases.scope("merge");
  std::vector<ColumnSet> sets(at(count_facts_.sets));
  session_.copy_to_host(sets.data(), counts_.set, sets.size() * sizeof(ColumnSet));
  start_sorting_entries();
  const int threads = threads_for(count_facts_.sets, worthwhile_sets, context_.options.threads);
  merged_ = amalgamate(count_facts_.sets, ranges_of(sets, threads), threads,
                       context_.options.rates.front_path,
                       [&](Index s) { return start_set(sets, matrix_.n, s); });
  upload_merged();
}

void TreePasses::start_sorting_entries() {
  order_block_ = carve(session_, "entries by column", [&](Carver& carver) {
    entry_order_.lay_out(session_, carver, matrix_.n, forest_->nnz());
  });
  sort_entries(session_, *forest_, entry_order_);
}

void TreePasses::upload_merged() {
  const std::vector<Index> tables =
      joined({merged_.now, merged_.place, merged_.first, merged_.parent});
  tables_ = upload_copy<Index>(session_, MemoryRole::scratch, tables, "sets and fronts");
  const Index* const front_of_set = tables_.data();
  const Index* const place_of_set = front_of_set + merged_.now.size();
  fronts_.count = merged_.count();
  fronts_.first = place_of_set + merged_.place.size();
  fronts_.parent = fronts_.first + merged_.first.size();
  position_block_ = carve(session_, "the positions of columns",
                          [&](Carver& carver) { positions_.lay_out(carver, matrix_.n); });
  place_columns(session_, matrix_.n, counts_, front_of_set, place_of_set, forest_->label(),
                positions_, result_->label.data());
  count_block_ = {};
}

void TreePasses::find_rows() {
  const auto phase = context_.phases.scope("rows");
  FrontTree& tree = result_->host;
  tree.row_ptr.reserve(merged_.rows.size() + 1);
  for (const Index rows : merged_.rows) tree.row_ptr.push_back(tree.row_ptr.back() + rows);
  tree.first = std::move(merged_.first);
  tree.parent = std::move(merged_.parent);
  write_rows();
  sorted_edges_.reset();
  group_children();
  row_ptr_ = upload_copy<Offset>(session_, MemoryRole::scratch, tree.row_ptr,
                                 "where rows of fronts begin");
  fronts_.row_ptr = row_ptr_.data();
  fronts_.row = result_->row.data();
}

void TreePasses::write_rows() {
  rows_.count = result_->host.row_ptr.back();
  result_->row = Buffer<Index>(session_, MemoryRole::resident, rows_.count, "the rows of fronts");
  front_of_row_ = Buffer<Index>(session_, MemoryRole::scratch, rows_.count, "fronts of rows");
  rows_.row = result_->row.data();
  rows_.front = front_of_row_.data();
  if (rows_.count == 0) return;
  FoundRows found;
  const Buffer<std::byte> work = carve(session_, "finding rows", [&](Carver& carver) {
    found.lay_out(session_, carver, edges_, rows_.count, most_grid_blocks(session_));
  });
  find_front_rows(session_, edges_, fronts_.parent, fronts_.count, positions_, found, rows_);
}

void TreePasses::group_children() {
  const std::vector<Index> children = children_to_group(result_->host.parent);
  if (children.empty()) return;
  std::vector<Offset> begin;
  const std::vector<Index> rows = download_rows(children, begin);
  std::vector<Index> place(result_->host.parent.size());  // of each child among them
  for (std::size_t c = 0; c < children.size(); ++c) place[at(children[c])] = static_cast<Index>(c);
  const auto rows_of = [&](Index f) {
    const std::size_t child = at(place[at(f)]);
    return std::span<const Index>(rows).subspan(at(begin[child]),
                                                at(begin[child + 1] - begin[child]));
  };
  move_rows(group_fronts(result_->host, rows_of, context_.options.rates.front_path));
}

// begin: of each front's rows in the result, then the end.
std::vector<Index> TreePasses::download_rows(const std::vector<Index>& fronts,
                                             std::vector<Offset>& begin) {
  const FrontTree& tree = result_->host;
  std::vector<RowCopy> copies;
  begin.assign(1, 0);
  for (const Index f : fronts) {
    copies.push_back({tree.row_ptr[at(f)], begin.back(), tree.contributions(f), f});
    begin.push_back(begin.back() + tree.contributions(f));
  }
  const auto pieces =
      upload_copy<RowCopy>(session_, MemoryRole::scratch, copies, "children to group");
  Buffer<Index> gathered(session_, MemoryRole::scratch, begin.back(), "rows of children");
  copy_rows(session_, pieces.data(), pieces.size(), rows_.row, gathered.data(), nullptr);
  return gathered.download();
}

void TreePasses::move_rows(GroupedFronts&& grouped) {
  FrontTree& tree = result_->host;
  std::vector<RowCopy> joint;
  std::vector<Index> number(tree.parent.size());
  std::vector<Offset> shift(tree.parent.size());
  for (Index f = 0; f < static_cast<Index>(grouped.origin.size()); ++f) {
    const Index origin = grouped.origin[at(f)];
    const Offset to = grouped.row_ptr[at(f)];
    if (origin < 0) {
      const auto count = static_cast<Index>(grouped.row_ptr[at(f) + 1] - to);
      joint.push_back({grouped.group_ptr[at(-1 - origin)], to, count, f});
    } else {
      number[at(origin)] = f;
      shift[at(origin)] = to - tree.row_ptr[at(origin)];
    }
  }
  tree.first = std::move(grouped.first);
  tree.parent = std::move(grouped.parent);
  tree.row_ptr = std::move(grouped.row_ptr);
  renumber(number);
  const Offset count = tree.row_ptr.back();
  Buffer<Index> row(session_, MemoryRole::resident, count, "the rows of fronts");
  Buffer<Index> front(session_, MemoryRole::scratch, count, "fronts of rows");
  const auto shifts =
      upload_copy<Offset>(session_, MemoryRole::scratch, shift, "where rows of fronts go");
  shift_rows(session_, rows_, tables_.data(), shifts.data(), {count, front.data(), row.data()});
  const auto pieces =
      upload_copy<RowCopy>(session_, MemoryRole::scratch, joint, "where rows of groups go");
  const auto group_row = upload_copy<Index>(session_, MemoryRole::scratch, grouped.group_row,
                                            "rows of grouping fronts");
  copy_rows(session_, pieces.data(), pieces.size(), group_row.data(), row.data(), front.data());
  result_->row = std::move(row);
  front_of_row_ = std::move(front);
  rows_ = {count, front_of_row_.data(), result_->row.data()};
}

// Uploads the new numbers of the old fronts and the tables of the new fronts, and renumbers the
// front of each column.
void TreePasses::renumber(const std::vector<Index>& number) {
  const FrontTree& tree = result_->host;
  tables_ = upload_copy<Index>(session_, MemoryRole::scratch,
                               joined({number, tree.first, tree.parent}), "fronts and groups");
  fronts_.count = tree.fronts();
  fronts_.first = tables_.data() + number.size();
  fronts_.parent = fronts_.first + tree.first.size();
  renumber_fronts(session_, matrix_.n, tables_.data(), positions_.front_of);
}

void TreePasses::place() {
  const auto phase = context_.phases.scope("positions");
  const Offset nnz = forest_->nnz();
  DeviceFrontTree& tree = *result_;
  const auto resident = [&](auto& buffer, Offset size, std::string_view what) {
    buffer = {session_, MemoryRole::resident, size, what};
  };
  resident(tree.parent_row, rows_.count, "the rows in parents");
  resident(tree.entry_ptr, fronts_.count + Offset{1}, "where entries of fronts begin");
  DeviceFrontEntries& entries = tree.entries.emplace();
  resident(entries.source, nnz, "the sources of entries");
  resident(entries.row, nnz, "the rows of entries");
  resident(entries.column, nnz, "the columns of entries");
  place_in_parents(session_, fronts_, rows_, tree.parent_row.data());
  place_entries(
      session_, *forest_, fronts_, positions_, entry_order_,
      {tree.entry_ptr.data(), entries.source.data(), entries.row.data(), entries.column.data()});
}

std::shared_ptr<DeviceFrontTree> TreePasses::finish() {
  return std::move(result_);
}

}  // namespace lufact::gpu
