#include "lib/ptx/instrument.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/ptx/builder.h"
#include "lib/ptx/instrument_function.h"
#include "lib/ptx/instrument_helpers.h"
#include "lib/ptx/memory_operands.h"
#include "lib/ptx/read.h"
#include "lib/ptx/write.h"

namespace ropewalk::ptx {

namespace {

// The module with the table and the helping functions before what it has. Instructions keep their positions in the
// text that the module came from.
Module with_helpers(const Module& module) {
  std::string text = write(module);
  u64 head = 0;
  for (int line = 0; line < 3; ++line) head = text.find('\n', head) + 1;
  text.insert(head, instrument_helpers(TableLayout::ranges));
  Module out = read(text, module.path);
  for (Function& function : out.functions) {
    const auto old = std::ranges::find(module.functions, function.name, &Function::name);
    if (old == module.functions.end()) continue;
    function.line = old->line;
    for (u64 i = 0; i < function.instructions.size(); ++i) {
      function.instructions[i].line = old->instructions[i].line;
      function.instructions[i].column = old->instructions[i].column;
    }
  }
  return out;
}

void require(const Module& module) {
  if (module.address_size != 64) {
    throw InputError(fmt::format("{}: checks can only be put into PTX with 64-bit addresses, this has {}", module.path,
                                 module.address_size));
  }
  for (const Variable& variable : module.variables) {
    if (variable.name == table_name) throw InputError(fmt::format("{}: this PTX has its checks already", module.path));
  }
}

}  // namespace

bool Slot::operator==(const Slot& other) const {
  return origin.parameter == other.origin.parameter && origin.offset == other.origin.offset &&
         displacement == other.displacement && bytes == other.bytes;
}

const EntrySlots* Instrumented::slots_of(std::string_view entry) const {
  const auto at = std::ranges::find(entries, entry, &EntrySlots::entry);
  return at == entries.end() ? nullptr : &*at;
}

Instrumented instrument(const Module& module, const InstrumentOptions& options) {
  require(module);
  Instrumented out;
  out.layout.slots = TableLayout::ranges + options.ranges * TableLayout::range_bytes;
  auto rewritten = std::make_shared<Module>(with_helpers(module));
  OpcodeTable opcodes(*rewritten);
  u64 most_slots = 0;
  for (u32 number = 0; number < module.functions.size(); ++number) {
    const Function& old = module.functions[number];
    if (!old.has_body) continue;
    Function& function = *std::ranges::find(rewritten->functions, old.name, &Function::name);
    EntrySlots slots{old.name, {}};
    instrument_function(*rewritten, opcodes, function, number, options, out, slots);
    most_slots = std::max<u64>(most_slots, slots.slots.size());
    if (old.is_entry) out.entries.push_back(std::move(slots));
    for (const Instruction& it : old.instructions) {
      const Opcode& opcode = module.opcode(it);
      if (is_unchecked(opcode) && std::ranges::find(out.unchecked, opcode.text) == out.unchecked.end()) {
        out.unchecked.push_back(opcode.text);
      }
    }
  }
  out.layout.bytes = out.layout.slots + u32(most_slots) * TableLayout::slot_bytes;
  std::ranges::find(rewritten->variables, table_name, &Variable::name)->extents = {out.layout.bytes};
  out.module = std::move(rewritten);
  return out;
}

}  // namespace ropewalk::ptx
