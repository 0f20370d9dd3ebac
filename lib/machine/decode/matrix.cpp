// ldmatrix, stmatrix, movmatrix and mma.sync.
#include <fmt/format.h>

#include <array>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

using ptx::Operand;
using ptx::Type;
using Kind = ptx::Operand::Kind;

namespace {

u32 part_count(const Operand& operand) { return operand.kind == Kind::Vector ? operand.count : 1; }

const Operand& part(Decoder& decoder, const Operand& operand, u32 n) {
  return operand.kind == Kind::Vector ? decoder.part(operand, n) : operand;
}

// ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 r, [p]; stmatrix the other way round
void matrix_memory(Decoder& decoder, bool is_load) {
  const ptx::Opcode& opcode = decoder.opcode();
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
  const ptx::Opcode& opcode = decoder.opcode();
  std::vector<Type> types;
  for (const std::string& modifier : opcode.modifiers) {
    if (ptx::type_named(modifier) != Type::None) types.push_back(ptx::type_named(modifier));
  }
  const bool k8 = opcode.has("m16n8k8"), k16 = opcode.has("m16n8k16"), k4 = opcode.has("m16n8k4");
  const bool known = opcode.has("sync") && opcode.has("row") && opcode.has("col") && types.size() == 4 &&
                     types[1] == types[2] && types[0] == types[3] &&
                     ((types[1] == Type::F16 && (k8 || k16) && (types[0] == Type::F32 || types[0] == Type::F16)) ||
                      (types[1] == Type::BF16 && (k8 || k16) && types[0] == Type::F32) ||
                      (types[1] == Type::TF32 && (k4 || k8) && types[0] == Type::F32));
  if (!known) return decoder.refuse(fmt::format("{} is not supported", opcode.text));
  std::vector<u32> inputs, outputs;
  for (u32 n = 1; n <= 3; ++n) {
    for (u32 i = 0; i < part_count(decoder.operand(n)); ++i) {
      inputs.push_back(decoder.source(part(decoder, decoder.operand(n), i), 4));
    }
  }
  for (u32 i = 0; i < part_count(decoder.operand(0)); ++i) {
    outputs.push_back(decoder.destination(part(decoder, decoder.operand(0), i), 4));
  }
  const u32 k = k4 ? 4 : k8 ? 8 : 16;
  const u32 per_register = types[1] == Type::TF32 ? 1 : 2;
  const u32 a_registers = 16 * k / 32 / per_register, b_registers = 8 * k / 32 / per_register;
  const u32 d_registers = types[0] == Type::F32 ? 4 : 2;
  if (inputs.size() != a_registers + b_registers + d_registers || outputs.size() != d_registers) {
    decoder.reject(fmt::format("{} with the wrong number of registers", opcode.text));
  }
  Step& step = decoder.append(StepKind::MultiplyMatrix);
  step.immediate = k;
  step.text = std::string(ptx::name_of(types[1]));
  step.result_float = types[0];
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
  const std::string& stem = decoder.opcode().stem;
  if (stem == "ldmatrix") matrix_memory(decoder, true);
  else if (stem == "stmatrix") matrix_memory(decoder, false);
  else if (stem == "mma" && decoder.modifier(0) != "sp") multiply(decoder);
  else if (stem == "movmatrix") move_matrix(decoder);
  else return false;
  return true;
}

}  // namespace ropewalk::machine
