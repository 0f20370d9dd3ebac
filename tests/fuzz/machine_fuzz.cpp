// Any bytes as PTX whose entries are launched: text, reading, decoding, a launch that fits the parameters, and a short
// run on both tiers. What cannot be used is refused with one line; what the machine does not know is not run; nothing
// else ends a run but its own end or its budget.
#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "lib/ptx/read.h"
#include "tests/fuzz/ptx_mutator.h"
#include "tests/fuzz/require.h"

namespace {

using namespace ropewalk;

// A tensor for each parameter of 64 bits, small numbers for others, a struct of pointers for bytes.
Launch launch_of(std::shared_ptr<const ptx::Module> module, const ptx::Function& entry) {
  Launch launch;
  launch.module = std::move(module);
  launch.entry = entry.name;
  launch.grid = {2, 1, 1};
  bool required = false;
  const u32 threads = entry.block_threads(&required);
  launch.block = {required ? std::clamp(threads, 1u, 1024u) : threads ? std::clamp(threads, 1u, 40u) : 40u, 1, 1};
  launch.dynamic_shared_bytes = 1024;
  launch.tensors.push_back({.name = "x", .dtype = Dtype::F32, .shape = {64, 4}, .strides = {4, 1}, .init = Fill{1}});
  launch.tensors.push_back({.name = "y", .dtype = Dtype::I32, .shape = {128}, .strides = {1}, .init = Uninitialized{}});
  for (u32 n = 0; n < entry.parameter_count; ++n) {
    const ptx::Variable& parameter = entry.parameter(n);
    if (parameter.extents.empty() && parameter.vector == 1) {
      if (ptx::size_of(parameter.type) == 8)
        launch.arguments.push_back(TensorArgument{n % 2});
      else
        launch.arguments.push_back(ScalarArgument{Dtype::I32, 17});
      continue;
    }
    StructArgument whole{.bytes = parameter.bytes(), .parts = {}};
    for (u64 at = 0; at + 8 <= std::min<u64>(whole.bytes, 64); at += 8) whole.parts.push_back({at, TensorArgument{0}});
    launch.arguments.push_back(whole);
  }
  return launch;
}

void run(const Launch& launch) {
  for (const bool careful : {false, true}) {
    RunOptions options;
    options.threads = 1;
    options.budget = 20000;
    options.seconds = 0.5;
    options.careful_only = careful;
    const Outcome outcome = machine::make_machine()->run(launch, options);
    require(outcome.kind != OutcomeKind::NotRun || !outcome.reason.empty(),
            "a launch that did not run and does not say why", launch.entry);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  std::shared_ptr<const ptx::Module> module;
  try {
    module = std::make_shared<const ptx::Module>(ptx::read({reinterpret_cast<const char*>(data), size}, "input.ptx"));
  } catch (const InputError& error) {
    require_message(error.what(), "input.ptx");
    return 0;
  }
  u32 entries = 0;
  for (const ptx::Function& function : module->functions) {
    if (!function.is_entry || ++entries > 3) continue;
    try {
      run(launch_of(module, function));
    } catch (const InputError& error) {
      require_message(error.what(), "");
    }
  }
  return 0;
}

namespace {

// The largest text that libFuzzer may be given, and what it gave last: lines of it go into the next.
std::string& last_text() {
  static std::string text;
  return text;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(ropewalk::u8* data, size_t size, size_t most, unsigned seed) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string changed = mutated_ptx(text, last_text(), seed);
  if (size < 20000) last_text() = text;
  const size_t kept = std::min(changed.size(), most);
  std::memcpy(data, changed.data(), kept);
  return kept;
}
