#include "lib/diagnose/barriers.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk {
namespace {

bool is_load(const std::string& instruction) {
  return instruction.starts_with("ld.shared") || instruction.starts_with("ldmatrix.");
}
bool is_store(const std::string& instruction) { return instruction.starts_with("st.shared"); }
// A copy that another instruction waits for.
bool is_copy(const std::string& instruction) { return instruction.starts_with("cp.async."); }

// What stands between two lines of the PTX that are both of the entry's body.
struct Between {
  bool known = false;
  bool barrier = false;  // of the block
  bool wait = false;     // for copies
};

Between between(const ptx::Module& module, const ptx::Function& entry, u64 first, u64 last) {
  Between out;
  bool first_is_here = false, last_is_here = false;
  for (const ptx::Instruction& instruction : entry.instructions) {
    first_is_here |= instruction.line == first;
    last_is_here |= instruction.line == last;
    if (instruction.line <= first || instruction.line >= last) continue;
    const std::string& name = module.opcode(instruction).text;
    out.barrier |= name.starts_with("barrier.") || (name.starts_with("bar.") && !name.starts_with("bar.warp"));
    out.wait |= name.starts_with("cp.async.wait");
  }
  out.known = first_is_here && last_is_here;
  return out;
}

bool same_position(const FindingLocation& a, const FindingLocation& b) {
  return !a.file.empty() && a.file == b.file && a.line == b.line;
}

std::string place_of(const FindingLocation& location) {
  return location.file.empty() ? fmt::format("PTX line {}", location.ptx_line)
                               : fmt::format("{}:{}", location.file, location.line);
}

}  // namespace

std::optional<Cause> missing_barrier(const Finding& finding, const Scene& scene) {
  if (finding.rule != Rule::SharedRace || !finding.location || !finding.other_location) return std::nullopt;
  const FindingLocation &here = *finding.location, &there = *finding.other_location;
  const bool loads_here = is_load(here.instruction);
  const FindingLocation &load = loads_here ? here : there, &store = loads_here ? there : here;
  const bool copies = is_copy(store.instruction);
  // An update (+=) that another thread makes as well needs an atomic operation, not a barrier.
  if (!is_load(load.instruction) || !(is_store(store.instruction) || copies) || same_position(load, store)) {
    return std::nullopt;
  }
  const ptx::Function* entry = scene.launch.module ? scene.launch.module->entry(scene.launch.entry) : nullptr;
  if (!entry) return std::nullopt;
  const Between what = between(*scene.launch.module, *entry, std::min(load.ptx_line, store.ptx_line),
                               std::max(load.ptx_line, store.ptx_line));
  // Without a wait before it, a copy may be what is not complete.
  if (!what.known || what.barrier || (copies && !what.wait)) return std::nullopt;
  Cause cause;
  cause.id = "missing-barrier";
  cause.text = fmt::format("what {} {} {} at {} without a barrier between", place_of(there),
                           loads_here ? "writes" : "reads", loads_here ? "is read" : "is overwritten", place_of(here));
  cause.evidence = {
      fmt::format("{} (PTX line {}) and {} (PTX line {}) are of different threads, and none of the "
                  "instructions between them is a barrier",
                  there.instruction, there.ptx_line, here.instruction, here.ptx_line)};
  cause.advice = fmt::format("put __syncthreads() before {}, where all threads of the block come by", place_of(here));
  return cause;
}

}  // namespace ropewalk
