// Branches, exits, barriers, traps, calls of what the device runtime gives, and index statements.
#include <fmt/format.h>

#include "lib/machine/address.h"
#include "lib/machine/decode/decoder.h"
#include "lib/machine/decode/remaining_calls.h"

namespace ropewalk::machine {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

namespace {

void branch(Decoder& decoder) {
  const Operand& target = decoder.operand(0);
  if (target.kind != Kind::Label) return decoder.refuse("a branch to something that is no label");
  decoder.append(StepKind::Branch).target = decoder.function().labels[target.id].instruction;
}

// The number of the function of an address; for any other address, that of the table's last entry.
u32 number_of_function(Decoder& decoder, const Operand& address) {
  const u64 functions = decoder.code().module->functions.size();
  const u32 offset =
      decoder.computed("sub.u64", 8, decoder.source(address, 8), decoder.constant(address_of_function(0), 8));
  const u32 number = decoder.computed("shr.u64", 8, offset, decoder.constant(function_shift, 4));
  const u32 known = decoder.computed("min.u64", 8, number, decoder.constant(functions, 8));
  return decoder.computed("%resize.u64.u32", 4, known);
}

// brx.idx index, table; also a call of an address (see inline_calls.h).
void branch_table(Decoder& decoder) {
  const Operand& by = decoder.operand(0);
  const bool is_call = by.kind == Kind::Register && decoder.size_of_value(by.id) == 8;
  const u32 index = is_call ? number_of_function(decoder, by) : decoder.source(by, 4);
  const Operand& table = decoder.operand(1);
  if (table.kind != Kind::Text) decoder.reject(fmt::format("{} without a table of labels", decoder.opcode().text));
  const std::string& name = decoder.function().texts[table.id];
  for (const ptx::LabelTable& candidate : decoder.function().tables) {
    if (candidate.name != name) continue;
    Step& step = decoder.append(StepKind::BranchTable);
    step.a = index;
    for (const u32 label : candidate.labels) step.targets.push_back(decoder.function().labels[label].instruction);
    return;
  }
  decoder.refuse(fmt::format("{}: there is no table {}", decoder.opcode().text, name));
}

// bar.sync a{, b}; bar.arrive a, b; bar.red.OP d, a{, b}, {!}c; barrier.* likewise; bar.warp.sync mask
void barrier(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  if (opcode.has("warp")) {
    const u32 mask = decoder.source(decoder.operand(0), 4);
    Step& step = decoder.append(StepKind::WarpBarrier);
    step.a = mask;
    step.inputs = {mask};
    return;
  }
  if (opcode.has("cluster")) return decoder.refuse(fmt::format("{}: clusters are not supported", opcode.text));
  const bool reduces = opcode.has("red");
  const auto mode = decoder.mode<BarrierMode>();
  if (!mode) return;
  const u32 first = reduces ? 1 : 0;
  const u32 operands = decoder.operand_count() - (reduces ? 2 : 0);
  const u32 number = decoder.source(decoder.operand(first), 4);
  const u32 count = operands > 1 ? decoder.source(decoder.operand(first + 1), 4) : no_value;
  u32 predicate = no_value, result = no_value;
  if (reduces) {
    predicate = decoder.predicate(decoder.operand(decoder.operand_count() - 1));
    result = decoder.destination(decoder.operand(0), mode == BarrierMode::Count ? 4 : 1);
  }
  Step& step = decoder.append(StepKind::Barrier);
  step.a = number;
  step.b = count;
  step.c = predicate;
  step.d = result;
  step.mode = *mode;
  // "bar" is short for barrier.aligned: all threads of a warp must run the same one.
  step.immediate = opcode.op == "bar"_op || opcode.has("aligned");
  step.inputs = {number};
  if (count != no_value) step.inputs.push_back(count);
  if (predicate != no_value) step.inputs.push_back(predicate);
  if (result != no_value) step.outputs.push_back(result);
  if (count != no_value || decoder.operand(first).kind != Kind::Integer || decoder.operand(first).value != 0) {
    decoder.code().needs_order = true;
  }
}

// Calls that the compiler did not inline: vprintf and __assertfail, which the device runtime gives, and what cannot be
// run.
void call(Decoder& decoder) {
  const Operand* callee = nullptr;
  const Operand* address = nullptr;
  const Operand* arguments = nullptr;
  for (u32 i = 0; i < decoder.operand_count(); ++i) {
    if (decoder.operand(i).kind == Kind::Function)
      callee = &decoder.operand(i);
    else if (decoder.operand(i).kind == Kind::Register)
      address = &decoder.operand(i);
    else if (callee && !arguments && decoder.operand(i).kind == Kind::Vector)
      arguments = &decoder.operand(i);
  }
  if (!callee) {
    const std::string why = "this call goes to a function of the module that has other parameters, or calls itself";
    if (!address) return decoder.refuse(why);
    const u32 value = decoder.source(*address, 8);
    Step& step = decoder.append(StepKind::StrayCall);
    step.a = value;
    step.inputs = {value};
    step.text = why;
    return;
  }
  const std::string& name = decoder.code().module->functions[callee->id].name;
  if (name != "vprintf" && name != "__assertfail") {
    return decoder.refuse(
        why_call_stays(*decoder.code().module, decoder.function(), decoder.instruction(), callee->id));
  }
  Step& step = decoder.append(name == "vprintf" ? StepKind::Print : StepKind::Assert);
  // The arguments lie in .param variables of the call, which are local memory here.
  for (u32 i = 0; arguments && i < arguments->count; ++i) {
    const Operand& argument = decoder.part(*arguments, i);
    if (argument.kind == Kind::Variable) step.targets.push_back(u32(decoder.variable_address(argument.id)));
  }
}

void index_statement(Decoder& decoder) {
  const u32 index = decoder.source(decoder.operand(0), 4), bound = decoder.source(decoder.operand(1), 4);
  Step& step = decoder.append(StepKind::IndexStatement);
  step.a = index;
  step.b = bound;
  step.inputs = {index, bound};
  step.text = decoder.function().texts[decoder.operand(2).id];
}

}  // namespace

bool decode_control(Decoder& decoder) {
  switch (decoder.opcode().op) {
    case "bra"_op:
      return branch(decoder), true;
    case "brx"_op:
      return branch_table(decoder), true;
    case "ret"_op:
    case "exit"_op:
      return decoder.append(StepKind::Exit), true;
    case "bar"_op:
    case "barrier"_op:
      return barrier(decoder), true;
    case "trap"_op:
    case "brkpt"_op:
      return decoder.append(StepKind::Trap).text = decoder.opcode().stem, true;
    case "call"_op:
      return call(decoder), true;
    case "@index"_op:
      return index_statement(decoder), true;
    case "nanosleep"_op:
      return decoder.append(StepKind::Sleep), true;
    case "pmevent"_op:
      return decoder.append(StepKind::Nothing), true;
    default:
      return false;
  }
}

}  // namespace ropewalk::machine
