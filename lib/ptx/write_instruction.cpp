// Instructions and their operands.
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/special.h"
#include "lib/ptx/write.h"
#include "lib/ptx/writer.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

class InstructionWriter {
 public:
  InstructionWriter(std::string& out, const Module& module, const Function& function)
      : out_(out), module_(module), function_(function) {}

  void instruction(const Instruction& instruction) {
    const Opcode& opcode = module_.opcode(instruction);
    const Operand* const operands = function_.operands.data() + instruction.first_operand;
    if (opcode.op == "@index"_op) {
      out_ += "//@index ";
      operand(operands[0]);
      out_ += " < ";
      operand(operands[1]);
      out_ += " : ";
      operand(operands[2]);
      return;
    }
    if (instruction.predicate != Instruction::no_predicate) {
      out_ += instruction.predicate_negated ? "@!" : "@";
      out_ += function_.registers[instruction.predicate].name + " ";
    }
    out_ += opcode.text;
    if (opcode.facts().turn == Turn::Call) {
      call(operands, instruction.operand_count);
    } else {
      for (u32 i = 0; i < instruction.operand_count; ++i) {
        out_ += i ? ", " : " ";
        operand(operands[i]);
      }
    }
  }

 private:
  void call(const Operand* operands, u32 count) {
    out_ += ' ';
    if (operands[0].count) {
      list(operands[0], '(', ')');
      out_ += ", ";
    }
    operand(operands[1]);
    if (operands[2].count) {
      out_ += ", ";
      list(operands[2], '(', ')');
    }
    if (count > 3) {
      out_ += ", ";
      operand(operands[3]);
    }
  }

  void list(const Operand& operand, char open, char close) {
    out_ += open;
    parts(operand, ", ");
    out_ += close;
  }

  void parts(const Operand& operand, const char* between) {
    for (u32 i = 0; i < operand.count; ++i) {
      if (i) out_ += between;
      this->operand(function_.operands[operand.first + i]);
    }
  }

  void offset(i64 value) {
    if (value == 0) return;
    out_ += '+';
    out_ += std::to_string(value);
  }

  void hexadecimal(const char* prefix, u64 bits, int digits) {
    out_ += prefix;
    for (int i = digits; i-- > 0;) out_ += "0123456789ABCDEF"[bits >> (4 * i) & 15];
  }

  void operand(const Operand& operand) {
    if (operand.negated) out_ += '!';
    switch (operand.kind) {
      case Kind::Register:
        out_ += function_.registers[operand.id].name;
        break;
      case Kind::Integer:
        out_ += std::to_string(operand.value);
        break;
      case Kind::Float:
        hexadecimal("0d", u64(operand.value), 16);
        break;
      case Kind::Float32:
        hexadecimal("0f", u64(operand.value), 8);
        break;
      case Kind::Special:
        if (operand.id == u32(Special::Unknown)) {
          out_ += function_.texts[u64(operand.value)];
        } else {
          out_ += name_of(Special(operand.id));
        }
        break;
      case Kind::Variable:
        out_ += variable(operand.id).name;
        offset(operand.value);
        break;
      case Kind::Function:
        out_ += module_.functions[operand.id].name;
        break;
      case Kind::Label:
        out_ += function_.labels[operand.id].name;
        break;
      case Kind::Address:
        address(operand);
        break;
      case Kind::Vector:
        list(operand, '{', '}');
        break;
      case Kind::Pair:
        parts(operand, "|");
        break;
      case Kind::Sink:
        out_ += '_';
        break;
      case Kind::Text:
        out_ += function_.texts[operand.id];
        break;
    }
  }

  void address(const Operand& address) {
    out_ += '[';
    if (address.count == 0) out_ += std::to_string(address.value);
    for (u32 i = 0; i < address.count; ++i) {
      if (i) out_ += ", ";
      operand(function_.operands[address.first + i]);
      if (i == 0) offset(address.value);
    }
    out_ += ']';
  }

  const Variable& variable(u32 id) const { return module_.variable(function_, id); }

  std::string& out_;
  const Module& module_;
  const Function& function_;
};

}  // namespace

void write_instruction(std::string& out, const Module& module, const Function& function,
                       const Instruction& instruction) {
  InstructionWriter(out, module, function).instruction(instruction);
}

std::string text_of(const Module& module, const Function& function, const Instruction& instruction) {
  std::string out;
  write_instruction(out, module, function, instruction);
  return out;
}

}  // namespace ropewalk::ptx
