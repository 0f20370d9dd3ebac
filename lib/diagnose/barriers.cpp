#include "lib/diagnose/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "lib/diagnose/access_words.h"
#include "lib/diagnose/kernel_waits.h"
#include "lib/diagnose/overlaps.h"
#include "lib/diagnose/touched.h"
#include "lib/ptx/loops.h"
#include "lib/ptx/provenance.h"
#include "lib/ptx/write.h"

namespace ropewalk::diagnose {
namespace {

// What stands between two lines of the PTX that are both of the entry's body.
struct Between {
  bool known = false;
  bool barrier = false;     // of the block
  bool wait = false;        // for copies
  bool after_wait = false;  // a barrier past the last of these
};

Between between(const ptx::Module& module, const ptx::Function& entry, u64 first, u64 last) {
  Between out;
  bool first_is_here = false, last_is_here = false;
  for (const ptx::Instruction& instruction : entry.instructions) {
    first_is_here |= instruction.line == first;
    last_is_here |= instruction.line == last;
    if (instruction.line <= first || instruction.line >= last) continue;
    const bool comes_to_barrier = may_come_to_barrier(module, entry, instruction);
    const bool waits = is_copy_wait(module, instruction);
    out.barrier |= comes_to_barrier;
    out.wait |= waits;
    out.after_wait = !waits && (out.after_wait || comes_to_barrier);
  }
  out.known = first_is_here && last_is_here;
  return out;
}

// "[%rd4+8]" of an instruction whose opcode names the space of its address; empty: it does not, or has another form.
std::string address_text(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  const std::string_view opcode = std::string_view(text).substr(0, open);
  const bool names_space = opcode.find(".shared") != opcode.npos || opcode.find(".global") != opcode.npos;
  return names_space ? text.substr(open, close - open + 1) : "";
}

bool is_in_one_warp(const Finding& race, const Scene& scene) {
  return race.thread && race.other_thread && are_of_one_warp(*race.thread, *race.other_thread, scene.launch.block);
}

// Whether a store puts back what the same statement has loaded, as `+=` does.
bool is_update(const FindingLocation& store, const ptx::Module& module, const ptx::Function& entry) {
  if (store.file.empty()) return false;
  return std::any_of(entry.instructions.begin(), entry.instructions.end(), [&](const ptx::Instruction& instruction) {
    if (!is_load(module.opcode(instruction).text) || instruction.location >= entry.locations.size()) return false;
    return entry.locations[instruction.location].line == store.line && instruction.line < store.ptx_line;
  });
}

// Whether each thread makes these accesses at addresses of their own, so that they are no update: what names a space
// was optimised, and has each address once.
bool are_at_two_addresses(const FindingLocation& a, const FindingLocation& b) {
  const std::string one = address_text(a.instruction), other = address_text(b.instruction);
  return !one.empty() && !other.empty() && one != other;
}

// Whether the statement of an access makes one of the same kind at this address, too, as an unrolled loop does.
bool is_made_at(const FindingLocation& access, const std::string& address, const ptx::Module& module,
                const ptx::Function& entry) {
  const ptx::Instruction* const known = instruction_at(entry, access.ptx_line);
  if (!known || address.empty()) return false;
  const auto position_of = [&](const ptx::Instruction& it) {
    const ptx::Location& at = entry.locations[it.location];
    return std::pair(at.file, at.line);
  };
  return std::ranges::any_of(entry.instructions, [&](const ptx::Instruction& it) {
    if (position_of(it) != position_of(*known)) return false;
    const std::string text = ptx::text_of(module, entry, it);
    return is_load(text) == is_load(access.instruction) && is_store(text) == is_store(access.instruction) &&
           address_text(text) == address;
  });
}

// Whether the threads of both sides load what is there and store it again, in two statements: they have one element
// together, whichever comes first.
bool are_of_updates(const FindingLocation& a, const FindingLocation& b, const ptx::Module& module,
                    const ptx::Function& entry) {
  return is_made_at(a, address_text(b.instruction), module, entry) &&
         is_made_at(b, address_text(a.instruction), module, entry);
}

bool is_constant(const ptx::Operand& operand, const ptx::Module& module, const ptx::Function& entry) {
  using Kind = ptx::Operand::Kind;
  const auto is_number = [](const ptx::Operand& it) {
    return it.kind == Kind::Integer || it.kind == Kind::Float || it.kind == Kind::Float32;
  };
  if (is_number(operand)) return true;
  if (operand.kind == Kind::Vector) {
    return std::all_of(entry.operands.begin() + operand.first, entry.operands.begin() + operand.first + operand.count,
                       [&](const ptx::Operand& it) { return is_constant(it, module, entry); });
  }
  if (operand.kind != Kind::Register) return false;
  // All that gives the register its value, or takes it from there as its first operand.
  bool is_given = false;
  for (const ptx::Instruction& it : entry.instructions) {
    if (it.operand_count < 2) continue;
    const ptx::Operand& target = entry.operands[it.first_operand];
    const auto parts = std::span(entry.operands).subspan(target.first, target.count);
    const auto is_it = [&](const ptx::Operand& one) { return one.kind == Kind::Register && one.id == operand.id; };
    if (target.kind != Kind::Address && std::ranges::any_of(parts, is_it)) return false;
    if (!is_it(target)) continue;
    if (!module.opcode(it).text.starts_with("mov.") || !is_number(entry.operands[it.first_operand + 1])) return false;
    is_given = true;
  }
  return is_given;
}

// Whether a store gives memory a constant, as one that clears it does.
bool stores_constant(const FindingLocation& store, const ptx::Module& module, const ptx::Function& entry) {
  const ptx::Instruction* const it = instruction_at(entry, store.ptx_line);
  return it && is_store(store.instruction) && it->operand_count == 2 &&
         is_constant(entry.operands[it->first_operand + 1], module, entry);
}

// Whether a barrier between them is what two accesses lack: one reads what the other makes, or an atomic operation
// changes what the other has stored, or a store gives a value to what the other clears. An update (+=) that another
// thread makes as well needs an atomic operation.
bool would_be_ordered(const FindingLocation& a, const FindingLocation& b, const ptx::Module& module,
                      const ptx::Function& entry) {
  // What such a load is given, nothing in the kernel orders.
  const auto is_given = [](const std::string& it) { return it.find("ld.global.nc") != std::string::npos; };
  if (is_given(a.instruction) || is_given(b.instruction)) return false;
  // A statement that loads and stores may be an update.
  if (same_position(a, b) && !are_at_two_addresses(a, b)) return false;
  if (is_load(a.instruction) || is_load(b.instruction)) {
    const std::string& other = (is_load(a.instruction) ? b : a).instruction;
    return is_store(other) || is_copy(other) || is_atomic(other);
  }
  if (is_store(a.instruction) && is_store(b.instruction)) {
    const bool clears_first = stores_constant(a, module, entry);
    return clears_first != stores_constant(b, module, entry) && !is_update(clears_first ? b : a, module, entry);
  }
  const bool stores_first = is_store(a.instruction);
  const FindingLocation &store = stores_first ? a : b, &other = stores_first ? b : a;
  return is_store(store.instruction) && is_atomic(other.instruction) && !is_update(store, module, entry);
}

// Whether a branch goes back past both lines of the PTX.
bool stand_in_one_loop(const ptx::Function& entry, u64 first, u64 last) {
  for (const ptx::Instruction& instruction : entry.instructions) {
    if (instruction.line < last) continue;
    for (u32 n = 0; n < instruction.operand_count; ++n) {
      const ptx::Operand& operand = entry.operands[instruction.first_operand + n];
      if (operand.kind != ptx::Operand::Kind::Label) continue;
      const u32 target = entry.labels[operand.id].instruction;
      if (target < entry.instructions.size() && entry.instructions[target].line <= first) return true;
    }
  }
  return false;
}

// The two sides of a race in the order in which the kernel's text has them race.
struct Sides {
  FindingLocation before, after;
  bool next_round = false;  // of a loop: the way from the one to the other goes back
  std::string without;      // where there is no barrier: "none of the instructions between them is a barrier"
};

// Whether what is here is to come first: control gets from it to the other without a barrier, and not the other way
// round. Where both can be, as in a loop that has no barrier, what was run first comes first. Where control gets from
// neither to the other in this way, they are of two arms, as where thread 0 goes on with what it has stored, and the
// others load it: arms stand in the PTX in any order, and are as in the source. nullopt: nothing says which.
std::optional<bool> comes_first(const FindingLocation& here, const FindingLocation& there, const ptx::Module& module,
                                const ptx::Function& entry) {
  const bool forth = ways_between(module, entry, here.ptx_line, there.ptx_line).without;
  const bool back = ways_between(module, entry, there.ptx_line, here.ptx_line).without;
  if (forth != back) return forth;
  if (forth) return false;
  if (here.file != there.file || here.line == there.line) return std::nullopt;
  return here.line < there.line;
}

// Whether the two are in arms of one branch, of which the one behind is in its arm alone: threads of the other arm
// execute no part of its line.
bool are_in_arms(const FindingLocation& before, const FindingLocation& after, const ptx::Module& module,
                 const ptx::Function& entry) {
  const ptx::Instruction *const first = instruction_at(entry, before.ptx_line), *const last = instruction_at(
                                                                                    entry, after.ptx_line);
  if (!first || !last || after.file.empty()) return false;
  const ptx::Flow flow = ptx::flow_of(module, entry);
  const auto number_of = [&](const ptx::Instruction* it) { return u32(it - entry.instructions.data()); };
  if (ptx::reached(flow, {number_of(last)})[number_of(first)]) return false;
  const std::vector<bool> behind = ptx::reached(flow, {number_of(first)});
  const ptx::Location& line = entry.locations[last->location];
  for (u32 n = 0; n < entry.instructions.size(); ++n) {
    const ptx::Location& at = entry.locations[entry.instructions[n].location];
    if (behind[n] && at.file == line.file && at.line == line.line && at.inlined_at == line.inlined_at) return false;
  }
  return true;
}

// Sides of which one stands behind the other in the text, with no barrier between the two lines.
std::optional<Sides> sides_in_text(const FindingLocation& here, const FindingLocation& there, const Scene& scene,
                                   const ptx::Function& entry) {
  const bool loads_here = is_load(here.instruction);
  const FindingLocation &load = loads_here ? here : there, &store = loads_here ? there : here;
  const bool copies = is_copy(store.instruction);
  const Between what = between(*scene.launch.module, entry, std::min(load.ptx_line, store.ptx_line),
                               std::max(load.ptx_line, store.ptx_line));
  // Without a wait before it, a copy may be what is not complete; with one, a barrier before the wait orders nothing.
  // Where it overwrites what was read, it need not be complete.
  const bool is_awaited = copies && loads_here && store.ptx_line < load.ptx_line;
  const bool overwrites = !loads_here && load.ptx_line < store.ptx_line;
  if (!what.known || (is_awaited ? what.after_wait : what.barrier) || (copies && !what.wait && !overwrites))
    return std::nullopt;
  const std::optional<bool> is_first = comes_first(here, there, *scene.launch.module, entry);
  if (!is_first) return std::nullopt;
  return Sides{*is_first ? here : there, *is_first ? there : here, false,
               fmt::format("none of the instructions {} is a barrier",
                           is_awaited && what.barrier ? "from the wait for the copy on" : "between them")};
}

// Sides that control comes to one after the other without a barrier, though it meets one on every way back, as the read
// of a tile and the write that fills it again in the next round of a loop.
std::optional<Sides> sides_by_flow(const FindingLocation& here, const FindingLocation& there, const Scene& scene,
                                   const ptx::Function& entry) {
  const ptx::Module& module = *scene.launch.module;
  for (const auto& [before, after] : {std::pair(there, here), std::pair(here, there)}) {
    // What a copy brings is to be waited for as well.
    if (is_copy(before.instruction)) continue;
    const Ways forth = ways_between(module, entry, before.ptx_line, after.ptx_line);
    const Ways back = ways_between(module, entry, after.ptx_line, before.ptx_line);
    if (!forth.without || back.past_all) continue;
    const bool next_round =
        after.ptx_line < before.ptx_line && stand_in_one_loop(entry, after.ptx_line, before.ptx_line);
    return Sides{before, after, next_round,
                 next_round ? "a way round the loop from the one to the other passes no barrier"
                            : "a way from the one to the other passes no barrier"};
  }
  return std::nullopt;
}

// Of two stores: whether a thread that has cleared what the other gives a value to goes on to that without a barrier.
bool clears_first(const FindingLocation& before, const FindingLocation& after, const ptx::Module& module,
                  const ptx::Function& entry) {
  return stores_constant(before, module, entry) &&
         ways_between(module, entry, before.ptx_line, after.ptx_line).without &&
         !ways_between(module, entry, after.ptx_line, before.ptx_line).without;
}

// The branch back of the outermost loop that has the one and not the other; nullptr: there is no such loop. Where the
// other is a copy, it is none that has a wait for copies either, behind which the barrier stands.
const ptx::Instruction* branch_back_around(const FindingLocation& one, const FindingLocation& other,
                                           const ptx::Module& module, const ptx::Function& entry) {
  const ptx::Instruction *const inside = instruction_at(entry, one.ptx_line), *const outside =
                                                                                  instruction_at(entry, other.ptx_line);
  if (!inside || !outside) return nullptr;
  const ptx::Flow flow = ptx::flow_of(module, entry);
  const auto is_in = [&](const ptx::Loop& loop, const ptx::Instruction& it) {
    return loop.has[flow.block_of[u64(&it - entry.instructions.data())]];
  };
  const auto blocks_in = [](const ptx::Loop& loop) { return std::ranges::count(loop.has, true); };
  std::vector<ptx::Loop> loops = ptx::loops_of(flow);
  const auto waits = [&](const ptx::Loop& loop) {
    return std::ranges::any_of(entry.instructions,
                               [&](const ptx::Instruction& it) { return is_copy_wait(module, it) && is_in(loop, it); });
  };
  std::erase_if(loops, [&](const ptx::Loop& it) {
    return !is_in(it, *inside) || is_in(it, *outside) || (is_copy(other.instruction) && waits(it));
  });
  const auto outermost = std::ranges::max_element(loops, {}, blocks_in);
  return outermost == loops.end() ? nullptr : &entry.instructions[flow.blocks[outermost->back].last - 1];
}

// A loop that an access is in. Compilers give the branch back the line of the loop's head, if that has the condition.
// `file`: of the branch back; empty: it has none, or is in a function that was inlined. `around`: words for the access.
std::string loop_text(const FindingLocation& access, const std::string& around, const std::string& file, u64 line) {
  const bool is_head = !file.empty() && file == access.file && line <= access.line;
  return is_head ? fmt::format("the loop at {}:{}", file, line) : "the loop around " + around;
}

// The branch around the access that comes after, which some threads alone make; nullptr: all of its loop make it.
const ptx::Instruction* branch_around(const Sides& sides, const ptx::Module& module, const ptx::Function& entry) {
  const ptx::Instruction* const after = instruction_at(entry, sides.after.ptx_line);
  if (!after) return nullptr;
  const ptx::Flow flow = ptx::flow_of(module, entry);
  const u32 number = u32(after - entry.instructions.data());
  const u32 branch = ptx::branch_around(flow, ptx::loops_of(flow), number);
  return branch == number ? nullptr : &entry.instructions[branch];
}

// Whether both stand under a branch that some threads take alone: no place between them is one where all pass.
bool are_under_branch(const Sides& sides, const ptx::Module& module, const ptx::Function& entry) {
  const ptx::Instruction* const branch = branch_around(sides, module, entry);
  const ptx::Instruction* const before = instruction_at(entry, sides.before.ptx_line);
  if (!branch || !before || sides.next_round) return false;
  const auto number_of = [&](const ptx::Instruction* it) { return u32(it - entry.instructions.data()); };
  const ptx::Flow flow = ptx::flow_of(module, entry);
  return flow.block_of[number_of(before)] != flow.block_of[number_of(branch)] &&
         !ptx::reached(flow, {number_of(before)})[number_of(branch)];
}

// What a barrier would have to stand before: the access that comes after, or the loop that it stands in and the other
// does not, which threads may go round differently often.
std::string place_of_barrier(const Sides& sides, const ptx::Module& module, const ptx::Function& entry) {
  const std::string place = location_text(sides.after, sides.before);
  const ptx::Instruction* const back = branch_back_around(sides.after, sides.before, module, entry);
  if (const ptx::Instruction* const branch = back ? nullptr : branch_around(sides, module, entry)) {
    const ptx::Location& at = entry.locations[branch->location];
    const bool has_file = branch->location != 0 && at.inlined_at == 0 && at.file < module.files.size();
    // Behind a load for the branch itself, that is no place before it.
    const bool is_of_before = has_file && module.files[at.file] == sides.before.file && at.line == sides.before.line;
    if (has_file && !is_of_before) return fmt::format("the branch at {}:{}", module.files[at.file], at.line);
  }
  if (!back) return place + (sides.next_round ? " or at the end of the loop" : "");
  const ptx::Location& at = entry.locations[back->location];
  const bool has_file = back->location != 0 && at.inlined_at == 0 && at.file < module.files.size();
  return loop_text(sides.after, place, has_file ? module.files[at.file] : "", at.line) +
         (sides.next_round ? " or at the end of the outer loop" : "");
}

// What a barrier that was tried stood before, or at the end of.
std::string place_of_tried(const TriedBarrier& tried, const Sides& sides) {
  const bool is_of_after = same_position(tried.location, sides.after);
  const std::string at = text_apart(tried.location, is_of_after ? sides.before : sides.after);
  if (tried.where == TriedBarrier::Where::Before) return "before " + at;
  const std::optional<FindingLocation>& back = tried.branch_back;
  const bool has_file = back && back->inlined.empty();
  const std::string loop = loop_text(tried.location, at, has_file ? back->file : "", back ? back->line : 0);
  return (tried.where == TriedBarrier::Where::BeforeLoop ? "before " : "at the end of ") + loop;
}

std::string places_of_tried(const Finding& finding, const Sides& sides) {
  std::string text;
  for (const TriedBarrier& it : finding.tried_barriers)
    text += (text.empty() ? "" : ", and another one ") + place_of_tried(it, sides);
  return finding.other_barrier ? text + " or " + place_of_tried(*finding.other_barrier, sides) : text;
}

// Whether it races among the threads of each block alone, as far as anybody saw.
bool races_in_blocks(const Finding& finding, const Scene& scene) {
  if (finding.rule == Rule::SharedRace) return true;
  const Dim3& grid = scene.launch.grid;
  const bool has_one_block = grid.x == 1 && grid.y == 1 && grid.z == 1;
  if (!has_one_block && (scene.launch.blocks.count || finding.occurrences.at_least)) return false;
  return finding.rule == Rule::GlobalRace && !finding.across_blocks;
}

// The same of all races for its tensor, which one kernel has for one reason.
bool barriers_would_do(const Finding& finding, const Scene& scene) {
  if (!races_in_blocks(finding, scene)) return false;
  if (finding.rule == Rule::SharedRace) return true;
  return std::all_of(scene.findings.begin(), scene.findings.end(), [&](const Finding& other) {
    const bool is_alike = other.rule == finding.rule && tensor_of(other, scene) == tensor_of(finding, scene);
    return !is_alike || races_in_blocks(other, scene);
  });
}

// Whether both sides reach global memory by the same pointer. Of two that lead to the same memory the caller may have
// given one too many.
bool share_pointer(const FindingLocation& a, const FindingLocation& b, const ptx::Module& module,
                   const ptx::Function& entry) {
  const std::vector<ptx::Origin> origins = ptx::address_origins(module, entry);
  const auto origin_of = [&](const FindingLocation& location) {
    for (u64 n = 0; n < entry.instructions.size(); ++n) {
      if (entry.instructions[n].line == location.ptx_line) return origins[n];
    }
    return ptx::Origin();
  };
  const ptx::Origin one = origin_of(a), other = origin_of(b);
  if (one.parameter >= 0) return one.parameter == other.parameter && one.offset == other.offset;
  return one.parameter == ptx::Origin::unknown && other.parameter == ptx::Origin::unknown && one.variable >= 0 &&
         one.variable == other.variable;
}

}  // namespace

bool lack_same_barriers(const Finding& a, const Finding& b) {
  const auto ptx_line_of = [](const TriedBarrier& it) { return std::pair(it.where, it.location.ptx_line); };
  return !a.tried_barriers.empty() &&
         std::ranges::equal(a.tried_barriers, b.tried_barriers, {}, ptx_line_of, ptx_line_of);
}

std::optional<Cause> missing_barrier(const Finding& finding, const Scene& scene) {
  // Where a signal is there that only orders nothing, its fences are what lacks.
  if (!finding.location || !finding.other_location || !finding.missing_orders.empty() ||
      !barriers_would_do(finding, scene) || is_in_overlap(finding, scene) || is_of_one_thread(finding))
    return std::nullopt;
  const FindingLocation &here = *finding.location, &there = *finding.other_location;
  const ptx::Function* const entry = scene.entry();
  if (!entry || !would_be_ordered(here, there, *scene.launch.module, *entry) ||
      has_other_waits(*scene.launch.module, *entry)) {
    return std::nullopt;
  }
  // Blocks that signal to each other may share what raced among the threads of one.
  if (finding.rule == Rule::GlobalRace && scene.launch.grid.count() > 1 &&
      signals_in_global(*scene.launch.module, *entry))
    return std::nullopt;
  const bool are_two_stores = is_store(here.instruction) && is_store(there.instruction);
  // In global memory threads may have one element together, and change it in several statements.
  if (finding.rule == Rule::GlobalRace &&
      (!share_pointer(here, there, *scene.launch.module, *entry) || !are_at_two_addresses(here, there) ||
       are_of_updates(here, there, *scene.launch.module, *entry) || are_two_stores)) {
    return std::nullopt;
  }
  std::optional<Sides> sides = sides_in_text(here, there, scene, *entry);
  if (!sides) sides = sides_by_flow(here, there, scene, *entry);
  const bool is_tried = !finding.tried_barriers.empty();
  if (!sides && is_tried) sides = Sides{there, here, false, "no barrier stands where one would end that"};
  if (!sides) return std::nullopt;
  const FindingLocation &before = sides->before, &after = sides->after;
  if (are_two_stores && !clears_first(before, after, *scene.launch.module, *entry)) return std::nullopt;
  const std::string place = location_text(after, before);
  Cause cause;
  cause.id = "missing-barrier";
  cause.text = fmt::format("what {} {} {} at {}{} without a barrier between", location_text(before, after),
                           does(before.instruction, finding.rule), is_done_to(after.instruction, finding.rule), place,
                           sides->next_round ? " in the next round of the loop" : "");
  cause.evidence = {fmt::format("{} (PTX line {}) and {} (PTX line {}) are of different threads, and {}",
                                before.instruction, before.ptx_line, after.instruction, after.ptx_line,
                                sides->without)};
  // Other threads may race here, too: that these two are of one warp does not say that its barrier is enough.
  const bool one_warp =
      is_in_one_warp(finding, scene) && std::ranges::all_of(scene.findings, [&](const Finding& it) {
        return it.rule != finding.rule || !lack_same_barriers(it, finding) || is_in_one_warp(it, scene);
      });
  if (is_tried)
    cause.evidence.push_back(fmt::format("with {} there, the launch was run again without this race",
                                         finding.tried_barriers.size() == 1 ? "a barrier" : "barriers"));
  const bool is_under = !is_tried && are_under_branch(*sides, *scene.launch.module, *entry);
  if (is_under || are_in_arms(before, after, *scene.launch.module, *entry)) {
    cause.advice = fmt::format(
        "end the if behind {}, put __syncthreads() there, where all threads of the block pass, and begin another one "
        "for {}",
        location_text(before, after), place);
    return cause;
  }
  const auto [first, last] = std::minmax(before.ptx_line, after.ptx_line);
  const bool is_in_loop = !is_tried && stand_in_one_loop(*entry, first, last);
  cause.advice = fmt::format(
      "put __syncthreads() {}, where all threads of the block pass{}{}",
      is_tried ? places_of_tried(finding, *sides) : "before " + place_of_barrier(*sides, *scene.launch.module, *entry),
      is_in_loop ? "; all of them must go round the loop equally often" : "",
      one_warp ? "; __syncwarp() where it is one warp alone" : "");
  return cause;
}

}  // namespace ropewalk::diagnose
