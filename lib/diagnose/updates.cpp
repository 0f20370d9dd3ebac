#include "lib/diagnose/updates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/diagnose/access_words.h"
#include "lib/diagnose/kernel_text.h"
#include "lib/diagnose/kernel_waits.h"
#include "lib/finding/phrases.h"
#include "lib/ptx/updates.h"
#include "lib/ptx/write.h"

namespace ropewalk::diagnose {

namespace {

// The load and the store of an update, by their instructions.
struct Update {
  u32 load = 0, store = 0;
};

// The update that an access is a part of.
class Updates {
 public:
  Updates(const ptx::Module& module, const ptx::Function& entry)
      : module_(module), entry_(entry), flow_(ptx::flow_of(module, entry)) {}

  std::optional<Update> of(const FindingLocation& access) const {
    const ptx::Instruction* const it = instruction_at(entry_, access.ptx_line);
    return it ? of(u32(it - entry_.instructions.data())) : std::nullopt;
  }

  // Whether some load looks at what others stored, and is no part of an update: as one that waits for a turn.
  bool has_other_strong_loads() const {
    for (u32 n = 0; n < entry_.instructions.size(); ++n) {
      const ptx::Opcode& opcode = module_.opcode(entry_.instructions[n]);
      const bool is_strong = opcode.has("volatile") || opcode.has("relaxed") || opcode.has("acquire");
      if (is_strong && is_load(opcode.text) && !of(n)) return true;
    }
    return false;
  }

  // Whether the statement of an update loads something else there, too: `s[t] = s[t] + s[t + 1]`.
  bool looks_at_others(const Update& update) const {
    const auto position_of = [&](u32 n) {
      const ptx::Location& at = entry_.locations[entry_.instructions[n].location];
      return std::pair(at.file, at.line);
    };
    const auto is_shared = [&](u32 n) { return module_.opcode(entry_.instructions[n]).has("shared"); };
    for (u32 n = 0; n < entry_.instructions.size(); ++n) {
      if (n == update.load || !is_load(module_.opcode(entry_.instructions[n]).text) ||
          is_shared(n) != is_shared(update.load) || position_of(n) != position_of(update.store))
        continue;
      const auto other = of(n);
      if (!other || other->load != n) return true;
    }
    return false;
  }

 private:
  std::optional<Update> of(u32 number) const {
    const std::string& text = module_.opcode(entry_.instructions[number]).text;
    const u32 last = is_store(text) ? number + 1 : flow_.blocks[flow_.block_of[number]].last;
    for (u32 n = number; n < last; ++n) {
      const auto load = ptx::load_of_update(module_, entry_, flow_, n);
      if (load && (*load == number || n == number)) return Update{*load, n};
    }
    return std::nullopt;
  }

  const ptx::Module& module_;
  const ptx::Function& entry_;
  const ptx::Flow flow_;
};

std::string text_of(const ptx::Instruction& it, const Scene& scene) {
  return fmt::format("{} (PTX line {})", ptx::text_of(*scene.launch.module, *scene.entry(), it), it.line);
}

bool is_race(const Finding& it) { return it.rule == Rule::SharedRace || it.rule == Rule::GlobalRace; }

// Whether an atomic operation keeps something of what is there, whatever that is.
bool adds_to_what_is_there(const std::string& instruction) {
  constexpr std::array<std::string_view, 8> all{".add", ".min", ".max", ".and", ".or.", ".xor", ".inc", ".dec"};
  return is_atomic(instruction) &&
         std::ranges::any_of(all, [&](std::string_view it) { return instruction.find(it) != instruction.npos; });
}

// Whether accesses to the race's tensor go where they should not: then two threads may meet for that reason alone.
bool has_stray_accesses(const Finding& race, const Scene& scene) {
  return race.access && std::ranges::any_of(scene.findings, [&](const Finding& it) {
           const bool is_stray = it.rule == Rule::OutOfBoundsRead || it.rule == Rule::OutOfBoundsWrite ||
                                 it.rule == Rule::MisalignedAccess;
           return is_stray && it.access && it.access->tensor == race.access->tensor;
         });
}

}  // namespace

std::optional<Cause> missing_atomic(const Finding& finding, const Scene& scene) {
  const ptx::Function* const entry = scene.entry();
  if (!is_race(finding) || !entry || !finding.location || !finding.other_location || !finding.thread ||
      !finding.tried_barriers.empty() || !finding.missing_orders.empty())
    return std::nullopt;
  const FindingLocation &here = *finding.location, &there = *finding.other_location;
  const Updates updates(*scene.launch.module, *entry);
  const auto one = updates.of(here), other = updates.of(there);
  if (!(one || is_atomic(here.instruction)) || !(other || is_atomic(there.instruction)) || !(one || other))
    return std::nullopt;
  // Where threads may take turns, by a lock or a flag, it is that which does not do what it should.
  if (uses_results_of_atomics(scene) || updates.has_other_strong_loads()) return std::nullopt;
  if (has_stray_accesses(finding, scene)) return std::nullopt;
  const Update& update = one ? *one : *other;
  // Of several threads that read it nobody took note of each: one may be the thread that stores, and the others look at
  // a neighbour's element.
  const bool are_known = finding.other_thread || finding.message.find(change_lost) != std::string::npos;
  if (!are_known && updates.looks_at_others(update)) return std::nullopt;
  // The store is what a reader looks for.
  const bool is_here = other ? here.ptx_line == entry->instructions[update.store].line : one.has_value();
  const FindingLocation &of_update = is_here ? here : there, &elsewhere = is_here ? there : here;
  const std::string line = location_text(of_update, same_position(here, there) ? FindingLocation() : elsewhere);
  const std::string others = finding.other_thread ? text_of(*finding.other_thread) : "others";
  const auto step = [&](u32 n) { return text_of(entry->instructions[n], scene); };
  Cause cause;
  cause.id = "missing-atomic";
  cause.text =
      one && other
          ? fmt::format("several threads update one element at {} by a load and a store", line)
          : fmt::format("what others change by an atomic operation is updated at {} by a load and a store", line);
  cause.evidence = {
      fmt::format("the update is {} and {}; {} and {} change that element, and one change is lost "
                  "where the other comes between",
                  step(update.load), step(update.store), text_of(*finding.thread), others)};
  cause.advice = fmt::format(
      "use an atomic operation at {} (atomicAdd, atomicMax, or a loop around atomicCAS), or give each thread an "
      "element of its own",
      line);
  return cause;
}

std::optional<Cause> unset_accumulator(const Finding& finding, const Scene& scene) {
  const ptx::Function* const entry = scene.entry();
  if (finding.rule != Rule::UninitializedRead || !entry || !finding.location || finding.other_location ||
      !finding.access || finding.access->tensor.empty() || !finding.tried_barriers.empty())
    return std::nullopt;
  const auto races_there = [&](const Finding& it) {
    return is_race(it) && it.access && it.access->tensor == finding.access->tensor;
  };
  if (std::ranges::any_of(scene.findings, races_there)) return std::nullopt;
  const FindingLocation& here = *finding.location;
  const ptx::Instruction* const read = instruction_at(*entry, here.ptx_line);
  const auto update = Updates(*scene.launch.module, *entry).of(here);
  const bool is_update = read && update && &entry->instructions[update->load] == read;
  if (!is_update && !adds_to_what_is_there(here.instruction)) return std::nullopt;
  const Access& access = *finding.access;
  const std::string line = location_text(here, FindingLocation());
  Cause cause;
  cause.id = "unset-accumulator";
  cause.text = fmt::format("{} adds to an element of {} that nobody has set", line, access.tensor);
  cause.evidence = {is_update
                        ? fmt::format("what {} loads, {} puts back, changed", text_of(*read, scene),
                                      text_of(entry->instructions[update->store], scene))
                        : fmt::format("{} (PTX line {}) goes on from what is there", here.instruction, here.ptx_line)};
  cause.advice = access.space == "global"
                     ? "set it before the launch (cudaMemset counts bytes), or store the first value there instead of "
                       "adding it; if other elements were set, compare the index"
                     : "store there what it begins with before that, and put a barrier behind the store if other "
                       "threads add to it, too";
  return cause;
}

}  // namespace ropewalk::diagnose
