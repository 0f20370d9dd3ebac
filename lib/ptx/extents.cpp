#include "lib/ptx/extents.h"

#include <algorithm>
#include <set>

#include "lib/ptx/instrument.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

// The module's variables of a space that a function or what it calls names.
void collect(const Module& module, const Function& function, Space space, std::set<const Function*>& seen,
             std::set<u32>& found) {
  if (!seen.insert(&function).second) return;
  for (const Operand& operand : function.operands) {
    if (operand.kind == Kind::Variable && operand.id < module.variables.size() &&
        module.variables[operand.id].space == space) {
      found.insert(operand.id);
    }
    if (operand.kind == Kind::Function) collect(module, module.functions[operand.id], space, seen, found);
  }
}

std::string suffix(Type type) { return type == Type::B32 ? "32" : "64"; }

}  // namespace

Extent::Extent(const Module& module, const Function& function, Space space) : space_(space) {
  std::set<u32> found;
  std::set<const Function*> seen;
  if (space == Space::Shared) {
    collect(module, function, space, seen, found);
    // What a function may be given lies in the shared memory of whoever calls it.
    if (!function.is_entry) {
      for (const Function& entry : module.functions) {
        if (entry.is_entry) collect(module, entry, space, seen, found);
      }
    }
  }
  const u32 own = u32(module.variables.size());
  for (u32 i = function.return_count + function.parameter_count; i < function.variables.size(); ++i) {
    if (function.variables[i].space == space) found.insert(own + i);
  }
  for (const u32 id : found) {
    variables_.push_back(id);
    bytes_.push_back(module.variable(function, id).bytes());
  }
}

bool Extent::is_static() const { return variables_.size() == 1 && bytes_[0] > 0; }

std::string Extent::name(const char* what, u32 bytes, Type type) const {
  return std::string(name_of(space_)) + "_" + what + (bytes ? std::to_string(bytes) : "") + "_" + suffix(type);
}

u32 Extent::low(Builder& builder, Type type) const { return builder.reg(name("low", 0, type), type); }

void Extent::prepare(Builder& builder, u32 table) const {
  std::set<Type> types;
  for (const auto& [need, yes] : needed_) types.insert(need.second);
  for (const Type type : types) {
    const std::string bits = suffix(type), word = ".u" + bits;
    const Operand low = Builder::of_register(this->low(builder, type));
    builder.emit("mov" + word, {low, Builder::of_variable(variables_[0])});
    if (is_static()) continue;
    const Operand end = Builder::of_register(builder.reg(name("end", 0, type), type));
    const Operand at = Builder::of_register(builder.reg(name("at", 0, type), type));
    builder.emit("mov" + word, {end, low});
    for (u64 i = 0; i < variables_.size(); ++i) {
      builder.emit("mov" + word, {at, Builder::of_variable(variables_[i])});
      if (i) builder.emit("min" + word, {low, low, at});
      if (bytes_[i]) {
        builder.emit("add.s" + bits, {at, at, Builder::number(i64(bytes_[i]))});
      } else {
        const Operand dynamic = Builder::of_register(builder.reg(name("dynamic", 0, type), type));
        builder.emit("ld.const.u32",
                     {dynamic, builder.address(Builder::of_variable(table), TableLayout::dynamic_shared)});
        builder.emit("add.s" + bits, {at, at, dynamic});
      }
      builder.emit("max" + word, {end, end, at});
    }
    builder.emit("sub.s" + bits, {end, end, low});
    const Operand none = Builder::of_register(builder.reg("none", Type::Pred));
    for (const auto& [need, yes] : needed_) {
      if (need.second != type) continue;
      const Operand limit = Builder::of_register(builder.reg(name("limit", need.first, type), type));
      const Operand from = Builder::of_register(builder.reg(name("from", need.first, type), type));
      const Operand bytes = Builder::number(need.first);
      // Where not even one access fits, no address is within the bounds.
      builder.emit("setp.lt" + word, {none, end, bytes});
      builder.emit("sub.s" + bits, {limit, end, bytes});
      builder.emit("selp.b" + bits, {limit, Builder::number(0), limit, none});
      builder.emit("selp.b" + bits, {from, Builder::number(0x40000000), low, none});
    }
  }
}

void Extent::compare(Builder& builder, u32 address, Type type, u32 bytes, u32 bad, u32 misaligned) const {
  const std::string bits = suffix(type);
  const Operand offset = Builder::of_register(builder.reg("offset_" + bits, type));
  Operand from = Builder::of_register(low(builder, type)), limit = Builder::number(0);
  std::string relation = "gt";
  if (!is_static()) {
    from = Builder::of_register(builder.reg(name("from", bytes, type), type));
    limit = Builder::of_register(builder.reg(name("limit", bytes, type), type));
  } else if (bytes_[0] < bytes) {
    relation = "ge";
  } else {
    limit = Builder::number(i64(bytes_[0] - bytes));
  }
  builder.emit("sub.s" + bits, {offset, Builder::of_register(address), from});
  if (misaligned == Instruction::no_predicate) {
    builder.emit("setp." + relation + ".u" + bits, {Builder::of_register(bad), offset, limit});
  } else {
    builder.emit("setp." + relation + ".or.u" + bits,
                 {Builder::of_register(bad), offset, limit, Builder::of_register(misaligned)});
  }
}

}  // namespace ropewalk::ptx
