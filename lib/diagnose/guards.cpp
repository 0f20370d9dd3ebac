#include "lib/diagnose/guards.h"

#include <algorithm>
#include <vector>

#include "lib/diagnose/kernel_waits.h"
#include "lib/ptx/flow.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::diagnose {
namespace {

using ptx::Instruction;
using ptx::Operand;

// Which registers' values are made of which others', as far as no memory but the arguments lies between.
class Values {
 public:
  Values(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), made_by_(function.registers.size()), uses_(function.registers.size()) {
    for (const Instruction& it : function.instructions) {
      const ptx::Opcode& opcode = module.opcode(it);
      const bool keeps = opcode.op == "ld"_op ? opcode.has("param") : opcode.op != "atom"_op;
      if (it.operand_count < 2 || !keeps) continue;
      for (const u32 into : registers_of(operand(it, 0), false)) {
        made_by_[into].push_back(&it);
        for (u32 n = 1; n < it.operand_count; ++n) {
          for (const u32 from : registers_of(operand(it, n), true)) uses_[from].push_back(into);
        }
      }
    }
  }

  const Operand& operand(const Instruction& it, u32 n) const { return function_.operands[it.first_operand + n]; }

  // Those of an operand; in_address: also those that an address is made of.
  std::vector<u32> registers_of(const Operand& of, bool in_address) const {
    if (of.kind == Operand::Kind::Register) return {of.id};
    std::vector<u32> found;
    const bool has_parts = of.kind == Operand::Kind::Vector || of.kind == Operand::Kind::Pair ||
                           (in_address && of.kind == Operand::Kind::Address);
    for (u32 n = 0; has_parts && n < of.count; ++n) {
      const Operand& part = function_.operands[of.first + n];
      if (part.kind == Operand::Kind::Register) found.push_back(part.id);
    }
    return found;
  }

  // By register: whether one of these is made of it. They are themselves among them.
  std::vector<bool> behind(const std::vector<u32>& registers) const {
    return spread(registers, [&](u32 at, std::vector<u32>& open) {
      for (const Instruction* it : made_by_[at]) {
        for (u32 n = 1; n < it->operand_count; ++n) {
          for (const u32 from : registers_of(operand(*it, n), true)) open.push_back(from);
        }
      }
    });
  }

  // By register: whether it is made of one of these.
  std::vector<bool> ahead(const std::vector<u32>& registers) const {
    return spread(registers,
                  [&](u32 at, std::vector<u32>& open) { open.insert(open.end(), uses_[at].begin(), uses_[at].end()); });
  }

  // Whether what makes one of these registers holds(instruction).
  template <class Holds>
  bool any_maker(const std::vector<bool>& registers, Holds holds) const {
    for (u32 id = 0; id < registers.size(); ++id) {
      if (registers[id] && std::ranges::any_of(made_by_[id], [&](const Instruction* it) { return holds(*it); }))
        return true;
    }
    return false;
  }

 private:
  template <class Next>
  std::vector<bool> spread(std::vector<u32> open, Next next) const {
    std::vector<bool> found(function_.registers.size(), false);
    while (!open.empty()) {
      const u32 at = open.back();
      open.pop_back();
      if (found[at]) continue;
      found[at] = true;
      next(at, open);
    }
    return found;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<std::vector<const Instruction*>> made_by_;  // by register
  std::vector<std::vector<u32>> uses_;                    // by register: those that are made of it
};

// By axis, whether a value is made of the thread's position on it.
std::vector<bool> axes_of(const Values& values, const std::vector<bool>& registers) {
  std::vector<bool> axes(3, false);
  for (u32 axis = 0; axis < 3; ++axis) {
    axes[axis] = values.any_maker(registers, [&](const Instruction& it) {
      const Operand& from = values.operand(it, 1);
      return from.kind == Operand::Kind::Special && from.id == u32(ptx::Special::TidX) + axis;
    });
  }
  return axes;
}

// "setp.ge.s32", "min.s32": what bounds a number.
bool bounds_a_number(const ptx::Opcode& opcode) {
  if (opcode.op == "min"_op) return true;
  const auto is_order = [&](const char* relation) { return opcode.has(relation); };
  constexpr const char* relations[] = {"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  return (opcode.op == "setp"_op || opcode.op == "set"_op) && std::ranges::any_of(relations, is_order);
}

// Whether control comes to one block from another one by some of its ways on, and not by others, unless it comes by
// that other block again.
bool decides_on(const ptx::Flow& flow, u32 decides, u32 on) {
  const auto leads_on = [&](u32 from) {
    std::vector<bool> seen(flow.blocks.size(), false);
    seen[decides] = true;
    std::vector<u32> open{from};
    while (!open.empty()) {
      const u32 at = open.back();
      open.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      open.insert(open.end(), flow.blocks[at].successors.begin(), flow.blocks[at].successors.end());
    }
    return on != decides && seen[on];
  };
  const std::vector<u32>& ways = flow.blocks[decides].successors;
  return std::ranges::any_of(ways, leads_on) && !std::ranges::all_of(ways, leads_on);
}

}  // namespace

bool is_under_mask(const Finding& finding, const Scene& scene, i32 axis) {
  const ptx::Function* const entry = scene.entry();
  const Instruction* const access =
      entry && finding.location ? instruction_at(*entry, finding.location->ptx_line) : nullptr;
  if (!access) return false;
  const ptx::Module& module = *scene.launch.module;
  const Values values(module, *entry);
  std::vector<u32> address;
  for (u32 n = 0; n < access->operand_count; ++n) {
    const Operand& operand = values.operand(*access, n);
    // A copy may be given how many bytes it is to take.
    const bool says_where =
        operand.kind == Operand::Kind::Address || module.opcode(*access).text.starts_with("cp.async.");
    if (!says_where) continue;
    for (const u32 id : values.registers_of(operand, true)) address.push_back(id);
  }
  const std::vector<bool> behind_address = values.behind(address), axes = axes_of(values, behind_address);
  const ptx::Flow flow = ptx::flow_of(module, *entry);
  const auto block_of = [&](const Instruction& it) { return flow.block_of[u64(&it - entry->instructions.data())]; };
  const auto decides = [&](const std::vector<bool>& made_of_it) {
    for (u32 id = 0; id < made_of_it.size(); ++id) {
      if (made_of_it[id] && behind_address[id]) return true;
    }
    return std::ranges::any_of(entry->instructions, [&](const Instruction& it) {
      if (it.predicate == Instruction::no_predicate || !made_of_it[it.predicate]) return false;
      return &it == access || decides_on(flow, block_of(it), block_of(*access));
    });
  };
  return std::ranges::any_of(entry->instructions, [&](const Instruction& it) {
    if (it.operand_count < 3 || !bounds_a_number(module.opcode(it))) return false;
    std::vector<u32> compared;
    for (u32 n = 1; n < 3; ++n) {
      for (const u32 id : values.registers_of(values.operand(it, n), false)) compared.push_back(id);
    }
    const std::vector<bool> behind = values.behind(compared);
    const std::vector<bool> its_axes = axes_of(values, behind);
    bool shares_axis = false;
    for (i32 n = 0; n < 3; ++n) shares_axis |= axes[u32(n)] && its_axes[u32(n)] && (axis < 0 || axis == n);
    const auto is_argument = [&](const Instruction& maker) { return module.opcode(maker).op == "ld"_op; };
    return shares_axis && values.any_maker(behind, is_argument) &&
           decides(values.ahead(values.registers_of(values.operand(it, 0), false)));
  });
}

}  // namespace ropewalk::diagnose
