// NVIDIA's own runtime inside of a library or a program: it asks the driver for private tables, which the virtual GPU
// does not have, and fails. What was called by it computes nothing.
#pragma once
#include <optional>
#include <string>

namespace ropewalk::driver {

struct ForeignCall {
  std::string library;     // that has it inside: "libcublas.so.13"
  std::string function;    // of that library, which was called: "cublasCreate_v2"; empty: its name is not known
  bool is_known = false;   // a library of NVIDIA's that computes
  bool is_python = false;  // NVIDIA's bindings of the runtime
};

// The call of this thread by which such a runtime came here. nullopt: it only asked for something, such as a version or
// the number of devices, or its library was only loaded, or it is PyTorch's, which computes by other means here.
std::optional<ForeignCall> foreign_call();

// Whether a file of that name is a library of NVIDIA's that computes on a GPU: "libcublas.so.13".
bool is_nvidia_library(const std::string& name);

}  // namespace ropewalk::driver
