// Puts new instructions, registers, labels and variables into a function that is being rewritten; inside of lib/ptx
// only.
#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Numbers of opcodes by their text; adds those that the module does not have yet.
class OpcodeTable {
 public:
  explicit OpcodeTable(Module& module);
  u32 number_of(std::string_view text);

 private:
  Module& module_;
  std::unordered_map<std::string, u32> numbers_;
};

// A condition of an instruction: @%p or @!%p.
struct Predicate {
  u32 id = Instruction::no_predicate;
  bool negated = false;
};

// Collects the new body of a function. Old instructions are copied with keep(), new ones are made with emit(); finish()
// puts everything in place: old labels and pragmas stay before their instructions and before what was emitted for
// them.
class Builder {
 public:
  Builder(Module& module, OpcodeTable& opcodes, Function& function);

  const Function& function() const { return function_; }
  // A register that only new instructions name; the same one for the same name.
  u32 reg(std::string_view name, Type type);
  // A label that is placed later.
  u32 label();
  void place(u32 label);
  // A variable of the body, named `name`; the same one for the same name.
  u32 variable(std::string_view name, Space space, Type type);

  static Operand of_register(u32 id);
  static Operand number(i64 value);
  static Operand of_special(Special special);
  static Operand of_variable(u32 id, i64 offset = 0);
  static Operand of_label(u32 id);
  static Operand of_function(u32 id);
  // [base + offset], base a register or a variable.
  Operand address(Operand base, i64 offset = 0);
  Operand vector(std::initializer_list<Operand> parts);

  // The position that new instructions get: that of an old one.
  void stand_at(const Instruction& old) { position_ = old; }
  void emit(std::string_view opcode, std::initializer_list<Operand> operands, Predicate predicate = {});
  // An old instruction as it is.
  void keep(u32 old);
  // The next old instruction, or the end past the last one, begins here: what stood before it stands before what is
  // emitted from now on.
  void begin() { new_indices_.push_back(u32(instructions_.size())); }
  // To be called once, at the end.
  void finish();

 private:
  Module& module_;
  OpcodeTable& opcodes_;
  Function& function_;
  std::string prefix_;
  std::vector<Instruction> instructions_;
  std::vector<u32> new_indices_;  // of old instructions
  u32 old_labels_ = 0;
  Instruction position_;
  std::map<std::string, u32, std::less<>> registers_, variables_;
};

}  // namespace ropewalk::ptx
