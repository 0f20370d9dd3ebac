// Where CUPTI is found. For the executor and for the library that is injected into programs.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/gpu/cupti_api.h"

namespace ropewalk::gpu::cupti {

inline constexpr char library_variable[] = "ROPEWALK_CUPTI";  // the library, in place of the usual names

inline std::vector<std::string> library_names() {
  if (const char* given = std::getenv(library_variable); given && *given) return {given};
  std::vector<std::string> names{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home && *home) names.push_back(std::string(home) + "/extras/CUPTI/lib64/libcupti.so");
  }
  names.push_back("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so");
  return names;
}

// Opens the first that is there. Null with the reason where none is.
inline void* open_library(std::string& why_not) {
  std::string tried;
  for (const std::string& name : library_names()) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  why_not = "CUPTI cannot be opened (tried " + tried + "); " + library_variable + " names the library";
  return nullptr;
}

// What a call of CUPTI that failed says.
template <class Functions>
std::string refusal(const Functions& functions, const char* call, Result result) {
  const char* text = nullptr;
  functions.result_text(result, &text);
  std::string out = std::string(call) + " failed with " + (text ? text : "error") + " (" + std::to_string(result) + ")";
  if (result == multiple_subscribers) out += ": another tool listens to this process already";
  return out;
}

// Opens CUPTI and finds its functions: the reason why not, or nothing.
template <class Functions>
std::string open(Functions& functions) {
  std::string why_not;
  void* handle = open_library(why_not);
  if (!handle) return why_not;
  functions.for_each([&](auto& member, const char* symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(handle, symbol));
    if (!member && why_not.empty()) why_not = std::string("CUPTI is too old: it has no ") + symbol;
  });
  return why_not;
}

}  // namespace ropewalk::gpu::cupti
