// What a register can be known to hold, as far as addresses go, and how instructions pass it on; inside of lib/ptx
// only.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "lib/ptx/instruction_table.h"
#include "lib/ptx/module.h"
#include "lib/ptx/provenance.h"

namespace ropewalk::ptx {

struct AddressValue {
  enum class Kind : u8 {
    None,       // a number, or nothing known yet
    Pointer,    // derived from the 64 bits at `offset` of the parameter, or from the address of `variable`
    Parameter,  // the address of byte `offset` of the parameter itself
    Ambiguous   // several of these
  };
  Kind kind = Kind::None;
  bool surely = false;  // of Ambiguous: one of them is surely a pointer
  i32 parameter = 0;
  i32 offset = 0;
  i32 variable = Origin::unknown;  // of a Pointer without parameter: a global or constant variable of the module
  i32 within = Origin::unknown;    // of Ambiguous: the parameter, a struct by value, that all of them stand in
  bool is_own_address = false;  // of Ambiguous within one: they are addresses of its own bytes, not what stands there
  bool operator==(const AddressValue&) const = default;
};

// The rules of one function. A parameter of 64 bits may be a pointer or a number (a stride, say); it is surely a
// pointer when it says .ptr or when something derived from it serves as an address. In a sum the sure pointer wins.
class AddressRules {
 public:
  AddressRules(const Module& module, const Function& function);

  // Whether the instruction's result may be an address that its operands tell.
  bool derives(const Instruction& instruction) const { return rules_[instruction.opcode] != Carries::Other; }

  // What the instruction gives its `element`-th destination; value_of(register) tells what an operand holds.
  template <typename ValueOf>
  AddressValue result(const Instruction& instruction, u32 element, const ValueOf& value_of) const {
    const Operand* const operands = function_.operands.data() + instruction.first_operand;
    const auto value = [&](u32 i) {
      return i < instruction.operand_count ? held(operands[i], value_of) : AddressValue{};
    };
    const auto constant = [&](u32 i) {
      const bool is_constant = i < instruction.operand_count && operands[i].kind == Operand::Kind::Integer;
      return is_constant ? &operands[i].value : nullptr;
    };
    switch (rules_[instruction.opcode]) {
      case Carries::Copy:
        return value(1);
      case Carries::Loaded:
        return instruction.operand_count > 1 ? loaded(value(1), operands[1].value, element) : AddressValue{};
      case Carries::Sum:
        return sum(value(1), constant(1), value(2), constant(2));
      case Carries::Difference:
        return difference(value(1), value(2), constant(2));
      case Carries::SumOfProduct:
        return sum({}, nullptr, value(3), nullptr);
      case Carries::Mask:
        return sum(value(1), nullptr, value(2), nullptr);
      case Carries::Choice:
        return join(value(1), value(2));
      default:
        return {};
    }
  }

  AddressValue join(AddressValue a, AddressValue b) const;
  static Origin origin(const AddressValue& value);
  // The address operand of a memory instruction whose origin is asked for, nullptr where it has none.
  const Operand* address_of(const Instruction& instruction) const;
  // Notes the parameters that serve as addresses when registers hold `values`; whether that was news.
  bool learn_pointers(const std::vector<AddressValue>& values);

 private:
  bool is_sure(const AddressValue& value) const;
  AddressValue moved(AddressValue parameter, const i64* by) const;
  AddressValue loaded(AddressValue base, i64 offset, u32 element) const;
  AddressValue sum(AddressValue a, const i64* a_constant, AddressValue b, const i64* b_constant) const;
  AddressValue difference(AddressValue a, AddressValue b, const i64* b_constant) const;
  AddressValue of_variable(const Operand& operand) const;

  template <typename ValueOf>
  AddressValue held(const Operand& operand, const ValueOf& value_of) const {
    switch (operand.kind) {
      case Operand::Kind::Register:
        return value_of(operand.id);
      case Operand::Kind::Variable:
        return of_variable(operand);
      case Operand::Kind::Address:
        return operand.count == 1 ? held(function_.operands[operand.first], value_of) : AddressValue{};
      case Operand::Kind::Vector:
        // Of an address in halves the upper one tells.
        return operand.count ? held(function_.operands[operand.first + operand.count - 1], value_of) : AddressValue{};
      default:
        return {};
    }
  }

  const Module& module_;
  const Function& function_;
  std::vector<Carries> rules_;          // by opcode; Other where the result is no pointer
  std::vector<u32> counting_;           // by opcode: which address operand counts, from 1 on; 0: none
  std::set<std::pair<i32, i32>> sure_;  // parameters and offsets of sure pointers
  std::set<i32> sure_structs_;  // parameters of which one pointer or another, not known which, serves as an address
};

}  // namespace ropewalk::ptx
