// SPDX-License-Identifier: BSD-3-Clause
// Values and vectors of several systems between the two ways in which they stand: system by system,
// and interleaved by groups. Asynchronous.
#pragma once
#include "gpu/fronts/solve/front_vectors.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// Some indices, on the device.
struct IndexList {
  const Index* index = nullptr;
  Index count = 0;
};

// Entry e of a group := the scaled value of B at source[entry[e]].
template <class T>
struct EntriesOfSystems {
  IndexList entry;
  const Index* source = nullptr;
  const double* scale = nullptr;  // by entry of the graph
  const double* values = nullptr;
  Offset stride = 0;  // values of a system
};
template <class T>
void interleave_entries(DeviceSession& session, const EntriesOfSystems<T>& from, Index systems,
                        T* to);

// What a vector of each system has at some positions of n, to or from those positions of groups.
struct VectorsOfSystems {
  IndexList position;
  const Index* label = nullptr;  // of each position
  FrontVectors vectors;          // by label
  Index n = 0;
};
// The scaled right-hand sides.
template <class T>
void interleave_right_hand_sides(DeviceSession& session, const VectorsOfSystems& from,
                                 Index systems, T* to);
// `from` by position.
template <class T>
void interleave_solutions(DeviceSession& session, const IndexList& position, Index n, const T* from,
                          Index systems, T* to);
// x := the scaled solutions.
template <class T>
void write_solutions(DeviceSession& session, const T* from, Index systems,
                     const VectorsOfSystems& to);

}  // namespace lufact::gpu
