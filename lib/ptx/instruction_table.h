// The table of instructions: what PTX has, how it may look and what it does, one row per opcode. Reader, rewriter,
// machine and manual ask the row of an opcode. What modifiers and types say besides is worked out where it is needed.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

#include "lib/ptx/bit_flow.h"

namespace ropewalk::ptx {

// Where execution goes on. It comes back behind a call.
enum class Turn : u8 { Next, Branch, Table, Call, Leave };

// What is done at the address: a hint does nothing there, and what is unseen is not looked at.
enum class Access : u8 { None, Load, Store, Atomic, Copy, LoadMatrix, StoreMatrix, Hint, Unseen };

// How a result may be an address where operands are: what it is of them. What Mix, Pick and Number give is no pointer
// of a parameter. Other: not known.
enum class Carries : u8 { Other, Loaded, Copy, Sum, Difference, SumOfProduct, Mask, Choice, Mix, Pick, Number };

// The part of the machine that decodes it. What is of Arithmetic and has no rule is not known.
enum class Group : u8 { Arithmetic, Move, Memory, Control, Warp, Barrier, Matrix, Video };

// What it calculates, for overflow and contraction. Extend, of 32 bits to 64, is a matter of its types.
enum class Calculation : u8 { None, Add, Subtract, Multiply, MultiplyAdd, ShiftLeft, Extend };

struct InstructionFacts {
  u8 least_types = 1, most_types = 1;  // where there is a type at all
  Group group = Group::Arithmetic;
  Turn turn = Turn::Next;
  Access access = Access::None;
  u8 address = 0;  // of an access: which operand is the address
  Carries carries = Carries::Other;
  BitFlow bits;  // of integers
  Calculation calculation = Calculation::None;
  bool takes_carry = false;  // that an instruction before it left
  u8 lanes = 0;              // of a video instruction: 1, 2 or 4 numbers in a register
  std::string_view missing;  // what this machine would have to support for it
};

// Words are separated by spaces. `modifiers` are those that are no type. `operands` has a letter for each operand, an
// optional one in brackets:
//   d  a register of the first type            D  the same, or with a predicate behind '|'  E  the same of 32 bits
//   a  a register or constant of the last type c  the same of the first type
//   w  a register of twice the width           W  the same, or a constant
//   r  a register of 32 bits                   u  the same, or an integer
//   o  a register of the first type or "_"     i  an integer
//   p  a predicate to read, which may be negated
//   P  a predicate to write, or "_"            Q  the same, or two with '|' between
//   x  a register at least as wide as the first type (cvt)   y  a source at least as wide as the last type (cvt)
//   v  what a load writes: a register or, with .vN, a vector s  what a store reads
//   m  an address                              l  a label                       t  a table of labels
//   A  a register of the type, a constant or the address of a variable or function (cvta)
//   *  anything from here on
struct InstructionRow {
  std::string_view stem;
  std::string_view types, modifiers, operands;
  InstructionFacts facts = {};

  // Whether its modifiers and operands are described. Those of the others are not looked at.
  constexpr bool has_rule() const { return types.data() != nullptr; }
  // Whether the machine has it, at least with some modifiers.
  constexpr bool is_known() const { return (has_rule() || facts.group != Group::Arithmetic) && facts.missing.empty(); }
};

#define RW_INTEGERS "u16 u32 u64 s16 s32 s64"
#define RW_HALVES "f16 f16x2 bf16 bf16x2"
#define RW_ROUNDINGS "rn rz rm rp"
#define RW_RELATIONS "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"
#define RW_MEMORY                                                                                       \
  "global shared local const param shared::cta shared::cluster param::entry param::func weak relaxed "  \
  "acquire release volatile mmio cta cluster gpu sys ca cg cs lu cv nc wb wt unified "                  \
  "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_last " \
  "L2::evict_normal L2::evict_first L2::cache_hint L2::64B L2::128B L2::256B v2 v4 v8"
#define RW_MEMORY_TYPES "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
#define RW_ATOMIC                                                                                             \
  "global shared shared::cta shared::cluster relaxed acquire release acq_rel cta cluster gpu sys add and or " \
  "xor exch cas inc dec min max noftz L2::cache_hint v2 v4 v8"
#define RW_ATOMIC_TYPES "b16 b32 b64 b128 u32 u64 s32 s64 f32 f64 " RW_HALVES
#define RW_CONVERTED                                                                                     \
  "u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 tf32 e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2 " \
  "ue8m0x2 e4m3x4 e5m2x4 e2m1x4 e2m3x4 e3m2x4 s2f6x2"
#define RW_BARRIER "sync arrive red aligned cta popc and or pred u32"

namespace table {

using enum Group;
using enum Turn;
using enum Access;
using Flow = BitFlow::Kind;
constexpr BitFlow moved(u8 operands) { return {.kind = Flow::Moved, .moved = operands, .is_copy = true}; }
constexpr BitFlow logic(u8 table) { return {.kind = Flow::Logic, .table = table}; }
constexpr BitFlow shifted_left{.kind = Flow::Moved, .moved = 1, .is_left_shift = true, .is_copy = true};

constexpr InstructionRow row(std::string_view stem, std::string_view types, std::string_view modifiers,
                             std::string_view operands, InstructionFacts facts = {}) {
  return {stem, types, modifiers, operands, facts};
}
constexpr InstructionRow bare(std::string_view stem, InstructionFacts facts = {}) { return {stem, {}, {}, {}, facts}; }

// Sorted by stem. The first is of what PTX does not have.
constexpr std::array rows = {
    bare(""),
    bare("@index", {.group = Control}),
    row("abs", "s16 s32 s64 f32 f64 " RW_HALVES, "ftz", "da", {.bits = {Flow::Absolute}}),
    row("activemask", "b32", "", "d", {.group = Warp}),
    row("add", RW_INTEGERS " u16x2 s16x2 f32 f32x2 f64 " RW_HALVES, RW_ROUNDINGS " ftz sat cc", "daa",
        {.most_types = 2, .carries = Carries::Sum, .bits = {Flow::Sum}, .calculation = Calculation::Add}),
    row("addc", "u32 s32 u64 s64", "cc", "daa", {.calculation = Calculation::Add, .takes_carry = true}),
    bare("alloca"),
    row("and", "pred b16 b32 b64", "", "daa", {.carries = Carries::Mask, .bits = logic(BitFlow::table_of_and)}),
    bare("applypriority", {.group = Memory, .access = Hint}),
    row("atom", RW_ATOMIC_TYPES, RW_ATOMIC, "*",
        {.group = Memory, .access = Atomic, .address = 1, .carries = Carries::Number}),
    row("bar", "u32 pred", RW_BARRIER " warp", "*", {.least_types = 0, .group = Control}),
    row("barrier", "u32 pred", RW_BARRIER " cluster wait relaxed acquire release", "*",
        {.least_types = 0, .group = Control}),
    row("bfe", "u32 u64 s32 s64", "", "dauu", {.bits = moved(1)}),
    row("bfi", "b32 b64", "", "daauu", {.bits = moved(1 | 2)}),
    row("bfind", "u32 u64 s32 s64", "shiftamt", "ra", {.bits = {Flow::Monotonic}}),
    row("bmsk", "b32", "clamp wrap", "daa"),
    row("bra", "", "uni", "l", {.group = Control, .turn = Branch}),
    row("brev", "b32 b64", "", "da", {.bits = moved(1)}),
    row("brkpt", "", "", "", {.group = Control}),
    row("brx", "", "idx uni", "ut", {.group = Control, .turn = Table}),
    row("call", "", "uni", "*", {.group = Control, .turn = Call}),
    bare("clusterlaunchcontrol"),
    row("clz", "b32 b64", "", "ra", {.bits = {Flow::Monotonic}}),
    row("cnot", "b16 b32 b64", "", "da", {.bits = {Flow::IsZero}}),
    row("copysign", "f32 f64", "", "daa"),
    row("cos", "f32", "approx ftz", "da"),
    bare("cp", {.group = Memory, .access = Copy}),
    bare("createpolicy", {.group = Memory}),
    row("cvt", RW_CONVERTED, "rni rzi rmi rpi rn rz rm rp rna rs ftz sat satfinite relu scaled::n2::ue8m0", "xy[y][u]",
        {.least_types = 2, .most_types = 2, .carries = Carries::Copy}),
    row("cvta", "u32 u64", "to shared local global const param shared::cta shared::cluster param::entry", "dA",
        {.group = Move, .carries = Carries::Copy}),
    bare("discard", {.group = Memory, .access = Hint}),
    row("div", RW_INTEGERS " f32 f64", "approx full " RW_ROUNDINGS " ftz", "daa", {.bits = {Flow::Quotient}}),
    row("dp2a", "u32 s32", "lo hi", "duuu",
        {.least_types = 2, .most_types = 2, .bits = {.kind = Flow::DotProduct, .has_halves = true}}),
    row("dp4a", "u32 s32", "", "duuu", {.least_types = 2, .most_types = 2, .bits = {Flow::DotProduct}}),
    row("elect", "", "sync", "Eu", {.group = Warp}),
    row("ex2", "f32 " RW_HALVES, "approx ftz", "da"),
    row("exit", "", "", "", {.group = Control, .turn = Leave}),
    bare("fence", {.group = Memory}),
    row("fma", "f32 f32x2 f64 " RW_HALVES, RW_ROUNDINGS " ftz sat relu oob", "daaa",
        {.most_types = 2, .calculation = Calculation::MultiplyAdd}),
    row("fns", "b32", "", "duuu"),
    bare("getctarank", {.group = Move, .missing = "clusters"}),
    bare("griddepcontrol", {.group = Memory}),
    row("isspacep", "", "shared local global const param shared::cta shared::cluster param::entry", "P*",
        {.group = Move}),
    bare("istypep"),
    row("ld", RW_MEMORY_TYPES, RW_MEMORY, "vm[*]",
        {.group = Memory, .access = Load, .address = 1, .carries = Carries::Loaded}),
    row("ldmatrix", "b16 b8", "*", "*",
        {.group = Matrix, .access = LoadMatrix, .address = 1, .carries = Carries::Number}),
    row("ldu", RW_MEMORY_TYPES, "global v2 v4", "vm",
        {.group = Memory, .access = Load, .address = 1, .carries = Carries::Loaded}),
    row("lg2", "f32", "approx ftz", "da"),
    row("lop3", "b32", "and or", "Daaai[p]", {.carries = Carries::Mix, .bits = logic(0)}),
    row("mad", RW_INTEGERS " f32 f64", "lo hi wide sat cc " RW_ROUNDINGS " ftz", "daaa",
        {.carries = Carries::SumOfProduct, .bits = {Flow::SumOfProduct}, .calculation = Calculation::MultiplyAdd}),
    row("mad24", "u32 s32", "lo hi sat", "daaa", {.bits = {.kind = Flow::SumOfProduct, .factor_bits = 24}}),
    row("madc", "u32 s32 u64 s64", "lo hi cc", "daaa", {.calculation = Calculation::MultiplyAdd, .takes_carry = true}),
    bare("mapa", {.group = Move, .missing = "clusters"}),
    row("match", "b32 b64", "sync any all", "*", {.group = Warp}),
    row("max", RW_INTEGERS " u16x2 s16x2 f32 f64 " RW_HALVES, "ftz NaN xorsign abs relu", "daa[a]",
        {.carries = Carries::Pick, .bits = {Flow::Greatest}}),
    bare("mbarrier", {.group = Barrier, .access = Unseen}),
    bare("membar", {.group = Memory}),
    row("min", RW_INTEGERS " u16x2 s16x2 f32 f64 " RW_HALVES, "ftz NaN xorsign abs relu", "daa[a]",
        {.carries = Carries::Pick, .bits = {Flow::Least}}),
    bare("mma", {.group = Matrix}),
    row("mov", "pred b16 b32 b64 b128 " RW_INTEGERS " f32 f64", "", "*", {.group = Move, .carries = Carries::Copy}),
    row("movmatrix", "b16", "sync aligned m8n8 trans", "ru", {.group = Matrix}),
    row("mul", RW_INTEGERS " f32 f32x2 f64 " RW_HALVES, "lo hi wide " RW_ROUNDINGS " ftz sat", "daa",
        {.bits = {Flow::Product}, .calculation = Calculation::Multiply}),
    row("mul24", "u32 s32", "lo hi", "daa", {.bits = {.kind = Flow::Product, .factor_bits = 24}}),
    bare("multimem", {.access = Unseen}),
    row("nanosleep", "u32", "", "u", {.group = Control}),
    row("neg", "s16 s32 s64 f32 f64 " RW_HALVES, "ftz", "da", {.bits = {Flow::Difference}}),
    row("not", "pred b16 b32 b64", "", "da", {.bits = logic(BitFlow::table_of_not)}),
    row("or", "pred b16 b32 b64", "", "daa", {.carries = Carries::Mask, .bits = logic(BitFlow::table_of_or)}),
    row("pmevent", "", "mask", "i", {.group = Control}),
    row("popc", "b32 b64", "", "ra", {.bits = {Flow::Monotonic}}),
    bare("prefetch", {.group = Memory, .access = Hint}),
    bare("prefetchu", {.group = Memory, .access = Hint}),
    row("prmt", "b32", "f4e b4e rc8 ecl ecr rc16", "daaa", {.bits = moved(1 | 2)}),
    row("rcp", "f32 f64", "approx " RW_ROUNDINGS " ftz", "da"),
    row("red", RW_ATOMIC_TYPES, RW_ATOMIC " async mbarrier::complete_tx::bytes", "*",
        {.group = Memory, .access = Atomic}),
    row("redux", "u32 s32 b32 f32", "sync add min max and or xor abs NaN", "dau", {.group = Warp}),
    row("rem", RW_INTEGERS, "", "daa", {.bits = {Flow::Remainder}}),
    row("ret", "", "uni", "", {.group = Control, .turn = Leave}),
    row("rsqrt", "f32 f64", "approx ftz", "da"),
    row("sad", RW_INTEGERS, "", "*"),
    row("selp", "b16 b32 b64 " RW_INTEGERS " f32 f64", "", "daap",
        {.carries = Carries::Choice, .bits = {Flow::Select}}),
    row("set", "b16 b32 b64 " RW_INTEGERS " f32 f64 " RW_HALVES, RW_RELATIONS, "daa[p]",
        {.least_types = 2, .most_types = 2}),
    bare("setmaxnreg", {.group = Memory}),
    row("setp", "b16 b32 b64 " RW_INTEGERS " f32 f64 " RW_HALVES, RW_RELATIONS, "Qaa[p]",
        {.carries = Carries::Number, .bits = {Flow::Comparison}}),
    row("shf", "b32", "l r clamp wrap", "daau", {.bits = moved(1 | 2)}),
    row("shfl", "b32", "sync up down bfly idx", "Dauu[u]", {.group = Warp}),
    row("shl", "b16 b32 b64", "", "dau", {.bits = shifted_left, .calculation = Calculation::ShiftLeft}),
    row("shr", "b16 b32 b64 " RW_INTEGERS, "", "dau", {.bits = moved(1)}),
    row("sin", "f32", "approx ftz", "da"),
    row("slct", "b16 b32 b64 " RW_INTEGERS " f32 f64", "ftz", "dcca",
        {.least_types = 2, .most_types = 2, .carries = Carries::Pick, .bits = {Flow::SelectSign}}),
    row("sqrt", "f32 f64", "approx " RW_ROUNDINGS " ftz", "da"),
    row("st", RW_MEMORY_TYPES, RW_MEMORY " async mbarrier::complete_tx::bytes", "ms[*]",
        {.group = Memory, .access = Store}),
    bare("stackrestore"),
    bare("stacksave"),
    row("stmatrix", "b16 b8", "*", "*", {.group = Matrix, .access = StoreMatrix}),
    row("sub", RW_INTEGERS " f32 f32x2 f64 " RW_HALVES, RW_ROUNDINGS " ftz sat cc", "daa",
        {.most_types = 2,
         .carries = Carries::Difference,
         .bits = {Flow::Difference},
         .calculation = Calculation::Subtract}),
    row("subc", "u32 s32 u64 s64", "cc", "daa", {.calculation = Calculation::Subtract, .takes_carry = true}),
    bare("suld", {.access = Unseen}),
    bare("suq"),
    bare("sured", {.access = Unseen}),
    bare("sust", {.access = Unseen}),
    row("szext", "u32 s32", "clamp wrap", "dau", {.bits = moved(1)}),
    row("tanh", "f32 " RW_HALVES, "approx", "da"),
    bare("tcgen05", {.access = Unseen}),
    bare("tensormap"),
    row("testp", "f32 f64", "finite infinite number notanumber normal subnormal", "Pa"),
    bare("tex", {.access = Unseen}),
    bare("tld4", {.access = Unseen}),
    row("trap", "", "", "", {.group = Control, .turn = Leave}),
    bare("txq"),
    bare("vabsdiff", {.group = Video, .lanes = 1}),
    bare("vabsdiff2", {.group = Video, .lanes = 2}),
    bare("vabsdiff4", {.group = Video, .lanes = 4}),
    bare("vadd", {.group = Video, .lanes = 1}),
    bare("vadd2", {.group = Video, .lanes = 2}),
    bare("vadd4", {.group = Video, .lanes = 4}),
    bare("vavrg2", {.group = Video, .lanes = 2}),
    bare("vavrg4", {.group = Video, .lanes = 4}),
    bare("vmad", {.lanes = 1}),
    bare("vmax", {.group = Video, .lanes = 1}),
    bare("vmax2", {.group = Video, .lanes = 2}),
    bare("vmax4", {.group = Video, .lanes = 4}),
    bare("vmin", {.group = Video, .lanes = 1}),
    bare("vmin2", {.group = Video, .lanes = 2}),
    bare("vmin4", {.group = Video, .lanes = 4}),
    row("vote", "pred b32", "sync all any uni ballot", "*", {.group = Warp}),
    bare("vset", {.group = Video, .lanes = 1}),
    bare("vset2", {.group = Video, .lanes = 2}),
    bare("vset4", {.group = Video, .lanes = 4}),
    bare("vshl", {.group = Video, .lanes = 1}),
    bare("vshr", {.group = Video, .lanes = 1}),
    bare("vsub", {.group = Video, .lanes = 1}),
    bare("vsub2", {.group = Video, .lanes = 2}),
    bare("vsub4", {.group = Video, .lanes = 4}),
    bare("wgmma", {.access = Unseen}),
    bare("wmma", {.access = Unseen}),
    row("xor", "pred b16 b32 b64", "", "daa", {.carries = Carries::Mix, .bits = logic(BitFlow::table_of_xor)}),
};
static_assert(std::ranges::is_sorted(rows, {}, &InstructionRow::stem));
static_assert(rows.size() <= 256);

}  // namespace table

#undef RW_INTEGERS
#undef RW_HALVES
#undef RW_ROUNDINGS
#undef RW_RELATIONS
#undef RW_MEMORY
#undef RW_MEMORY_TYPES
#undef RW_ATOMIC
#undef RW_ATOMIC_TYPES
#undef RW_CONVERTED
#undef RW_BARRIER

// An opcode without its modifiers: the number of its row. "ld"_op is that of "ld"; a name without a row does not
// compile.
enum class Op : u8 {};
// Op() where PTX has no such opcode.
constexpr Op op_named(std::string_view stem) {
  const auto at = std::ranges::lower_bound(table::rows, stem, {}, &InstructionRow::stem);
  return at != table::rows.end() && at->stem == stem ? Op(at - table::rows.begin()) : Op();
}
constexpr const InstructionRow& row_of(Op op) { return table::rows[u64(op)]; }

}  // namespace ropewalk::ptx

namespace ropewalk {

consteval ptx::Op operator""_op(const char* stem, unsigned long size) {
  const ptx::Op op = ptx::op_named({stem, size});
  return op == ptx::Op() ? throw "no such opcode" : op;
}

}  // namespace ropewalk
