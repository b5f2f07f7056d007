// SPDX-License-Identifier: BSD-3-Clause
// Candidates for the pivot of a step, from every block of a panel to all others, without a barrier
// and without a fence: every word of 64 bits carries 32 bits of data and the number of the step,
// whose arrival says that the data are there (the "LL" protocol of NCCL).
#pragma once

namespace lufact::gpu::blocked {

using Word = unsigned long long;

struct alignas(16) TwoWords {
  Word first, second;
};

// One block's candidate: where its row stands, where it stood before the panel, and its entries.
inline constexpr int widest_message = 32;
struct alignas(32) PanelMessage {
  TwoWords places;
  TwoWords entry[widest_message];
};

// Two messages of every block, by turns: who sends that of step s has received all of step s - 1,
// whose senders had read those of step s - 2.
inline constexpr int message_turns = 2;

// Blocks that may send each other messages, in a cooperative launch and in a cluster.
inline constexpr int most_panel_blocks = 160, most_cluster_blocks = 16;

// Where the blocks of a grid find each other's messages: in global memory.
struct Mailbox {
  PanelMessage* message = nullptr;  // [2][blocks], all zero before the first panel
  unsigned first_stamp = 1;         // of the panel's first step; each has its own, never 0
};

}  // namespace lufact::gpu::blocked
