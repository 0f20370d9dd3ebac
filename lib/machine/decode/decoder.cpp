#include "lib/machine/decode/decoder.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "lib/base/error.h"
#include "lib/base/half.h"

namespace ropewalk::machine {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

Decoder::Decoder(Code& code) : code_(code) {
  for (u32 i = 0; i < code.function.registers.size(); ++i) {
    const ptx::Type type = code.function.registers[i].type;
    Value value;
    value.source = Value::Source::Register;
    value.is_predicate = type == ptx::Type::Pred;
    value.size = u8(std::max(1u, ptx::size_of(type)));
    if (!value.is_predicate && value.size == 1) value.size = 2;  // .b8 registers live in 16 bits
    value.register_id = i;
    code.values.push_back(value);
  }
}

void Decoder::decode(u32 instruction) {
  index_ = instruction;
  instruction_ = &code_.function.instructions[instruction];
  opcode_ = &code_.module->opcodes[instruction_->opcode];
  pending_.clear();
  // By Group.
  constexpr std::array groups{decode_arithmetic, decode_move,     decode_memory, decode_control,
                              decode_warp,       decode_mbarrier, decode_matrix, decode_video};
  const ptx::InstructionFacts& facts = opcode_->facts();
  if (!facts.missing.empty())
    refuse(fmt::format("{} is not supported: {} are not", opcode_->text, facts.missing));
  else if (!groups[u64(facts.group)](*this))
    refuse_unknown();
  finish();
}

std::string_view Decoder::modifier(u32 n) const {
  return n < opcode_->modifiers.size() ? std::string_view(opcode_->modifiers[n]) : std::string_view();
}

const Operand& Decoder::operand(u32 n) const {
  if (n >= operand_count()) {
    reject(fmt::format("{} has {} operands, expected {} or more", opcode_->text, operand_count(), n + 1));
  }
  return code_.function.operands[instruction_->first_operand + n];
}

const Operand& Decoder::part(const Operand& whole, u32 n) const {
  if (n >= whole.count)
    reject(fmt::format("{} has an operand of {} parts, expected {} or more", opcode_->text, whole.count, n + 1));
  return code_.function.operands[whole.first + n];
}

void Decoder::reject(const std::string& why) const {
  throw InputError(InputLocation{code_.module->path, instruction_->line, instruction_->column, {}}, why);
}

Step& Decoder::append(StepKind kind) {
  Step step;
  step.kind = kind;
  step.instruction = index_;
  if (instruction_->predicate != ptx::Instruction::no_predicate) {
    step.predicate = instruction_->predicate;
    step.predicate_negated = instruction_->predicate_negated;
  }
  code_.steps.push_back(std::move(step));
  return code_.steps.back();
}

u32 Decoder::temporary(u32 size, bool is_predicate) {
  Value value;
  value.source = Value::Source::Temporary;
  value.size = u8(size);
  value.is_predicate = is_predicate;
  code_.values.push_back(value);
  return u32(code_.values.size() - 1);
}

void Decoder::set_address(const Operand& operand, MemorySpace& space, u32& value, i64& offset) {
  value = no_value;
  offset = operand.value;
  if (operand.kind != Kind::Address) reject(fmt::format("{} without an address in brackets", opcode_->text));
  if (operand.count == 0) return;
  const Operand& base = part(operand, 0);
  if (base.kind == Kind::Variable) {
    offset = i64(u64(offset) + u64(base.value) + variable_address(base.id));
    const MemorySpace own = variable_space(base.id);
    if (space == MemorySpace::Generic || space == MemorySpace::Parameter) space = own;
  } else {
    // What every block or thread has for itself can be named by 32 bits; generic and global addresses have 64.
    const bool is_near = space == MemorySpace::Shared || space == MemorySpace::Local || space == MemorySpace::Parameter;
    const bool is_narrow = base.kind == Kind::Register && is_near && size_of_value(base.id) == 4;
    value = source(base, is_narrow ? 4 : 8);
  }
}

u32 Decoder::constant(u64 bits, u32 size) {
  if (size < 8) bits &= (u64(1) << (8 * size)) - 1;
  const auto [at, inserted] = constants_.try_emplace({bits, size}, u32(code_.values.size()));
  if (inserted) {
    Value value;
    value.source = Value::Source::Constant;
    value.size = u8(size);
    value.constant = bits;
    code_.values.push_back(value);
  }
  return at->second;
}

u32 Decoder::special(ptx::Special special) {
  const auto [at, inserted] = specials_.try_emplace(u32(special), u32(code_.values.size()));
  if (inserted) {
    Value value;
    value.source = Value::Source::Special;
    value.special = special;
    value.size = special == ptx::Special::Clock64 || special == ptx::Special::Globaltimer ? 8 : 4;
    code_.values.push_back(value);
  }
  return at->second;
}

u32 Decoder::source(const Operand& operand, u32 size) {
  if (size != 1 && size != 2 && size != 4 && size != 8) {
    refuse(fmt::format("{} of {} bits is not supported", opcode_->text, 8 * size));
    return constant(0, 8);
  }
  u32 value = no_value;
  switch (operand.kind) {
    case Kind::Register:
      value = operand.id;
      break;
    case Kind::Integer:
      return constant(u64(operand.value), size);
    case Kind::Float32:
      return size == 8 ? constant(std::bit_cast<u64>(double(bits_to_f32(u32(operand.value)))), 8)
                       : constant(u64(operand.value), size);
    case Kind::Float: {
      const double number = std::bit_cast<double>(operand.value);
      if (size == 8) return constant(u64(operand.value), 8);
      if (size == 4) return constant(f32_to_bits(float(number)), 4);
      return constant(type() == ptx::Type::BF16 ? f64_to_bf16(number) : f64_to_f16(number), size);
    }
    case Kind::Special:
      if (ptx::Special(operand.id) == ptx::Special::Unknown) {
        refuse(fmt::format("the machine does not know the special register {}", function().texts[u32(operand.value)]));
        return constant(0, size);
      }
      value = special(ptx::Special(operand.id));
      break;
    case Kind::Variable:
      return constant(variable_address(operand.id) + u64(operand.value), size);
    case Kind::Function:
      return constant(address_of_function(operand.id), size);
    case Kind::Sink:
      return constant(0, size);
    default:
      break;
  }
  if (value == no_value) {
    refuse(fmt::format("{} with an operand that the machine does not know here", opcode_->text));
    return constant(0, size);
  }
  // A number where a predicate is wanted, and the other way round, has no form and is refused below.
  if (size_of_value(value) == size && (size == 1) == code_.values[value].is_predicate) return value;
  const u32 converted = temporary(size);
  compute(fmt::format("%resize.u{}.u{}", 8 * size_of_value(value), 8 * size), converted, value);
  return converted;
}

u32 Decoder::predicate(const Operand& operand) {
  if (operand.kind == Kind::Integer) return constant(operand.value ? 0xff : 0, 1);
  const u32 value = source(operand, 1);
  if (!operand.negated) return value;
  const u32 negated = temporary(1, true);
  compute("not.pred", negated, value);
  return negated;
}

u32 Decoder::destination(const Operand& operand, u32 size, bool sign_extend) {
  if (operand.kind == Kind::Sink) return temporary(size, size == 1);
  if (operand.kind != Kind::Register) {
    refuse(fmt::format("{} with a destination that is no register", opcode_->text));
    return temporary(size);
  }
  if (size_of_value(operand.id) == size) return operand.id;
  const u32 value = temporary(size);
  pending_.push_back({value, operand.id, sign_extend});
  return value;
}

void Decoder::finish() {
  const auto pending = std::move(pending_);
  pending_.clear();
  for (const Pending& conversion : pending) {
    const u32 from = size_of_value(conversion.temporary), to = size_of_value(conversion.target);
    compute(fmt::format("%resize.{}{}.{}{}", conversion.sign_extend ? 's' : 'u', 8 * from,
                        conversion.sign_extend ? 's' : 'u', 8 * to),
            conversion.target, conversion.temporary);
  }
}

const KnownForm* Decoder::form(std::string_view key) const {
  const Table& table = compute_table();
  const auto at = table.find(std::string(key));
  return at == table.end() ? nullptr : &at->second;
}

Step& Decoder::compute(const KnownForm& form, u32 d, u32 a, u32 b, u32 c, u32 e) {
  Step& step = append(StepKind::Compute);
  step.pure = true;
  step.vector = form.vector;
  step.uniform = form.uniform;
  step.flow = form.flow;
  step.d = d;
  step.a = a;
  step.b = b;
  step.c = c;
  step.e = e;
  return step;
}

Step& Decoder::compute(std::string_view key, u32 d, u32 a, u32 b, u32 c, u32 e) {
  const KnownForm* found = form(key);
  if (!found) {
    refuse(fmt::format("the machine does not know the instruction {} with these operands", opcode_->text));
    return code_.steps.back();
  }
  Step& step = compute(*found, d, a, b, c, e);
  step.is_move = key.starts_with("%move");
  return step;
}

u32 Decoder::computed(std::string_view key, u32 size, u32 a, u32 b, u32 c, u32 e) {
  const u32 value = temporary(size, size == 1);
  compute(key, value, a, b, c, e);
  return value;
}

void Decoder::refuse(const std::string& why) { append(StepKind::Unsupported).text = why; }

void Decoder::refuse_unknown() { refuse(fmt::format("the machine does not know the instruction {}", opcode_->text)); }

const ptx::Variable& Decoder::variable(u32 id) const { return code_.module->variable(code_.function, id); }

MemorySpace Decoder::variable_space(u32 id) const {
  const u32 modules = u32(code_.module->variables.size());
  switch (variable(id).space) {
    case ptx::Space::Const:
      return MemorySpace::Constant;
    case ptx::Space::Shared:
      return MemorySpace::Shared;
    case ptx::Space::Local:
      return MemorySpace::Local;
    case ptx::Space::Param:
      return id >= modules && id - modules < code_.function.return_count + code_.function.parameter_count
                 ? MemorySpace::Parameter
                 : MemorySpace::Local;  // of a call that was inlined
    default:
      return MemorySpace::Global;
  }
}

u64 Decoder::variable_address(u32 id) const {
  const u32 modules = u32(code_.module->variables.size());
  const MemorySpace space = variable_space(id);
  if (id < modules && (space == MemorySpace::Global || space == MemorySpace::Constant)) {
    return generic_base(variable_window(id)) + window_lead;
  }
  return code_.variable_offset[id];
}

}  // namespace ropewalk::machine
