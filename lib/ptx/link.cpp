#include "lib/ptx/link.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "lib/base/error.h"
#include "lib/ptx/builder.h"
#include "lib/ptx/header.h"

namespace ropewalk::ptx {

namespace {

// "9.0" behind "8.8".
bool is_newer(const std::string& version, const std::string& than) {
  const auto number = [](const std::string& text) {
    const u64 dot = text.find('.');
    return std::pair(std::stoul(text.substr(0, dot)), std::stoul(text.substr(dot + 1)));
  };
  return number(version) > number(than);
}

// How much a definition counts: one takes the place of a lesser one.
enum class Rank { Declared, Common, Weak, Strong };
Rank rank_of(const Variable& variable) {
  if (variable.is_extern) return Rank::Declared;
  return variable.linkage == "common" ? Rank::Common : variable.linkage == "weak" ? Rank::Weak : Rank::Strong;
}
Rank rank_of(const Function& function) {
  if (!function.has_body && function.alias.empty()) return Rank::Declared;
  return function.linkage == "weak" ? Rank::Weak : Rank::Strong;
}

// A variable of a module alone. Functions without a body are always another's.
bool is_own(const Variable& variable) { return variable.linkage.empty(); }
bool is_own(const Function& function) {
  return function.linkage.empty() && !function.is_entry && rank_of(function) != Rank::Declared;
}

class Linker {
 public:
  Module link(const std::vector<Module>& modules) {
    for (const Module& from : modules) {
      note_visible(from.variables);
      note_visible(from.functions);
    }
    for (const Module& from : modules) {
      if (out_.version.empty() || is_newer(from.version, out_.version)) out_.version = from.version;
      if (out_.target.empty() || capability_of(from.target) > capability_of(out_.target)) out_.target = from.target;
      out_.path += (out_.path.empty() ? "" : ", ") + from.path;
      take_names(from);
    }
    for (u32 n = 0; n < modules.size(); ++n) take_bodies(modules[n], n);
    return std::move(out_);
  }

 private:
  // Numbers in the whole, by those of one module.
  struct Part {
    std::vector<u32> variables, functions;
    std::unordered_map<std::string, std::string> renamed;
  };

  template <class Thing>
  void note_visible(const std::vector<Thing>& all) {
    for (const Thing& thing : all) {
      if (!is_own(thing)) taken_.insert(thing.name);
    }
  }

  void take_names(const Module& from) {
    Part& part = parts_.emplace_back();
    for (const Variable& variable : from.variables)
      part.variables.push_back(take(variable, out_.variables, visible_variables_, variable_of_, from.path));
    for (const Function& function : from.functions)
      part.functions.push_back(take(function, out_.functions, visible_functions_, function_of_, from.path));
  }

  template <class Thing>
  u32 take(const Thing& thing, std::vector<Thing>& all, std::map<std::string, u32>& visible, std::vector<u32>& of,
           const std::string& path) {
    Part& part = parts_.back();
    const u32 number = u32(parts_.size() - 1);
    if (is_own(thing)) {
      const std::string name = free_name(thing.name);
      if (name != thing.name) part.renamed[thing.name] = name;
      all.push_back(thing);
      all.back().name = name;
      of.push_back(number);
      return u32(all.size() - 1);
    }
    const auto [known, is_new] = visible.try_emplace(thing.name, u32(all.size()));
    if (is_new) {
      all.push_back(thing);
      of.push_back(number);
      return known->second;
    }
    Thing& other = all[known->second];
    check_alike(thing, other, path);
    if (rank_of(thing) == Rank::Strong && rank_of(other) == Rank::Strong)
      throw InputError(path + ": \"" + thing.name + "\" is defined twice, in another module that is linked, too");
    if (rank_of(thing) > rank_of(other)) {
      other = thing;
      of[known->second] = number;
    }
    return known->second;
  }

  void check_alike(const Variable& a, const Variable& b, const std::string& path) const {
    const bool is_sized = a.bytes() && b.bytes();
    if (a.space == b.space && (!is_sized || a.bytes() == b.bytes())) return;
    throw InputError(path + ": \"" + a.name + "\" has another size or state space in another module that is linked");
  }
  void check_alike(const Function& a, const Function& b, const std::string& path) const {
    if (a.is_entry == b.is_entry && a.parameter_count == b.parameter_count && a.return_count == b.return_count) return;
    throw InputError(path + ": \"" + a.name + "\" has other parameters in another module that is linked");
  }

  std::string free_name(const std::string& name) {
    std::string out = name;
    for (u32 n = 2; !taken_.insert(out).second; ++n) out = name + "$linked" + std::to_string(n);
    return out;
  }

  void take_bodies(const Module& from, u32 number) {
    const Part& part = parts_[number];
    const auto name_of = [&](const std::string& name) {
      const auto renamed = part.renamed.find(name);
      return renamed == part.renamed.end() ? name : renamed->second;
    };
    std::vector<u32> opcodes, files, inlined;
    for (const Opcode& opcode : from.opcodes) opcodes.push_back(opcodes_.number_of(opcode.text));
    for (const std::string& file : from.files) files.push_back(number_of(out_.files, file));
    for (const std::string& name : from.inlined_functions) inlined.push_back(number_of(out_.inlined_functions, name));
    for (u32 n = 0; n < from.variables.size(); ++n) {
      Variable& variable = out_.variables[part.variables[n]];
      variable.alignment = std::max(variable.alignment, from.variables[n].alignment);
      if (variable_of_[part.variables[n]] != number) continue;
      for (Variable::Relocation& relocation : variable.relocations) relocation.symbol = name_of(relocation.symbol);
    }
    const u32 added = u32(out_.variables.size() - from.variables.size());
    for (u32 n = 0; n < from.functions.size(); ++n) {
      if (function_of_[part.functions[n]] != number) continue;
      Function& function = out_.functions[part.functions[n]];
      if (!function.alias.empty()) function.alias = name_of(function.alias);
      for (Instruction& it : function.instructions) it.opcode = opcodes[it.opcode];
      for (Operand& operand : function.operands) {
        if (operand.kind == Operand::Kind::Function) operand.id = part.functions[operand.id];
        if (operand.kind != Operand::Kind::Variable) continue;
        operand.id = operand.id < part.variables.size() ? part.variables[operand.id] : operand.id + added;
      }
      for (LabelTable& table : function.tables) {
        for (u32& callee : table.functions) callee = part.functions[callee];
      }
      for (Location& location : function.locations) {
        location.file = files[location.file];
        location.function = inlined[location.function];
      }
    }
  }

  static u32 number_of(std::vector<std::string>& all, const std::string& text) {
    const auto known = std::ranges::find(all, text);
    if (known != all.end()) return u32(known - all.begin());
    all.push_back(text);
    return u32(all.size() - 1);
  }

  Module out_;
  OpcodeTable opcodes_{out_};
  std::map<std::string, u32> visible_variables_, visible_functions_;
  std::set<std::string> taken_;
  std::vector<Part> parts_;                     // by module
  std::vector<u32> variable_of_, function_of_;  // modules, by what of them stands in the whole
};

}  // namespace

Module link(const std::vector<Module>& modules) { return Linker().link(modules); }

}  // namespace ropewalk::ptx
