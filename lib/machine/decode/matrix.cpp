// ldmatrix, stmatrix, movmatrix and mma.sync.
#include <fmt/format.h>

#include <array>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

namespace {

u32 part_count(const Operand& operand) { return operand.kind == Kind::Vector ? operand.count : 1; }

const Operand& part(Decoder& decoder, const Operand& operand, u32 n) {
  return operand.kind == Kind::Vector ? decoder.part(operand, n) : operand;
}

// ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 r, [p]; stmatrix the other way round
void matrix_memory(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  const bool is_load = opcode.op == "ldmatrix"_op;
  if (!opcode.has("m8n8") || !opcode.has("b16")) {
    return decoder.refuse(fmt::format("{} is not supported", opcode.text));
  }
  const Operand& registers = decoder.operand(is_load ? 0 : 1);
  const Operand& address = decoder.operand(is_load ? 1 : 0);
  auto memory = std::make_unique<MemoryStep>();
  memory->space = MemorySpace::Generic;
  for (const std::string& modifier : opcode.modifiers) {
    if (modifier.starts_with("shared")) memory->space = MemorySpace::Shared;
  }
  memory->element_bytes = 16;  // a row
  memory->count = opcode.has("x4") ? 4 : opcode.has("x2") ? 2 : 1;
  decoder.set_address(address, memory->space, memory->address, memory->offset);
  if (part_count(registers) != memory->count) {
    decoder.reject(fmt::format("{} with {} registers, expected {}", opcode.text, part_count(registers), memory->count));
  }
  std::vector<u32> values;
  for (u32 i = 0; i < memory->count; ++i) {
    const Operand& one = part(decoder, registers, i);
    values.push_back(is_load ? decoder.destination(one, 4) : decoder.source(one, 4));
    memory->values[i] = values.back();
  }
  Step& step = decoder.append(is_load ? StepKind::LoadMatrix : StepKind::StoreMatrix);
  step.immediate = opcode.has("trans");
  (is_load ? step.outputs : step.inputs) = values;
  step.memory = std::move(memory);
}

// mma.sync.aligned.SHAPE.row.col.DTYPE.ATYPE.BTYPE.CTYPE d, a, b, c
void multiply(Decoder& decoder) {
  const std::optional<ptx::MatrixForm> form = ptx::matrix_form(decoder.opcode());
  if (!form)
    return decoder.refuse(fmt::format("the machine does not know this form of mma: {}", decoder.opcode().text));
  const auto size_of = [&](u32 n) {
    return ptx::facts_of(n == 1 ? form->a : n == 2 ? form->b : form->sum).register_bytes();
  };
  std::vector<u32> inputs, outputs;
  for (u32 n = 1; n <= 3; ++n) {
    const Operand& operand = decoder.operand(n);
    for (u32 i = 0; i < operand.count; ++i) inputs.push_back(decoder.source(decoder.part(operand, i), size_of(n)));
  }
  for (u32 i = 0; i < decoder.operand(0).count; ++i) {
    outputs.push_back(decoder.destination(decoder.part(decoder.operand(0), i), size_of(0)));
  }
  Step& step = decoder.append(StepKind::MultiplyMatrix);
  step.matrix = *form;
  step.inputs = inputs;
  step.outputs = outputs;
}

void move_matrix(Decoder& decoder) {
  const u32 a = decoder.source(decoder.operand(1), 4), d = decoder.destination(decoder.operand(0), 4);
  Step& step = decoder.append(StepKind::MoveMatrix);
  step.d = d;
  step.inputs = {a};
  step.outputs = {d};
}

}  // namespace

bool decode_matrix(Decoder& decoder) {
  switch (decoder.opcode().op) {
    case "ldmatrix"_op:
    case "stmatrix"_op:
      return matrix_memory(decoder), true;
    case "mma"_op:
      return multiply(decoder), true;
    case "movmatrix"_op:
      return move_matrix(decoder), true;
    default:
      return false;
  }
}

}  // namespace ropewalk::machine
