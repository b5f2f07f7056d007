// SPDX-License-Identifier: BSD-3-Clause
extern "C" int fake_needed();

namespace {
// Keeps the library among those that the plug-in names.
[[maybe_unused]] const int needed = fake_needed();
}  // namespace
