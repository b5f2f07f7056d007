// SPDX-License-Identifier: BSD-3-Clause
// A library that a plug-in needs and the loader does not find.
extern "C" __attribute__((visibility("default"))) int fake_needed() {
  return 1;
}
