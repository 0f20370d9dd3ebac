#include "lib/ptx/variable_origins.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

constexpr u32 most_variables = 62;

// What a register holds: nothing yet, a number, addresses in some variables, or anything.
struct Held {
  static constexpr u64 number = u64(1) << 62, anything = u64(1) << 63;
  u64 bits = 0;

  bool is_unset() const { return bits == 0; }
  bool is_number() const { return bits == number; }
  bool is_address() const { return bits != 0 && bits < number; }
  bool operator==(const Held&) const = default;
};

constexpr Held any{Held::anything}, a_number{Held::number};

Held join(Held a, Held b) {
  if (a.is_unset() || a == b) return b;
  if (b.is_unset()) return a;
  return a.is_address() && b.is_address() ? Held{a.bits | b.bits} : any;
}

// An address moved by a number stays in its variable.
Held moved(Held a, Held b) {
  if (a.is_unset() || b.is_unset()) return {};
  if (a.is_number()) return b;
  return b.is_number() ? a : any;
}

// The distance of two addresses in one variable is a number; that of others leads from one to the other.
Held difference(Held a, Held b) {
  if (a.is_address() && b.is_address()) return a == b && (a.bits & (a.bits - 1)) == 0 ? a_number : any;
  return a.is_number() && b.is_address() ? any : moved(a, b);
}

class Follower {
 public:
  Follower(const Module& module, const Function& function, Space space) : module_(module), function_(function) {
    const u32 variables = u32(module.variables.size() + function.variables.size());
    const std::set<u32> taken = space == Space::Param ? parameters_in_moves() : std::set<u32>{};
    const std::vector<bool> is_named = variables_named_in(function, variables);
    u32 dynamic = most_variables;
    for (u32 id = 0; id < variables; ++id) {
      const Variable& variable = module.variable(function, id);
      if (variable.space != space || (space == Space::Param && !taken.contains(id))) continue;
      if (id < module.variables.size() && !is_named[id]) continue;  // another entry's
      const bool is_dynamic = variable.is_extern && variable.bytes() == 0;
      if (is_dynamic && dynamic < most_variables) {
        number_[id] = dynamic;
        continue;
      }
      if (out_.variables.size() == most_variables) {
        number_[id] = most_variables;
        continue;
      }
      number_[id] = u32(out_.variables.size());
      if (is_dynamic) dynamic = number_[id];
      out_.variables.push_back(id);
    }
    has_neighbors_ = out_.variables.size() > (space == Space::Param && function.parameter_count > 1 ? 0 : 1);
  }

  VariableOrigins follow() {
    out_.of_address.assign(function_.instructions.size(), 0);
    if (!has_neighbors_) return std::move(out_);
    held_.resize(function_.registers.size());
    // Values rise at most as often as there are variables; what has not settled by then is not worth the time.
    bool changed = true;
    for (u32 round = 0; changed; ++round) {
      if (round > most_variables) return std::move(out_);
      changed = false;
      for (const Instruction& instruction : function_.instructions) changed |= step(instruction);
    }
    for (u32 i = 0; i < function_.instructions.size(); ++i) out_.of_address[i] = address_of(function_.instructions[i]);
    return std::move(out_);
  }

 private:
  const Operand& operand(const Instruction& instruction, u32 n) const {
    return function_.operands[instruction.first_operand + n];
  }
  const Operand& part(const Operand& whole, u32 n) const { return function_.operands[whole.first + n]; }

  Held of_variable(u32 id) const {
    const auto at = number_.find(id);
    if (at == number_.end()) return any;
    return at->second == most_variables ? any : Held{u64(1) << at->second};
  }

  Held value(const Operand& operand) const {
    switch (operand.kind) {
      case Kind::Register:
        return held_[operand.id];
      case Kind::Variable:
        return of_variable(operand.id);
      case Kind::Vector: {
        // Of an address in halves the lower one tells; of several addresses none does.
        if (operand.count == 0) return a_number;
        Held all = value(part(operand, 0));
        for (u32 n = 1; n < operand.count; ++n) {
          const Held other = value(part(operand, n));
          if (other.is_unset()) return {};
          if (!other.is_number()) all = any;
        }
        return all;
      }
      case Kind::Integer:
      case Kind::Float:
      case Kind::Float32:
      case Kind::Special:
        return a_number;
      default:
        return any;
    }
  }

  bool give(const Operand& target, Held value) {
    if (target.kind == Kind::Vector || target.kind == Kind::Pair) {
      bool changed = false;
      for (u32 n = 0; n < target.count; ++n) {
        const Held own = n == 0 || !value.is_address() ? value : a_number;
        changed |= give(part(target, n), own);
      }
      return changed;
    }
    if (target.kind != Kind::Register) return false;
    const Held joined = join(held_[target.id], value);
    if (joined == held_[target.id]) return false;
    held_[target.id] = joined;
    return true;
  }

  // Those whose address is taken. All others are read where they lie.
  std::set<u32> parameters_in_moves() const {
    const u32 first = u32(module_.variables.size()) + function_.return_count;
    std::set<u32> out;
    for (const Instruction& instruction : function_.instructions) {
      if (instruction.operand_count != 2 || module_.opcode(instruction).op != "mov"_op) continue;
      const Operand& from = operand(instruction, 1);
      if (from.kind == Kind::Variable && from.id >= first && from.id < first + function_.parameter_count)
        out.insert(from.id);
    }
    return out;
  }

  // The .param variable of a call that an access names, with the byte; nullptr: it names none.
  Held* argument(const Operand& address) {
    if (address.kind != Kind::Address || address.count != 1) return nullptr;
    const Operand& base = part(address, 0);
    const u32 modules = u32(module_.variables.size());
    if (base.kind != Kind::Variable || base.id < modules + function_.return_count + function_.parameter_count)
      return nullptr;
    if (function_.variables[base.id - modules].space != Space::Param) return nullptr;
    return &arguments_[{base.id, address.value + base.value}];
  }

  bool step(const Instruction& instruction) {
    const InstructionFacts& facts = module_.opcode(instruction).facts();
    const u32 count = instruction.operand_count;
    if (count < 2) return false;
    if (facts.access == Access::Store) {
      Held* const known = argument(operand(instruction, 0));
      if (!known) return false;
      const Held joined = join(*known, value(operand(instruction, 1)));
      const bool changed = joined != *known;
      *known = joined;
      return changed;
    }
    if (facts.turn == Turn::Call) {
      // What a function that is not followed gives back may be anything.
      bool changed = false;
      for (u32 n = 0; n < count; ++n) changed |= give(operand(instruction, n), any);
      return changed;
    }
    if (facts.carries == Carries::Loaded) {
      const Held* const known = argument(operand(instruction, 1));
      return give(operand(instruction, 0), known ? *known : a_number);
    }
    return give(operand(instruction, 0), result(instruction, facts.carries));
  }

  Held result(const Instruction& instruction, Carries carries) const {
    const u32 count = instruction.operand_count;
    const auto at = [&](u32 n) { return n < count ? value(operand(instruction, n)) : a_number; };
    if (carries == Carries::Copy) return at(1);
    if (carries == Carries::Sum || carries == Carries::Mask || carries == Carries::Mix)
      return moved(moved(at(1), at(2)), at(3));
    if (carries == Carries::Difference) return difference(at(1), at(2));
    if (carries == Carries::SumOfProduct) return moved(of_others(instruction, 1, 3), at(3));
    if (carries == Carries::Choice || carries == Carries::Pick) return join_known(at(1), at(2));
    return carries == Carries::Number ? a_number : of_others(instruction, 1, count);
  }

  static Held join_known(Held a, Held b) { return a.is_unset() || b.is_unset() ? Held{} : join(a, b); }

  // A result that is no address where all operands are numbers, and may be anything where one is an address.
  Held of_others(const Instruction& instruction, u32 first, u32 last) const {
    Held out = a_number;
    for (u32 n = first; n < last; ++n) {
      const Held held = value(operand(instruction, n));
      if (held.is_unset()) return {};
      if (!held.is_number()) out = any;
    }
    return out;
  }

  u64 address_of(const Instruction& instruction) const {
    for (u32 n = 0; n < instruction.operand_count; ++n) {
      const Operand& address = operand(instruction, n);
      if (address.kind != Kind::Address) continue;
      if (address.count != 1) return 0;
      const Held held = value(part(address, 0));
      return held.is_address() ? held.bits : 0;
    }
    return 0;
  }

  const Module& module_;
  const Function& function_;
  VariableOrigins out_;
  bool has_neighbors_ = false;
  std::map<u32, u32> number_;                      // by variable: its bit
  std::vector<Held> held_;                         // by register
  std::map<std::pair<u32, i64>, Held> arguments_;  // by .param variable of a call, and byte
};

}  // namespace

std::vector<bool> variables_named_in(const Function& function, u64 count) {
  std::vector<bool> out(count);
  for (const Operand& operand : function.operands) {
    if (operand.kind == Kind::Variable) out[operand.id] = true;
  }
  return out;
}

VariableOrigins variable_origins(const Module& module, const Function& function, Space space) {
  return Follower(module, function, space).follow();
}

}  // namespace ropewalk::ptx
