#include "lib/ptx/instrument_function.h"

#include <algorithm>
#include <functional>
#include <string>

#include "lib/ptx/extents.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/instrument_helpers.h"
#include "lib/ptx/memory_operands.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;
constexpr u32 unguarded = Instruction::no_predicate;
// Slots of an entry; addresses of further kinds are looked up like those of unknown origin.
constexpr u64 most_slots = 1024;
constexpr u64 most_displaced_slots = 512;

Operand reg(u32 id) { return Builder::of_register(id); }
Operand number(i64 value) { return Builder::number(value); }

// What an access needs while its check is written.
struct CheckedAccess {
  MemoryOperand memory;
  u32 site = 0;
  Origin origin;
  u32 base = 0;           // register with the address, but for
  i64 displacement = 0;   // these bytes
  Type type = Type::B64;  // of the register: B32 or B64
};

class Rewriter {
 public:
  Rewriter(Module& module, OpcodeTable& opcodes, Function& function, u32 number, const InstrumentOptions& options,
           Instrumented& out, EntrySlots& slots)
      : module_(module),
        function_(function),
        number_(number),
        options_(options),
        out_(out),
        slots_(slots),
        shared_(module, function, Space::Shared),
        local_(module, function, Space::Local),
        builder_(module, opcodes, function),
        origins_(address_origins(module, function)) {
    const auto at = std::ranges::find(module.variables, table_name, &Variable::name);
    table_ = u32(at - module.variables.begin());
  }

  void run() {
    const u32 count = u32(function_.instructions.size());
    find_needs();
    if (count) builder_.stand_at(function_.instructions[0]);
    shared_.prepare(builder_, table_);
    local_.prepare(builder_, table_);
    for (u32 i = 0; i < count; ++i) {
      builder_.begin();
      const Instruction it = function_.instructions[i];
      builder_.stand_at(it);
      if (module_.opcode(it).op == "@index"_op && options_.index) {
        index_statement(i, it);
      } else {
        access(i, it);
      }
    }
    builder_.begin();
    if (!cold_.empty()) {
      builder_.emit("ret", {});
      for (const auto& part : cold_) part();
    }
    builder_.finish();
  }

 private:
  std::vector<MemoryOperand> operands_of(const Instruction& it) const {
    return options_.memory ? memory_operands(module_, function_, it) : std::vector<MemoryOperand>();
  }

  const Extent& extent(Space space) const { return space == Space::Shared ? shared_ : local_; }

  Type type_of(const Operand& base) const {
    if (base.kind != Kind::Register) return Type::B64;
    return size_of(function_.registers[base.id].type) == 4 ? Type::B32 : Type::B64;
  }

  void find_needs() {
    for (const Instruction& it : function_.instructions) {
      for (const MemoryOperand& memory : operands_of(it)) {
        const Operand& address = function_.operands[it.first_operand + memory.operand];
        const Type type = address.count ? type_of(function_.operands[address.first]) : Type::B64;
        if (memory.space == Space::Shared || memory.space == Space::Generic) shared_.need(memory.bytes, type);
        if (memory.space == Space::Local || memory.space == Space::Generic) local_.need(memory.bytes, type);
      }
    }
    if (shared_.is_empty()) shared_ = Extent(Module(), Function(), Space::Shared);
    if (local_.is_empty()) local_ = Extent(Module(), Function(), Space::Local);
  }

  u32 new_site(Site::Kind kind, Space space, u32 bytes, u32 instruction, Origin origin) {
    out_.sites.push_back({kind, space, bytes, number_, instruction, origin});
    return u32(out_.sites.size() - 1);
  }

  // The predicate under which the instruction happens, none where it always does.
  u32 condition(const Instruction& it) {
    if (it.predicate == unguarded || !it.predicate_negated) return it.predicate;
    const u32 positive = builder_.reg("condition", Type::Pred);
    builder_.emit("not.pred", {reg(positive), reg(it.predicate)});
    return positive;
  }

  void index_statement(u32 i, const Instruction& it) {
    const auto value = [&](u32 n, const char* name) {
      const Operand operand = function_.operands[it.first_operand + n];
      if (operand.kind == Kind::Register && size_of(function_.registers[operand.id].type) == 4) return operand;
      const Operand copy = reg(builder_.reg(name, Type::B32));
      builder_.emit(operand.kind == Kind::Register ? "cvt.u32.u64" : "mov.b32", {copy, operand});
      return copy;
    };
    const Operand index = value(0, "index"), bound = value(1, "bound");
    const u32 bad = builder_.reg("bad", Type::Pred);
    builder_.emit("setp.lt.s32", {reg(bad), index, number(0)});
    builder_.emit("setp.ge.or.s32", {reg(bad), index, bound, reg(bad)});
    const u32 site = new_site(Site::Kind::Index, Space::Generic, 0, i, {});
    const u32 cold = builder_.label(), after = builder_.label();
    builder_.emit("bra", {Builder::of_label(cold)}, {bad});
    builder_.place(after);
    cold_.push_back([=, this] {
      builder_.stand_at(it);
      builder_.place(cold);
      const u32 wide_index = builder_.reg("wide_index", Type::B64), wide_bound = builder_.reg("wide_bound", Type::B64);
      builder_.emit("cvt.s64.s32", {reg(wide_index), index});
      builder_.emit("cvt.s64.s32", {reg(wide_bound), bound});
      record(wide_bound, wide_index, site, Record::of_index);
      builder_.emit("bra", {Builder::of_label(after)});
    });
  }

  void access(u32 i, const Instruction& it) {
    const std::vector<MemoryOperand> operands = operands_of(it);
    const u32 after = operands.empty() ? 0 : builder_.label();
    for (const MemoryOperand& memory : operands) check(i, it, memory, after);
    builder_.keep(i);
    if (!operands.empty()) builder_.place(after);
  }

  void check(u32 i, const Instruction& it, const MemoryOperand& memory, u32 after) {
    const Operand address = function_.operands[it.first_operand + memory.operand];
    if (address.kind != Kind::Address || address.count > 1) return;
    CheckedAccess access{memory};
    access.origin = memory.has_origin ? origins_[i] : Origin{};
    access.displacement = address.value;
    if (!find_base(access, address)) return;
    access.site = new_site(memory.kind, memory.space, memory.bytes, i, access.origin);
    Check check = plan(access);
    if (check == Check::Nothing) return;
    if (memory.lanes) replace_address(access, it);
    const u32 bad = builder_.reg("bad", Type::Pred);
    const u32 cold = builder_.label(), back = builder_.label();
    u32 predicate = condition(it);
    if (check == Check::Always) {
      builder_.emit("bra", {Builder::of_label(cold)}, {predicate});
    } else {
      compare(access, check, bad);
      if (predicate != unguarded) builder_.emit("and.pred", {reg(bad), reg(bad), reg(predicate)});
      if (memory.lanes) leave_out_lanes(memory.lanes, bad);
      builder_.emit("bra", {Builder::of_label(cold)}, {bad});
    }
    builder_.place(back);
    if (memory.lanes && memory.kind == Site::Kind::Store) skip_together(bad, after);
    cold_.push_back([=, this] { look_closely(access, check, it, cold, back, after); });
  }

  enum class Check : u8 { Nothing, BySlot, ByVariable, ByExtent, Always };

  // Puts the address, but for its displacement, into a register. False where it is none that can be checked.
  bool find_base(CheckedAccess& access, const Operand& address) {
    const Operand base = address.count ? function_.operands[address.first] : number(0);
    if (base.kind == Kind::Register) {
      access.base = base.id;
      access.type = type_of(base);
      return access.type == Type::B32 ? access.memory.space == Space::Shared || access.memory.space == Space::Local
                                      : true;
    }
    if (base.kind == Kind::Variable) {
      const u64 count = module_.variables.size();
      const Variable& variable = base.id < count ? module_.variables[base.id] : function_.variables[base.id - count];
      if (variable.space == Space::Param) return false;
      access.memory.space = variable.space;
      const bool in_memory = variable.space == Space::Global || variable.space == Space::Const;
      if (in_memory) access.origin = {Origin::unknown, 0, i32(base.id)};
      access.displacement += base.value;
    } else if (base.kind != Kind::Integer) {
      return false;
    }
    access.base = builder_.reg("base", Type::B64);
    Operand start = base;
    start.value = base.kind == Kind::Variable ? 0 : base.value;
    builder_.emit("mov.u64", {reg(access.base), start});
    return true;
  }

  Check plan(CheckedAccess& access) {
    const Space space = access.memory.space;
    if (space == Space::Shared || space == Space::Local) {
      if (extent(space).is_empty()) return Check::Nothing;
      return Check::ByExtent;
    }
    if (access.origin.variable >= 0) {
      const Variable& variable = module_.variables[u32(access.origin.variable)];
      const bool known = variable.bytes() > 0 && (space != Space::Generic || variable.space == Space::Global);
      if (known) return Check::ByVariable;
    }
    if (space == Space::Const) return Check::Nothing;
    return access.origin.parameter >= 0 && slot_of(access) ? Check::BySlot : Check::Always;
  }

  // The byte offset of the access's slot in the table; 0 where there are too many.
  u32 slot_of(CheckedAccess& access) {
    Slot slot{access.origin, access.displacement, access.memory.bytes};
    if (slots_.slots.size() >= most_displaced_slots) slot.displacement = 0;
    auto at = std::ranges::find(slots_.slots, slot);
    if (at == slots_.slots.end()) {
      if (slots_.slots.size() >= most_slots) return 0;
      slots_.slots.push_back(slot);
      at = slots_.slots.end() - 1;
    }
    return out_.layout.slots + u32(at - slots_.slots.begin()) * TableLayout::slot_bytes;
  }

  // The register that holds base + displacement; emits the addition where there is something to add.
  u32 whole_address(const CheckedAccess& access) {
    if (access.displacement == 0) return access.base;
    const bool wide = access.type == Type::B64;
    const u32 sum = builder_.reg(wide ? "address_64" : "address_32", access.type);
    builder_.emit(wide ? "add.s64" : "add.s32", {reg(sum), reg(access.base), number(access.displacement)});
    return sum;
  }

  // Emits what sets `bad` where the access is outside of its bounds or not aligned.
  void compare(CheckedAccess access, Check check, u32 bad) {
    const bool wide = access.type == Type::B64;
    const std::string bits = wide ? "64" : "32";
    const u32 bytes = access.memory.bytes;
    const Slot displaced{access.origin, access.displacement, bytes};
    const bool whole = check != Check::BySlot || std::ranges::find(slots_.slots, displaced) == slots_.slots.end();
    if (whole) {
      access.base = whole_address(access);
      access.displacement = 0;
    }
    u32 misaligned = unguarded;
    if (bytes > 1 && options_.alignment) {
      u32 low = access.base;
      if (access.displacement % i64(bytes) != 0) low = whole_address(access);
      misaligned = builder_.reg("misaligned", Type::Pred);
      const u32 rest = builder_.reg("rest_" + bits, access.type);
      builder_.emit("and.b" + bits, {reg(rest), reg(low), number(bytes - 1)});
      builder_.emit("setp.ne.s" + bits, {reg(misaligned), reg(rest), number(0)});
    }
    if (check == Check::ByExtent) {
      extent(access.memory.space).compare(builder_, access.base, access.type, bytes, bad, misaligned);
      return;
    }
    const Operand from = reg(builder_.reg("from", Type::B64)), offset = reg(builder_.reg("offset_64", Type::B64));
    Operand limit = reg(builder_.reg("limit", Type::B64));
    std::string relation = "setp.gt";
    if (check == Check::BySlot) {
      const Operand entry = builder_.address(Builder::of_variable(table_), slot_of(access));
      builder_.emit("ld.const.v2.b64", {builder_.vector({from, limit}), entry});
    } else {
      const u64 size = module_.variables[u32(access.origin.variable)].bytes();
      builder_.emit("mov.u64", {from, Builder::of_variable(u32(access.origin.variable))});
      if (size < bytes) relation = "setp.ge";
      limit = number(size < bytes ? 0 : i64(size - bytes));
    }
    builder_.emit("sub.s64", {offset, reg(access.base), from});
    if (misaligned == unguarded) {
      builder_.emit(relation + ".u64", {reg(bad), offset, limit});
    } else {
      builder_.emit(relation + ".or.u64", {reg(bad), offset, limit, reg(misaligned)});
    }
  }

  // ldmatrix and stmatrix take addresses of the first lanes alone.
  void leave_out_lanes(u32 lanes, u32 bad) {
    if (lanes >= 32) return;
    const Operand lane = reg(builder_.reg("lane", Type::B32));
    builder_.emit("mov.u32", {lane, Builder::of_special(Special::Laneid)});
    builder_.emit("setp.lt.and.u32", {reg(bad), lane, number(lanes), reg(bad)});
  }

  // No lane can be left out of an instruction of the whole warp. Of a load, a bad address becomes a good one; a store
  // is left out by all of them.
  void replace_address(CheckedAccess& access, const Instruction& it) {
    const bool wide = access.type == Type::B64;
    const u32 own = builder_.reg("own_" + std::to_string(access.site), access.type);
    const Operand offset = number(access.displacement);
    builder_.emit(wide ? "add.s64" : "add.s32", {reg(own), reg(access.base), offset});
    access.base = own;
    access.displacement = 0;
    const Operand address = builder_.address(reg(own));  // the operands may move
    function_.operands[it.first_operand + access.memory.operand] = address;
  }

  void skip_together(u32 bad, u32 after) {
    const Operand mask = reg(builder_.reg("mask", Type::B32)), any = reg(builder_.reg("any", Type::Pred));
    builder_.emit("activemask.b32", {mask});
    builder_.emit("vote.sync.any.pred", {any, reg(bad), mask});
    builder_.emit("bra", {Builder::of_label(after)}, {any.id});
  }

  // What happens off the good path: the access is judged, and recorded where it is bad.
  void look_closely(CheckedAccess access, Check check, const Instruction& it, u32 cold, u32 back, u32 after) {
    builder_.stand_at(it);
    builder_.place(cold);
    const u32 skip = builder_.label();
    if (access.memory.source_size) leave_out_nothing(it, access, back);
    u32 address = whole_address(access);
    if (check == Check::ByExtent) {
      record_in(access.memory.space, access, address);
    } else if (check == Check::ByVariable) {
      const u32 offset = builder_.reg("offset_64", Type::B64), from = builder_.reg("from", Type::B64);
      builder_.emit("mov.u64", {reg(from), Builder::of_variable(u32(access.origin.variable))});
      builder_.emit("sub.s64", {reg(offset), reg(address), reg(from)});
      record(address, offset, access.site, Record::in_variable);
    } else {
      if (access.memory.space == Space::Generic) other_windows(access, address, back, skip);
      judge(access, check, address, back);
    }
    builder_.place(skip);
    if (access.memory.lanes) {
      if (access.memory.kind == Site::Kind::Load) safe_address(access);
      builder_.emit("bra", {Builder::of_label(back)});
      return;
    }
    if (access.memory.kind != Site::Kind::Store) clear_results(it);
    builder_.emit("bra", {Builder::of_label(after)});
  }

  // A copy of no bytes at all reads nothing.
  void leave_out_nothing(const Instruction& it, const CheckedAccess& access, u32 back) {
    const Operand size = function_.operands[it.first_operand + access.memory.source_size];
    const u32 zero = builder_.reg("zero", Type::Pred);
    if (size.kind == Kind::Register && function_.registers[size.id].type == Type::Pred) {
      builder_.emit("bra", {Builder::of_label(back)}, {size.id, size.negated});
    } else {
      const Operand count = reg(builder_.reg("count", Type::B32));
      builder_.emit("mov.b32", {count, size});
      builder_.emit("setp.eq.s32", {reg(zero), count, number(0)});
      builder_.emit("bra", {Builder::of_label(back)}, {zero});
    }
  }

  void record_in(Space space, const CheckedAccess& access, u32 address) {
    const bool wide = access.type == Type::B64;
    const u32 low = extent(space).low(builder_, access.type);
    const u32 offset = builder_.reg("offset_64", Type::B64);
    u32 wide_address = address;
    if (wide) {
      builder_.emit("sub.s64", {reg(offset), reg(address), reg(low)});
    } else {
      const u32 narrow = builder_.reg("offset_32", Type::B32);
      wide_address = builder_.reg("wide_address", Type::B64);
      builder_.emit("sub.s32", {reg(narrow), reg(address), reg(low)});
      builder_.emit("cvt.s64.s32", {reg(offset), reg(narrow)});
      builder_.emit("cvt.u64.u32", {reg(wide_address), reg(address)});
    }
    record(wide_address, offset, access.site, space == Space::Shared ? Record::in_shared : Record::in_local);
  }

  // A generic address of unknown origin: shared and local memory have bounds of their own. What lies in the window of
  // constants or of another function's local memory is not looked at.
  void other_windows(const CheckedAccess& access, u32 address, u32 back, u32 skip) {
    const u32 is_there = builder_.reg("is_there", Type::Pred), bad = builder_.reg("bad", Type::Pred);
    for (const Space space : {Space::Shared, Space::Local, Space::Const}) {
      const u32 next = builder_.label();
      const std::string name(name_of(space));
      builder_.emit("isspacep." + name, {reg(is_there), reg(address)});
      const bool bounded =
          space != Space::Const && !extent(space).is_empty() && (space == Space::Shared || function_.is_entry);
      if (!bounded) {
        builder_.emit("bra", {Builder::of_label(back)}, {is_there});
        continue;
      }
      builder_.emit("bra", {Builder::of_label(next)}, {is_there, true});
      CheckedAccess inside = access;
      inside.base = builder_.reg("inside", Type::B64);
      inside.displacement = 0;
      inside.memory.space = space;
      builder_.emit("cvta.to." + name + ".u64", {reg(inside.base), reg(address)});
      compare(inside, Check::ByExtent, bad);
      builder_.emit("bra", {Builder::of_label(back)}, {bad, true});
      record_in(space, inside, inside.base);
      builder_.emit("bra", {Builder::of_label(skip)});
      builder_.place(next);
    }
  }

  void judge(const CheckedAccess& access, Check check, u32 address, u32 back) {
    const Operand range = reg(builder_.reg("range", Type::B32)), bytes = reg(builder_.reg("bytes", Type::B32));
    if (check == Check::BySlot) {
      CheckedAccess slotted = access;
      const Operand entry = builder_.address(Builder::of_variable(table_), slot_of(slotted) + 16);
      builder_.emit("ld.const.b32", {range, entry});
    } else {
      builder_.emit("mov.b32", {range, number(-1)});
    }
    builder_.emit("mov.b32", {bytes, number(access.memory.bytes)});
    const i64 mask = options_.alignment ? access.memory.bytes - 1 : 0;
    const u32 v_address = parameter("judged_address", Type::B64), v_site = parameter("judged_site", Type::B32);
    const u32 v_range = parameter("judged_range", Type::B32), v_bytes = parameter("judged_bytes", Type::B32);
    const u32 v_mask = parameter("judged_mask", Type::B32), v_skip = parameter("judged_skip", Type::B32);
    give(v_address, reg(address), ".b64");
    give(v_site, number(access.site), ".b32");
    give(v_range, range, ".b32");
    give(v_bytes, bytes, ".b32");
    give(v_mask, number(mask), ".b32");
    const auto variable = [](u32 id) { return Builder::of_variable(id); };
    const Operand results = builder_.vector({variable(v_skip)});
    const Operand arguments = builder_.vector(
        {variable(v_address), variable(v_site), variable(v_range), variable(v_bytes), variable(v_mask)});
    builder_.emit("call", {results, helper(judge_function), arguments});
    const Operand answer = reg(builder_.reg("answer", Type::B32));
    builder_.emit("ld.param.b32", {answer, builder_.address(variable(v_skip))});
    const u32 fine = builder_.reg("fine", Type::Pred);
    builder_.emit("setp.eq.s32", {reg(fine), answer, number(0)});
    builder_.emit("bra", {Builder::of_label(back)}, {fine});
  }

  void record(u32 address, u32 offset, u32 site, u32 range) {
    const u32 v_address = parameter("bad_address", Type::B64), v_offset = parameter("bad_offset", Type::B64);
    const u32 v_site = parameter("bad_site", Type::B32), v_range = parameter("bad_range", Type::B32);
    give(v_address, reg(address), ".b64");
    give(v_offset, reg(offset), ".b64");
    give(v_site, number(site), ".b32");
    give(v_range, number(i32(range)), ".b32");
    const auto variable = [](u32 id) { return Builder::of_variable(id); };
    builder_.emit("call",
                  {builder_.vector({}), helper(record_function),
                   builder_.vector({variable(v_address), variable(v_offset), variable(v_site), variable(v_range)})});
  }

  u32 parameter(const char* name, Type type) { return builder_.variable(name, Space::Param, type); }

  void give(u32 variable, Operand value, const char* type) {
    builder_.emit(std::string("st.param") + type, {builder_.address(Builder::of_variable(variable)), value});
  }

  Operand helper(const char* name) const {
    const auto at = std::ranges::find(module_.functions, name, &Function::name);
    return Builder::of_function(u32(at - module_.functions.begin()));
  }

  // A load or atomic that was stepped over yields zero.
  void clear_results(const Instruction& it) {
    if (it.operand_count == 0) return;
    const Operand first = function_.operands[it.first_operand];
    const auto clear = [&](const Operand& operand) {
      if (operand.kind != Kind::Register) return;
      const u32 bytes = size_of(function_.registers[operand.id].type);
      if (bytes != 2 && bytes != 4 && bytes != 8) return;
      builder_.emit("mov.b" + std::to_string(8 * bytes), {operand, number(0)});
    };
    clear(first);
    if (first.kind != Kind::Vector) return;
    for (u32 i = 0; i < first.count; ++i) clear(Operand(function_.operands[first.first + i]));
  }

  void safe_address(const CheckedAccess& access) {
    const Operand low = reg(extent(access.memory.space).low(builder_, access.type));
    builder_.emit(access.type == Type::B64 ? "mov.b64" : "mov.b32", {reg(access.base), low});
  }

  Module& module_;
  Function& function_;
  u32 number_;
  const InstrumentOptions& options_;
  Instrumented& out_;
  EntrySlots& slots_;
  Extent shared_, local_;
  Builder builder_;
  std::vector<Origin> origins_;
  u32 table_ = 0;
  std::vector<std::function<void()>> cold_;
};

}  // namespace

void instrument_function(Module& module, OpcodeTable& opcodes, Function& function, u32 number,
                         const InstrumentOptions& options, Instrumented& out, EntrySlots& slots) {
  Rewriter(module, opcodes, function, number, options, out, slots).run();
}

}  // namespace ropewalk::ptx
