#include "lib/trace/recorder/functions.h"

#include <algorithm>

namespace ropewalk::trace {

namespace {

constexpr gpu::Result invalid_value = 1;  // what the driver says after the last parameter

using Question = gpu::Result (*)(Handle, std::size_t, std::size_t*, std::size_t*);

// Whether the driver gave the parameters.
bool ask_parameters(Question question, Handle handle, std::vector<ParameterRange>& to) {
  if (!question) return false;
  to.clear();
  for (std::size_t n = 0;; ++n) {
    std::size_t offset = 0, bytes = 0;
    const gpu::Result result = question(handle, n, &offset, &bytes);
    if (result == invalid_value) return true;
    if (result != gpu::success) return false;
    to.push_back({u32(offset), u32(bytes)});
  }
}

}  // namespace

std::unique_ptr<Function> Functions::ask(Handle handle, const char* name) const {
  auto function = std::make_unique<Function>();
  function->key = {reinterpret_cast<u64>(handle)};
  function->name = name ? name : "";
  if (driver_.function_module && driver_.function_module(&function->module, handle) != gpu::success) {
    function->module = nullptr;
  }
  // A launch takes a CUkernel in place of a CUfunction too.
  const bool is_known = ask_parameters(driver_.function_parameter, handle, function->parameters) ||
                        ask_parameters(driver_.kernel_parameter, handle, function->parameters);
  if (!is_known && !images_.parameters_of(function->name, function->parameters)) {
    function->unknown =
        driver_.function_parameter
            ? "the driver does not tell this kernel's parameters"
            : "this driver does not tell parameters (CUDA 12.4 does), and there was no PTX of the kernel";
  }
  for (const ParameterRange& range : function->parameters)
    function->bytes = std::max(function->bytes, range.offset + range.bytes);
  return function;
}

Function& Functions::of(Handle handle, const char* name) {
  return table_.get({reinterpret_cast<u64>(handle)}, [&](const FunctionKey&) { return ask(handle, name); });
}

void Functions::forget() {
  table_.forget([](const FunctionKey&) { return true; });
}

}  // namespace ropewalk::trace
