// SPDX-License-Identifier: BSD-3-Clause
// What is called of oneMKL before any computation.
extern "C" {
int MKL_Set_Threading_Layer(int value) {
  return value;
}
int MKL_Get_Max_Threads() {
  return 1;
}
}
