// A kernel of a loaded module, as the driver knows it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/finding/finding.h"
#include "lib/ptx/module.h"

namespace ropewalk::driver {

class Module;

class Kernel {
 public:
  Kernel(Module& module, const ptx::Module& ptx, const ptx::Function& entry);
  Kernel(const Kernel&) = delete;

  struct Parameter {
    u32 offset = 0, bytes = 0;  // in the parameter block
  };

  Module& module;
  const ptx::Function& entry;
  std::string shown_name;  // as people write it: without parameters
  std::vector<Parameter> parameters;
  u32 parameter_bytes = 0;
  // By parameter and byte in it: what the kernel mostly accesses through that pointer.
  std::map<std::pair<u32, u32>, Dtype> accessed;
  bool follows_pointers = false;        // that it finds in memory, or in what it calls: it may reach any memory
  bool uses_variables = false;          // of its module
  bool synchronises = false;            // it has fences, acquires or releases
  bool may_trigger_dependents = false;  // griddepcontrol.launch_dependents
  u64 static_shared_bytes = 0, constant_bytes = 0, local_bytes = 0;
  // What the program set; before that, what static memory leaves of 48 KiB (CUDA Driver API, CUfunction_attribute).
  u32 max_dynamic_shared_bytes = 48 << 10;
  u64 launches = 0;
  // What was reported of its launches, by the machine's id of the finding.
  std::map<std::string, Finding> reported;

 private:
  void count(const ptx::Variable& variable);
};

}  // namespace ropewalk::driver
