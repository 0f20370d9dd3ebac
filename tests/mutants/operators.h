// The rules by which mutants are made: each knows one kind of mistake, and where in a function it can be made.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tests/mutants/edit.h"

namespace ropewalk::mutants {

// A register that holds a kernel parameter, or a part of a structure that is one, from the function's start on.
struct ParameterRegister {
  u32 number = 0;  // of the register
  ptx::Type type = ptx::Type::None;
  u32 parameter = 0;  // of the kernel
  i64 offset = 0;     // bytes into the parameter
};

// An instruction that a rule looks at.
struct Site {
  const ptx::Module& module;
  const ptx::Function& function;
  const std::vector<ParameterRegister>& parameters;  // by parameter and offset
  u32 number = 0;                                    // of the instruction

  const ptx::Instruction& instruction() const { return function.instructions[number]; }
  const ptx::Opcode& opcode() const { return module.opcode(instruction()); }
  const ptx::Operand& operand(u32 k) const { return function.operands[instruction().first_operand + k]; }
  // The last modifier that is a type; None where there is none.
  ptx::Type type() const;
  // Whether the address of a load or store is in global or shared memory.
  bool accesses_memory() const;
};

// One way to make the mistake at a site.
struct Change {
  std::string what;  // "lt becomes le"
  std::function<void(Editor&, u32 n)> apply;
};

struct Operator {
  const char* name;
  const char* meaning;  // the mistake, in a few words
  std::vector<Change> (*changes)(const Site& site);
};

// All rules, in a fixed order.
const std::vector<Operator>& operators();

// What holds parameters at the start of the function, before its first label and branch.
std::vector<ParameterRegister> parameter_registers(const ptx::Module& module, const ptx::Function& function);

// The opcode's text with one modifier in place of another.
std::string with_modifier(const ptx::Opcode& opcode, const std::string& old, const std::string& other);

// operators_compare.cpp: bounds and conditions.
std::vector<Change> relaxed_comparison(const Site& site);
std::vector<Change> shifted_bound(const Site& site);
std::vector<Change> negated_condition(const Site& site);
// operators_flow.cpp: masks, loops and barriers.
std::vector<Change> missing_mask(const Site& site);
std::vector<Change> cut_loop(const Site& site);
std::vector<Change> dropped_barrier(const Site& site);
// operators_memory.cpp: accesses.
std::vector<Change> half_vector(const Site& site);
std::vector<Change> shifted_address(const Site& site);
std::vector<Change> dropped_store(const Site& site);
// operators_index.cpp: the arithmetic of indices.
std::vector<Change> swapped_stride(const Site& site);
std::vector<Change> int32_for_int64(const Site& site);
std::vector<Change> wrong_axis(const Site& site);
std::vector<Change> half_element(const Site& site);
// operators_value.cpp: the arithmetic of values.
std::vector<Change> swapped_sum(const Site& site);
std::vector<Change> dropped_term(const Site& site);
std::vector<Change> dropped_sign(const Site& site);

}  // namespace ropewalk::mutants
