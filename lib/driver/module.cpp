#include "lib/driver/module.h"

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/machine/variables.h"
#include "lib/ptx/link.h"
#include "lib/ptx/read.h"

namespace ropewalk::driver {

namespace {

// What kernels call and the driver links: a condition of a graph is known by its address.
constexpr const char* device_functions = R"(.version 6.0
.target sm_70
.address_size 64
.visible .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [condition];
  ld.param.u32 %r1, [value];
  st.relaxed.gpu.global.u32 [%rd1], %r1;
  ret;
})";
bool is_left_to_driver(const ptx::Function& function) {
  return function.name == "cudaGraphSetConditional" && !function.has_body;
}

}  // namespace

Module::Module(Session& session, u32 device, PtxImage image)
    : session_(session), device_(device), image_(std::move(image)) {}

Module::~Module() {
  for (const auto& [name, kernel] : kernels_) session_.kernels.erase(kernel.get());
  for (const auto& [name, at] : variables_) session_.memory().forget(*at);
}

const std::shared_ptr<const ptx::Module>& Module::ptx() {
  if (!ptx_) load();
  return ptx_;
}

void Module::load() {
  ptx::Module read = ptx::read(image_.text, image_.name);
  if (std::ranges::any_of(read.functions, is_left_to_driver)) {
    const std::string path = read.path;
    read = ptx::link({std::move(read), ptx::read(device_functions, "functions of the driver")});
    read.path = path;
  }
  ptx_ = std::make_shared<const ptx::Module>(std::move(read));
  place_variables();
}

void Module::place_variables() {
  for (u32 id = 0; id < ptx_->variables.size(); ++id) {
    const ptx::Variable& variable = ptx_->variables[id];
    const bool in_memory = variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    if (!in_memory || !variable.bytes() || variable.is_extern) continue;
    Allocation* at =
        session_.memory().allocate({.kind = variable.is_managed ? MemoryKind::Managed : MemoryKind::Variable,
                                    .device = device_,
                                    .bytes = variable.bytes(),
                                    .call = image_.name,
                                    .name = variable.name,
                                    .is_initialized = true});
    if (!at) throw InputError(image_.name + ": no memory for the variable " + variable.name);
    if (variable.space == ptx::Space::Global) at->track_variable();  // kernels may store what nobody wrote there
    machine::fill_variable(*ptx_, id, at->data, at->bytes);
    variables_[variable.name] = at;
  }
}

Kernel* Module::kernel(const std::string& name) {
  std::unique_ptr<Kernel>& kernel = kernels_[name];
  if (kernel) return kernel.get();
  for (const ptx::Function& function : ptx()->functions) {
    if (!function.is_entry || function.name != name || !function.has_body) continue;
    kernel = std::make_unique<Kernel>(*this, *ptx_, function);
    session_.kernels.insert(kernel.get());
    return kernel.get();
  }
  kernels_.erase(name);
  return nullptr;
}

std::vector<Kernel*> Module::kernels() {
  std::vector<Kernel*> out;
  for (const ptx::Function& function : ptx()->functions) {
    if (function.is_entry && function.has_body) out.push_back(kernel(function.name));
  }
  return out;
}

Allocation* Module::variable(const std::string& name) {
  const auto at = variables().find(name);
  return at == variables_.end() ? nullptr : at->second;
}

const std::map<std::string, Allocation*>& Module::variables() {
  ptx();
  return variables_;
}

}  // namespace ropewalk::driver
