#include "lib/machine/decode/inline_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

// Ends the name of a shared variable, before the number of its function; no PTX has it in a name.
constexpr char owner_mark = '@';

using ptx::Function;
using ptx::Instruction;
using ptx::Module;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

bool is_return(const Module& module, const Instruction& it) { return module.opcode(it).op == "ret"_op; }

// What a call names: the function, or the register that holds its address, and the .param variables of returned values
// and arguments, in the callee's order.
struct Call {
  u32 function = 0;
  const Operand* address = nullptr;
  const Operand* table = nullptr;  // the name of its prototype or targets
  std::vector<u32> variables;
};

std::optional<Call> call_of(const Module& module, const Function& caller, const Instruction& it) {
  if (module.opcode(it).op != "call"_op || it.predicate != Instruction::no_predicate) return {};
  Call call;
  bool named = false;
  for (u32 i = 0; i < it.operand_count; ++i) {
    const Operand& operand = caller.operands[it.first_operand + i];
    if (operand.kind == Kind::Function) {
      call.function = operand.id;
      named = true;
    } else if (operand.kind == Kind::Register) {
      call.address = &operand;
      named = true;
    } else if (operand.kind == Kind::Text) {
      call.table = &operand;
    } else if (operand.kind == Kind::Vector) {
      for (u32 part = 0; part < operand.count; ++part) {
        const Operand& variable = caller.operands[operand.first + part];
        if (variable.kind != Kind::Variable || variable.value != 0) return {};
        call.variables.push_back(variable.id);
      }
    } else {
      return {};
    }
  }
  if (!named) return {};
  return call;
}

// The functions whose address an instruction or an initialiser takes, ascending.
std::vector<u32> addresses_taken(const Module& module) {
  std::set<u32> taken;
  for (const Function& function : module.functions) {
    for (const Instruction& it : function.instructions) {
      if (module.opcode(it).op == "call"_op) continue;
      for (u32 i = 0; i < it.operand_count; ++i) {
        const Operand& operand = function.operands[it.first_operand + i];
        if (operand.kind == Kind::Function) taken.insert(operand.id);
      }
    }
  }
  std::set<std::string_view> named;
  for (const ptx::Variable& variable : module.variables) {
    for (const auto& relocation : variable.relocations) named.insert(relocation.symbol);
  }
  for (u32 id = 0; id < module.functions.size(); ++id) {
    if (named.contains(module.functions[id].name)) taken.insert(id);
  }
  return {taken.begin(), taken.end()};
}

class Inliner {
 public:
  explicit Inliner(const Module& module) : module_(module) {
    for (u32 i = 0; i < module.opcodes.size(); ++i) {
      if (module.opcodes[i].text == "bra" || (!branch_ && module.opcodes[i].op == "bra"_op)) branch_ = i;
      if (module.opcodes[i].text == "brx.idx") branch_table_ = i;
    }
  }

  Function expand(const Function& function) {
    Function out = function;
    out.instructions.clear();
    out.pragmas.clear();
    std::vector<u32> index;  // where the function's own instructions went
    index.reserve(function.instructions.size() + 1);
    u64 pragma = 0;
    for (const Instruction& it : function.instructions) {
      const u32 own = u32(index.size());
      for (; pragma < function.pragmas.size() && function.pragmas[pragma].instruction == own; ++pragma) {
        out.pragmas.push_back({u32(out.instructions.size()), function.pragmas[pragma].text});
      }
      index.push_back(u32(out.instructions.size()));
      const auto call = call_of(module_, function, it);
      const Function* callee = call && !call->address ? body_of(call->function) : nullptr;
      if (call && call->address)
        branch_to_any(out, it, *call);
      else if (callee && fits(out, *callee, *call))
        append(out, it, *callee, *call);
      else
        out.instructions.push_back(it);
    }
    index.push_back(u32(out.instructions.size()));
    for (u64 i = 0; i < function.labels.size(); ++i) out.labels[i].instruction = index[function.labels[i].instruction];
    return out;
  }

 private:
  // The callee with its own calls expanded; nullptr where it has no body or is being expanded already.
  const Function* body_of(u32 id) {
    for (u64 steps = 0; !module_.functions[id].alias.empty() && steps < module_.functions.size(); ++steps) {
      const auto named = std::find_if(module_.functions.begin(), module_.functions.end(),
                                      [&](const Function& f) { return f.name == module_.functions[id].alias; });
      if (named == module_.functions.end()) return nullptr;
      id = u32(named - module_.functions.begin());
    }
    const Function& function = module_.functions[id];
    if (!function.has_body || function.instructions.empty()) return nullptr;
    const auto known = bodies_.find(id);
    if (known != bodies_.end()) return known->second ? &*known->second : nullptr;
    if (depth_ == most_call_depth) return nullptr;
    bodies_.emplace(id, std::nullopt);
    ++depth_;
    Function body = expand(with_owner(function, id));
    --depth_;
    return &*(bodies_[id] = std::move(body));
  }

  bool fits(const Function& out, const Function& callee, const Call& call) const {
    if (call.variables.size() != callee.return_count + callee.parameter_count) return false;
    // A body whose instructions vanish may still have registers, labels and operands, which double as well.
    const auto too_many = [&](auto Function::*part) {
      return (out.*part).size() + (callee.*part).size() > 8 * most_inlined_instructions;
    };
    if (out.instructions.size() + callee.instructions.size() > most_inlined_instructions) return false;
    if (too_many(&Function::operands) || too_many(&Function::registers) || too_many(&Function::labels) ||
        too_many(&Function::variables) || too_many(&Function::locations) || too_many(&Function::texts)) {
      return false;
    }
    if (branch_) return true;
    // Without a branch to build upon, the only return must be the last instruction.
    return std::none_of(callee.instructions.begin(), callee.instructions.end() - 1,
                        [&](const Instruction& it) { return is_return(module_, it); }) &&
           callee.instructions.back().predicate == Instruction::no_predicate;
  }

  void append(Function& out, const Instruction& at, const Function& callee, const Call& call) {
    const u32 registers = u32(out.registers.size()), labels = u32(out.labels.size()), texts = u32(out.texts.size());
    const u32 operands = u32(out.operands.size()), locations = u32(out.locations.size());
    const u32 shared = u32(module_.variables.size());
    out.registers.insert(out.registers.end(), callee.registers.begin(), callee.registers.end());
    std::vector<u32> variables = call.variables;  // by the callee's numbering
    for (u64 i = variables.size(); i < callee.variables.size(); ++i) {
      variables.push_back(shared + variable_index(out, callee.variables[i]));
    }
    for (Operand operand : callee.operands) {
      switch (operand.kind) {
        case Kind::Register:
          operand.id += registers;
          break;
        case Kind::Variable:
          if (operand.id >= shared) operand.id = variables[operand.id - shared];
          break;
        case Kind::Label:
          operand.id += labels;
          break;
        case Kind::Address:
        case Kind::Vector:
        case Kind::Pair:
          operand.first += operands;
          break;
        case Kind::Text:
          operand.id += texts;
          break;
        case Kind::Special:
          if (ptx::Special(operand.id) == ptx::Special::Unknown) operand.value += texts;
          break;
        default:
          break;
      }
      out.operands.push_back(operand);
    }
    append_positions(out, at, callee);
    append_tables(out, callee, labels);
    const u32 first = u32(out.instructions.size());
    for (const ptx::Pragma& pragma : callee.pragmas) out.pragmas.push_back({first + pragma.instruction, pragma.text});
    for (const ptx::Label& label : callee.labels) out.labels.push_back({label.name, first + label.instruction});
    const u32 back = u32(out.labels.size());  // the label behind the call
    const u32 to_back = add_target(out, back);
    for (Instruction it : callee.instructions) {
      it.first_operand += operands;
      it.location = it.location ? it.location + locations - 1 : at.location;
      if (it.predicate != Instruction::no_predicate) it.predicate += registers;
      if (is_return(module_, it)) {
        if (branch_) it.opcode = *branch_;
        it.first_operand = to_back;
        it.operand_count = 1;
      }
      out.instructions.push_back(it);
    }
    // Without a branch the return is the last instruction, and falls through.
    if (!branch_ && is_return(module_, callee.instructions.back())) out.instructions.pop_back();
    out.labels.push_back({callee.name + "$end$" + std::to_string(back), u32(out.instructions.size())});
  }

  // Where a variable of a callee stands among those of `out`. A block has one copy of a shared variable of a function,
  // however often that is called; of all others each call has its own.
  static u32 variable_index(Function& out, const ptx::Variable& variable) {
    const auto known = variable.space == ptx::Space::Shared
                           ? std::ranges::find(out.variables, variable.name, &ptx::Variable::name)
                           : out.variables.end();
    const u32 index = u32(known - out.variables.begin());
    if (known == out.variables.end()) out.variables.push_back(variable);
    return index;
  }

  // The function, with names of its shared variables that no other function has.
  static Function with_owner(Function function, u32 id) {
    for (ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::Shared) variable.name += owner_mark + std::to_string(id);
    }
    return function;
  }

  // A call of an address: a branch by its number to the body of each function that it may name, and for all other
  // addresses to the call itself, which says that it cannot be run.
  void branch_to_any(Function& out, const Instruction& it, const Call& call) {
    if (!branch_ || !branch_table_) return out.instructions.push_back(it);
    ptx::LabelTable table;
    table.name = "$functions$" + std::to_string(out.labels.size());
    const u32 not_here = add_label(out, table.name + "$none"), back = add_label(out, table.name + "$end");
    table.labels.assign(module_.functions.size() + 1, not_here);
    Instruction branch = it;
    branch.opcode = *branch_table_;
    branch.first_operand = u32(out.operands.size());
    branch.operand_count = 2;
    const Operand address = *call.address;
    out.operands.push_back(address);
    add_text(out, table.name);
    out.instructions.push_back(branch);
    for (const u32 id : functions_for(out, call)) {
      const Function* const callee = body_of(id);
      if (!callee || !fits(out, *callee, call)) continue;
      table.labels[id] = add_label(out, table.name + "$" + module_.functions[id].name);
      append(out, it, *callee, call);
      Instruction on = it;
      on.opcode = *branch_;
      on.first_operand = add_target(out, back);
      on.operand_count = 1;
      out.instructions.push_back(on);
    }
    out.labels[not_here].instruction = u32(out.instructions.size());
    out.instructions.push_back(it);
    out.labels[back].instruction = u32(out.instructions.size());
    out.tables.push_back(std::move(table));
  }

  static u32 add_label(Function& out, std::string name) {
    out.labels.push_back({std::move(name), u32(out.instructions.size())});
    return u32(out.labels.size()) - 1;
  }

  // An operand that names a label; its index in the pool.
  static u32 add_target(Function& out, u32 label) {
    Operand target;
    target.kind = Kind::Label;
    target.id = label;
    out.operands.push_back(target);
    return u32(out.operands.size()) - 1;
  }

  static void add_text(Function& out, std::string text) {
    Operand operand;
    operand.kind = Kind::Text;
    operand.id = u32(out.texts.size());
    out.texts.push_back(std::move(text));
    out.operands.push_back(operand);
  }

  // The functions that a call may go to: those that it lists, or those whose address is taken; of its parameters.
  std::vector<u32> functions_for(const Function& caller, const Call& call) {
    if (taken_.empty()) taken_ = addresses_taken(module_);
    const std::vector<u32>* targets = &taken_;
    if (call.table) {
      const std::string& name = caller.texts[call.table->id];
      for (const ptx::LabelTable& table : caller.tables) {
        if (table.name == name && !table.functions.empty()) targets = &table.functions;
      }
    }
    std::vector<u32> out;
    for (const u32 id : *targets) {
      const Function& function = module_.functions[id];
      bool fits = function.return_count + function.parameter_count == call.variables.size();
      for (u64 i = 0; fits && i < call.variables.size(); ++i) {
        fits = function.variables[i].bytes() == module_.variable(caller, call.variables[i]).bytes();
      }
      if (fits) out.push_back(id);
    }
    return out;
  }

  // Positions of the callee: inlined at the call.
  void append_positions(Function& out, const Instruction& at, const Function& callee) const {
    const u32 base = u32(out.locations.size()) - 1;
    const auto& names = module_.inlined_functions;
    const u64 name = u64(std::find(names.begin(), names.end(), callee.name) - names.begin());
    for (u64 i = 1; i < callee.locations.size(); ++i) {
      ptx::Location location = callee.locations[i];
      if (location.inlined_at) {
        location.inlined_at += base;
      } else {
        location.inlined_at = at.location;
        location.function = name < names.size() ? u32(name) : 0;
      }
      out.locations.push_back(location);
    }
  }

  // Texts and tables; tables are found by their name, so that each copy has one of its own.
  void append_tables(Function& out, const Function& callee, u32 labels) const {
    const std::string suffix = "$" + std::to_string(out.labels.size());
    for (const std::string& text : callee.texts) {
      const bool names_table = std::any_of(callee.tables.begin(), callee.tables.end(),
                                           [&](const ptx::LabelTable& table) { return table.name == text; });
      out.texts.push_back(names_table ? text + suffix : text);
    }
    for (ptx::LabelTable table : callee.tables) {
      table.name += suffix;
      for (u32& label : table.labels) label += labels;
      out.tables.push_back(std::move(table));
    }
  }

  const Module& module_;
  std::optional<u32> branch_, branch_table_;  // opcodes of the module that branch
  std::vector<u32> taken_;                    // functions whose address is taken
  std::map<u32, std::optional<Function>> bodies_;
  u32 depth_ = 0;
};

}  // namespace

Function inline_calls(const Module& module, const Function& entry) {
  const bool calls = std::any_of(entry.instructions.begin(), entry.instructions.end(),
                                 [&](const Instruction& it) { return module.opcode(it).op == "call"_op; });
  if (!calls) return entry;
  Function out = Inliner(module).expand(entry);
  for (ptx::Variable& variable : out.variables) variable.name = variable.name.substr(0, variable.name.find(owner_mark));
  return out;
}

}  // namespace ropewalk::machine
