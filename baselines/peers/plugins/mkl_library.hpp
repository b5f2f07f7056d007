// SPDX-License-Identifier: BSD-3-Clause
// Intel oneMKL, loaded at run time with the layers that fit a program built with GNU's OpenMP. Its
// few functions are declared where they are used, as its reference manual gives them, so that
// building needs nothing of it.
#pragma once
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "baselines/peers/plugins/foreign_library.hpp"

namespace lufact::peers {

class MklLibrary {
 public:
  enum class Threading { sequential = 1, gnu = 3 };  // of MKL_Set_Threading_Layer

  MklLibrary(const char* search_path, Threading threading, int threads)
      : folders_(library_folders(search_path, "LUFACT_MKL_ROOT")),
        library_(folders_, {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}, how_to_get) {
    choose_layers(threading);
    if (auto* set_threads = library_.optional_function<void(int)>("MKL_Set_Num_Threads")) {
      set_threads(threads);
    }
    threads_ = threads_taken();
  }

  const ForeignLibrary& functions() const noexcept { return library_; }
  const std::string& threading() const noexcept { return threading_; }
  // Those that a call takes at most. The library takes fewer than it was asked for where it has no
  // threads, or finds fewer cores; one that does not tell counts as sequential.
  int threads() const noexcept { return threads_; }
  std::string why_one_thread() const {
    return "it was loaded with the threading layer \"" + threading_ +
           "\" and gives its calls one thread";
  }

  std::string version() const {
    auto* get = library_.optional_function<void(char*, int)>("MKL_Get_Version_String");
    if (get == nullptr) return "not known";
    std::array<char, 200> text{};
    get(text.data(), static_cast<int>(text.size()) - 1);
    std::string version = text.data();
    version.erase(version.find_last_not_of(" \n") + 1);
    return version;
  }

 private:
  // GNU's OpenMP: lufact uses it too, and with Intel's beside it in one process the library would
  // ask one for the number of a thread of the other. A library that was linked into one piece has
  // no layers to choose.
  void choose_layers(Threading threading) {
    constexpr int lp64 = 0;  // of MKL_Set_Interface_Layer
    using SetInt = int(int value);
    auto* set_threading = library_.optional_function<SetInt>("MKL_Set_Threading_Layer");
    auto* set_interface = library_.optional_function<SetInt>("MKL_Set_Interface_Layer");
    if (set_interface != nullptr) set_interface(lp64);
    if (set_threading == nullptr) {
      threading_ = "as linked";
      return;
    }
    if (threading == Threading::gnu) ForeignLibrary::load_needed(folders_, "libgomp.so.1");
    require_layer(reinterpret_cast<const void*>(set_threading),
                  threading == Threading::gnu ? "mkl_gnu_thread" : "mkl_sequential");
    set_threading(static_cast<int>(threading));
    threading_ = threading == Threading::gnu ? "gnu openmp" : "sequential";
  }

  // The library loads the file of its layer on its first call and ends the process where there is
  // none. Throws Failure{unsupported} before that.
  void require_layer(const void* function, const std::string& layer) const {
    const std::string file = file_of(function), stem = "mkl_rt";
    const std::size_t at = file.rfind(stem);
    if (at == std::string::npos) return;
    std::vector<std::string> folders = folders_;
    folders.push_back(folder_of(function));
    if (const char* searched = std::getenv("LD_LIBRARY_PATH")) append_folders(searched, folders);
    const std::string name = "lib" + layer + file.substr(at + stem.size());
    for (const std::string& folder : folders) {
      if (access((folder + "/" + name).c_str(), R_OK) == 0) return;
    }
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  file + " is there without " + name + ", which it needs; " + how_to_get);
  }

  int threads_taken() const {
    auto* most = library_.optional_function<int()>("MKL_Get_Max_Threads");
    return most == nullptr ? 1 : std::max(1, most());
  }

  static constexpr const char* how_to_get =
      "get it with `python3 -m venv DIR && DIR/bin/pip install mkl` and set "
      "LUFACT_MKL_ROOT=DIR, the folder that holds lib/libmkl_rt.so.3";

  std::vector<std::string> folders_;
  ForeignLibrary library_;
  std::string threading_;
  int threads_ = 1;
};

}  // namespace lufact::peers
