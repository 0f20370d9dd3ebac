// Turns the instructions of a function into steps.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "lib/machine/address.h"
#include "lib/machine/code.h"
#include "lib/machine/decode/mode.h"
#include "lib/machine/handlers/table.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

// One instruction while it is being decoded, and the means to make steps of it. The files of this folder each decode a
// group of instructions; decode.cpp says which.
class Decoder {
 public:
  explicit Decoder(Code& code);
  // Decodes the instruction with this index: appends its steps.
  void decode(u32 instruction);

  // --- for the groups ---
  const ptx::Instruction& instruction() const { return *instruction_; }
  const ptx::Opcode& opcode() const { return *opcode_; }
  const ptx::Function& function() const { return code_.function; }
  Code& code() { return code_; }
  u32 operand_count() const { return instruction_->operand_count; }
  // The n-th operand; throws InputError where there are fewer.
  const ptx::Operand& operand(u32 n) const;
  // Puts an address operand into value and offset; an address without a space is in that of its variable.
  void set_address(const ptx::Operand& operand, MemorySpace& space, u32& value, i64& offset);
  // The n-th part of a vector, a pair or an address; throws InputError where there are fewer.
  const ptx::Operand& part(const ptx::Operand& whole, u32 n) const;
  // The n-th modifier, or "".
  std::string_view modifier(u32 n) const;
  // The last modifier that is a type; None where there is none.
  ptx::Type type() const { return opcode_->type; }

  // Appends a step of this instruction, under its predicate.
  Step& append(StepKind kind);
  // A value with the operand's bits in `size` bytes: registers that are wider are narrowed, narrower ones
  // zero-extended, immediates made constants. Float immediates become bits of a float of that size.
  u32 source(const ptx::Operand& operand, u32 size);
  u32 predicate(const ptx::Operand& operand);  // a negated one becomes a temporary
  // A value to write `size` bytes to. Where the register has another size, a conversion follows at finish().
  u32 destination(const ptx::Operand& operand, u32 size, bool sign_extend = false);
  u32 temporary(u32 size, bool is_predicate = false);
  u32 constant(u64 bits, u32 size);
  u32 special(ptx::Special special);
  // d = form(a, b, c, e) with values of the sizes that the form takes.
  Step& compute(const KnownForm& form, u32 d, u32 a, u32 b = no_value, u32 c = no_value, u32 e = no_value);
  Step& compute(std::string_view key, u32 d, u32 a, u32 b = no_value, u32 c = no_value, u32 e = no_value);
  // The same into a temporary of `size` bytes.
  u32 computed(std::string_view key, u32 size, u32 a, u32 b = no_value, u32 c = no_value, u32 e = no_value);
  // nullptr: the table has no such form.
  const KnownForm* form(std::string_view key) const;
  // A step that ends the run when a thread reaches it: PTX that the machine does not know.
  void refuse(const std::string& why);
  void refuse_unknown();
  // The mode that the instruction names. An instruction that names none is refused.
  template <class OneMode>
  std::optional<OneMode> mode() {
    const auto mode = mode_of<OneMode>(*opcode_);
    if (!mode) refuse_unknown();
    return mode;
  }
  // Throws InputError at the instruction's line: no PTX.
  [[noreturn]] void reject(const std::string& why) const;
  u32 size_of_value(u32 value) const { return code_.values[value].size; }
  // The offset or address that names a variable: an offset within shared, local or parameter space, else an address.
  u64 variable_address(u32 id) const;
  const ptx::Variable& variable(u32 id) const;
  // The memory space in which an address of this variable is counted.
  MemorySpace variable_space(u32 id) const;

 private:
  void finish();

  Code& code_;
  const ptx::Instruction* instruction_ = nullptr;
  u32 index_ = 0;
  const ptx::Opcode* opcode_ = nullptr;
  std::map<std::pair<u64, u32>, u32> constants_;
  std::map<u32, u32> specials_;
  struct Pending {
    u32 temporary, target;
    bool sign_extend;
  };
  std::vector<Pending> pending_;
  std::vector<u32> temporaries_;
};

// The groups of the table of instructions. Each returns whether it knows the instruction.
bool decode_move(Decoder& decoder);
bool decode_arithmetic(Decoder& decoder);
bool decode_set(Decoder& decoder);
bool decode_parts(Decoder& decoder);
bool decode_video(Decoder& decoder);
bool decode_memory(Decoder& decoder);
bool decode_matrix(Decoder& decoder);
bool decode_control(Decoder& decoder);
bool decode_warp(Decoder& decoder);
bool decode_mbarrier(Decoder& decoder);

}  // namespace ropewalk::machine
