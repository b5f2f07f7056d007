// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/shared_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/measure/clock.hpp"
#include "gpu/gsofa/gsofa_slice.hpp"
#include "gpu/gsofa/shared_leaders.hpp"
#include "gpu/runtime/managed.hpp"

namespace lufact::gpu {
namespace {

// So that four words are read at once. Not to pages: that parts of one array share pages is what
// the paper found to cost faults, and why it separates them.
Offset round_up(Offset words) {
  return (words + 3) / 4 * 4;
}

// The least #C whose batches end with a chunk on every device.
Index whole_sources(Index chunk_size, Index devices) {
  return chunk_size / std::gcd(chunk_size, devices);
}

void require_whole_chunks(const GsofaPlan& plan) {
  const Index chunk_size = plan.rows.chunk_size;
  for (const GsofaBatch& batch : plan.batches) {
    const Offset rows = Offset{batch.slots} * plan.devices;
    if (rows % chunk_size == 0 || batch.first + rows >= plan.rows.positions()) continue;
    throw Error(
        Outcome::unsupported, "shared_concurrency",
        fmt::format("managed memory holds the rows of the batch in flight alone: with chunks of {} "
                    "rows on {} devices it takes a multiple of {} sources in flight (#C), not {}; "
                    "change --gsofa-concurrency or --gsofa-budget, or use --gsofa-shared bits",
                    chunk_size, plan.devices, whole_sources(chunk_size, plan.devices),
                    batch.slots));
  }
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Outcome::unsupported, "no_managed_memory",
              fmt::format("--gsofa-shared um-*: {}; use --gsofa-shared bits", why));
}

}  // namespace

SharedPlan plan_shared_search(const DeviceTeam& team, const GsofaRows& node_rows,
                              const GsofaLimits& limits, const GsofaOptions& options) {
  SharedPlan shared{options};
  std::uint64_t budget = gsofa_budget_bytes(options, team.session(0).ledger().available());
  for (Index k = 1; k < team.size(); ++k) {
    budget = std::min(budget, gsofa_budget_bytes(options, team.session(k).ledger().available()));
  }
  shared.options.budget = budget;
  const GsofaShare first{node_rows, team.size(), 0};
  const GsofaNeeds needs = gsofa_needs(team.session(0), first, limits, shared.options);
  if (options.concurrency.rule == GsofaConcurrencyOption::Rule::automatic) {
    const Offset wish = gsofa_wish(node_rows.n, shared.options, needs).sources;
    const Index least = whole_sources(node_rows.chunk_size, team.size());
    shared.options.concurrency = {GsofaConcurrencyOption::Rule::fixed,
                                  std::max<Offset>(wish, least)};
  }
  const GsofaPlan plan = plan_gsofa(needs, shared.options);
  require_whole_chunks(plan);
  for (const GsofaBatch& batch : plan.batches) {
    shared.sources = std::max(shared.sources, batch.slots);
  }
  return shared;
}

// Of one device.
class SharedFill::Member final : public SharedSlots {
 public:
  Member(SharedFill& all, Index device)
      : all_(all), device_(device), starts_(make_starts(session(), all.node_rows_.n)) {
    std::vector<SharedPart> parts;
    for (Index k = 0; k < all.team_.size(); ++k) {
      const Part part = all.part(k);
      MarkWord* const fill_end = part.begin + all.fill_words_;
      parts.push_back({fill_end, reinterpret_cast<Index*>(fill_end)});
    }
    own_ = parts[at(device)];
    parts_ =
        upload_copy<SharedPart>(session(), MemoryRole::scratch, parts, "where fill and counts are");
  }

  MarkWord* fill_end() const override { return own_.fill_end; }

  void end_batch(const GsofaBatch& batch, const GsofaTask& task, const Offset* diagonal) override {
    launch_shared_counts(session(), task, diagonal, own_.upper);
    session().synchronize();
    wait();
    supernodes_s_ += timed_on(session(), [&] { lead(batch); });
    wait();
  }

  Buffer<Offset>& starts() { return starts_; }
  double supernodes_s() const { return supernodes_s_; }
  double waited_s() const { return waited_s_; }

 private:
  DeviceSession& session() const { return all_.team_.session(device_); }

  void wait() {
    const auto begin = clock_.now();
    all_.gate_.arrive_and_wait();
    waited_s_ += std::chrono::duration<double>(clock_.now() - begin).count();
  }

  void lead(const GsofaBatch& batch) {
    const GsofaRows& rows = all_.node_rows_;
    const Index devices = all_.team_.size();
    const Offset end = std::min(rows.positions(), batch.first + Offset{batch.slots} * devices);
    const Offset chunks = (end - batch.first + rows.chunk_size - 1) / rows.chunk_size;
    launch_shared_leaders(session(),
                          {parts_.data(), devices, batch.first, batch.division.fill_stride}, rows,
                          chunks, device_, starts_.data());
  }

  SharedFill& all_;
  Index device_;
  const SteadyClock clock_;
  SharedPart own_;
  Buffer<SharedPart> parts_;
  Buffer<Offset> starts_;
  double supernodes_s_ = 0, waited_s_ = 0;
};

SharedFill::SharedFill(const DeviceTeam& team, const SharedPlan& plan, const GsofaRows& node_rows)
    : team_(team),
      kind_(team.sharing()),
      node_rows_(node_rows),
      sources_(plan.sources),
      fill_words_(gsofa_slot_words(node_rows.n, plan.options.layout).stride * plan.sources),
      part_words_(round_up(fill_words_ + plan.sources)),
      gate_(team.size()) {
  if (!team.peer_access()) refuse("these devices do not reach each other's memory");
  allocate();
  members_.resize(at(team.size()));
  team_.run([&](Index k) {
    if (kind_ != TeamSharing::um) advise(k);
    members_[at(k)] = std::make_unique<Member>(*this, k);
  });
}

SharedFill::~SharedFill() = default;

void SharedFill::allocate() {
  const bool separate = kind_ == TeamSharing::um_separate;
  const Offset words = separate ? part_words_ : part_words_ * team_.size();
  const std::uint64_t bytes = checked_bytes(words, sizeof(MarkWord));
  // Without advice any card may get all of it.
  const std::uint64_t of_card =
      kind_ == TeamSharing::um ? bytes : checked_bytes(part_words_, sizeof(MarkWord));
  memory_.resize(separate ? at(team_.size()) : 1);
  team_.run([&](Index k) {
    DeviceSession& session = team_.session(k);
    if (k < static_cast<Index>(memory_.size())) {
      session.limit_managed({.bytes = bytes});
      memory_[at(k)] = {session, MemoryRole::scratch, words, "fill and counts of the batch",
                        MemoryKind::managed};
    } else {
      require_free(k, of_card);
    }
  });
}

// limit_managed() sees what the card has; pages that another session allocates come here as well.
void SharedFill::require_free(Index device, std::uint64_t bytes) const {
  team_.session(device).limit_managed({.bytes = 0});
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  if (bytes <= free_bytes) return;
  throw Error(Outcome::oom_device, "managed_over_free",
              fmt::format("fill and counts of the batch take {} of managed memory on a card that "
                          "has {} free; lower --gsofa-concurrency or --gsofa-budget, or use "
                          "--gsofa-shared bits",
                          format_byte_size(bytes), format_byte_size(free_bytes)));
}

SharedFill::Part SharedFill::part(Index device) const {
  const bool separate = kind_ == TeamSharing::um_separate;
  const Buffer<MarkWord>& memory = memory_[separate ? at(device) : 0];
  const Offset begin = separate ? 0 : part_words_ * device;
  return {const_cast<MarkWord*>(memory.data()) + begin, part_words_};
}

// A device prefers its own part, and reads those of the others where they are.
void SharedFill::advise(Index device) const {
  DeviceSession& session = team_.session(device);
  for (Index k = 0; k < team_.size(); ++k) {
    const Part pages = part(k);
    const std::size_t bytes = checked_bytes(pages.words, sizeof(MarkWord));
    if (k == device) {
      prefer_device(session, pages.begin, bytes);
    } else {
      map_for_device(session, pages.begin, bytes);
    }
  }
}

SharedSlots& SharedFill::member(Index device) const {
  return *members_[at(device)];
}

double SharedFill::supernodes_s(Index device) const {
  return members_[at(device)]->supernodes_s();
}

double SharedFill::waited_s(Index device) const {
  return members_[at(device)]->waited_s();
}

Buffer<Index> SharedFill::take_supernodes(std::uint64_t& bytes) {
  DeviceSession& first = team_.session(0);
  Buffer<Offset>& starts = members_.front()->starts();
  for (Index k = 1; k < team_.size(); ++k) {
    const Buffer<Offset>& found = members_[at(k)]->starts();
    Buffer<Offset> copy(first, MemoryRole::scratch, found.size(), "the starts that a device found");
    team_.copy(0, copy.data(), k, found.data(), found.bytes());
    bytes += found.bytes();
    add_starts(first, copy, starts);
  }
  return supernodes_of_starts(first, starts);
}

void SharedFill::release(Index device) {
  members_[at(device)].reset();
  if (device < static_cast<Index>(memory_.size())) memory_[at(device)] = {};
}

}  // namespace lufact::gpu
