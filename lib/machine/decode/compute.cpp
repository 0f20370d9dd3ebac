// Arithmetic, logic, comparisons, conversions: everything that the table of forms knows.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/machine/decode/decoder.h"
#include "lib/ptx/grammar.h"

namespace ropewalk::machine {

using Kind = ptx::Operand::Kind;

namespace {

// An opcode that the table does not have. Of most instructions it has every form that there is; then this is none.
void unknown(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  constexpr std::array has_more{"fma"_op, "rcp"_op, "set"_op, "prmt"_op, "cvt"_op, "testp"_op};
  const auto types = std::ranges::count_if(opcode.modifiers,
                                           [](const auto& word) { return ptx::type_named(word) != ptx::Type::None; });
  const bool is_whole = std::ranges::find(has_more, opcode.op) == has_more.end() && types < 2;
  if (is_whole && !ptx::is_newer_than_grammar(*decoder.code().module)) {
    decoder.reject(fmt::format("{} is no instruction: {} has no such combination of modifiers and type", opcode.text,
                               opcode.stem));
  }
  decoder.refuse(fmt::format("the machine does not know the instruction {}", opcode.text));
}

// setp.OP[.BOOL].TYPE p[|q], a, b[, c]: p = (a OP b) BOOL c, q = !(a OP b) BOOL c.
void set_predicate(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  std::string compare = "setp", flush, combine;
  for (const std::string& modifier : opcode.modifiers) {
    if (modifier == "and" || modifier == "or" || modifier == "xor")
      combine = modifier;
    else if (modifier == "ftz")
      flush = ".ftz";
    else if (&modifier == &opcode.modifiers.back())
      compare += flush + "." + modifier;
    else
      compare += "." + modifier;
  }
  const KnownForm* form = decoder.form(canonical_opcode(compare));
  if (!form) return unknown(decoder);
  const ptx::Operand& target = decoder.operand(0);
  const bool pair = target.kind == Kind::Pair;
  const u32 a = decoder.source(decoder.operand(1), form->size_a), b = decoder.source(decoder.operand(2), form->size_b);
  // The result goes through a temporary where something is still to be read after it is written.
  const u32 compared = pair || !combine.empty() ? decoder.temporary(1, true) : decoder.destination(target, 1);
  const bool packed = form->size_d == 2;  // of f16x2: two predicates, low and high
  if (packed && !pair) return decoder.refuse(fmt::format("{} with one result", opcode.text));
  if (packed) {
    const u32 both = decoder.temporary(2);
    decoder.compute(*form, both, a, b);
    for (u32 half = 0; half < 2; ++half) {
      const u32 one = combine.empty() ? decoder.destination(decoder.part(target, half), 1) : decoder.temporary(1, true);
      decoder.compute("%unpack.u16.u8", one, both, decoder.constant(8 * half, 4));
      if (!combine.empty()) {
        const u32 c = decoder.predicate(decoder.operand(3));
        decoder.compute(combine + ".pred", decoder.destination(decoder.part(target, half), 1), one, c);
      }
    }
    return;
  }
  const u32 c = combine.empty() ? no_value : decoder.predicate(decoder.operand(3));
  decoder.compute(*form, compared, a, b);
  const auto finish = [&](const ptx::Operand& to, bool negated) {
    u32 value = compared;
    if (negated) decoder.compute("not.pred", value = decoder.temporary(1, true), compared);
    const u32 d = decoder.destination(to, 1);
    if (combine.empty())
      decoder.compute("%move.u8", d, value);
    else
      decoder.compute(combine + ".pred", d, value, c);
  };
  if (pair) {
    const u32 inverse = decoder.temporary(1, true);
    decoder.compute("not.pred", inverse, compared);
    if (combine.empty()) {
      finish(decoder.part(target, 0), false);
      decoder.compute("%move.u8", decoder.destination(decoder.part(target, 1), 1), inverse);
    } else {
      // Both are computed before either is written, for c may be one of them.
      const u32 p = decoder.temporary(1, true), q = decoder.temporary(1, true);
      decoder.compute(combine + ".pred", p, compared, c);
      decoder.compute(combine + ".pred", q, inverse, c);
      decoder.compute("%move.u8", decoder.destination(decoder.part(target, 0), 1), p);
      decoder.compute("%move.u8", decoder.destination(decoder.part(target, 1), 1), q);
    }
  } else if (!combine.empty()) {
    finish(target, false);
  }
}

// lop3.BOOL.b32 d|p, a, b, c, table, q: d by the table, p = (d != 0) BOOL q.
bool logic_with_predicate(Decoder& decoder, const KnownForm& form) {
  const ptx::Operand& target = decoder.operand(0);
  const std::string& combine = decoder.opcode().modifiers[0];
  if (decoder.operand_count() != 6 || target.kind != Kind::Pair) return false;
  u32 sources[4];
  for (u32 n = 0; n < 4; ++n) sources[n] = decoder.source(decoder.operand(n + 1), 4);
  const u32 q = decoder.predicate(decoder.operand(5));
  const u32 d = decoder.destination(decoder.part(target, 0), 4);
  decoder.compute(form, d, sources[0], sources[1], sources[2], sources[3]);
  const u32 some = decoder.computed("setp.ne.u32", 1, d, decoder.constant(0, 4));
  decoder.compute(combine + ".pred", decoder.destination(decoder.part(target, 1), 1), some, q);
  return true;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc. The carry is a value of its own, taken before the result is written. A
// device has one flag and one adder: a - b is a + ~b + 1, so that the flag is set where nothing was borrowed, and any
// of these instructions may follow any other (so ptxas makes them: IADD3 and IADD3.X with the same flag).
void with_carry(Decoder& decoder) {
  const ptx::InstructionFacts& facts = decoder.opcode().facts();
  const bool writes_carry = decoder.opcode().has("cc"), subtracts = facts.calculation == ptx::Calculation::Subtract;
  const u32 size = ptx::size_of(decoder.type()), bits = 8 * size;
  const u32 flag = decoder.code().carry == no_value ? decoder.temporary(4) : decoder.code().carry;
  decoder.code().carry = flag;
  u32 a = decoder.source(decoder.operand(1), size), b = decoder.source(decoder.operand(2), size);
  if (facts.calculation == ptx::Calculation::MultiplyAdd) {
    // The product first; the rest is an addition with carry.
    a = decoder.computed(
        fmt::format("mul.{}.{}", decoder.opcode().has("hi") ? "hi" : "lo", ptx::name_of(decoder.type())), size, a, b);
    b = decoder.source(decoder.operand(3), size);
  }
  if (subtracts) b = decoder.computed(fmt::format("not.b{}", bits), size, b);
  const u32 carry_in = facts.takes_carry ? flag : decoder.constant(subtracts ? 1 : 0, 4);
  const u32 carry_out =
      writes_carry ? decoder.computed(fmt::format("%carry.add.u{}", bits), 4, a, b, carry_in) : no_value;
  decoder.compute(fmt::format("%add.carry.u{}", bits), decoder.destination(decoder.operand(0), size), a, b, carry_in);
  if (writes_carry) decoder.compute("%move.u32", flag, carry_out);
}

// What the overflow check wants to know of 32-bit index arithmetic.
void describe(Step& step, const ptx::Opcode& opcode) {
  using ptx::Type;
  const Type first = opcode.first_type, type = opcode.type;
  const ptx::Calculation calculation = opcode.facts().calculation;
  const bool narrow = type == Type::S32 || type == Type::U32 || type == Type::B32;
  const bool multiplies = calculation == ptx::Calculation::Multiply || calculation == ptx::Calculation::MultiplyAdd,
             converts = opcode.op == "cvt"_op;
  if (narrow && (!multiplies || opcode.has("lo"))) step.calculation = calculation;
  const bool wide = multiplies && opcode.has("wide") && narrow;
  const bool extends = converts && opcode.modifiers.size() == 2 && (first == Type::S64 || first == Type::U64) &&
                       (type == Type::S32 || type == Type::U32);
  if (wide || extends) {
    step.calculation = ptx::Calculation::Extend;
    step.is_signed = type == Type::S32;
  }
  if (opcode.op == "set"_op) return;
  switch (const Type result = converts ? first : type) {
    case Type::F32:
    case Type::F64:
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      step.result_float = result;
      break;
    default:
      break;
  }
}

}  // namespace

bool decode_arithmetic(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  if (opcode.op == "setp"_op) return set_predicate(decoder), true;
  if (opcode.has("cc") || opcode.facts().takes_carry) return with_carry(decoder), true;
  if (opcode.op == "lop3"_op && opcode.modifiers.size() == 2)
    return logic_with_predicate(decoder, *decoder.form("lop3.b32"));
  if (decode_parts(decoder)) return true;
  // min and max of three operands have the opcode of two.
  const bool of_three = (opcode.op == "min"_op || opcode.op == "max"_op) && decoder.operand_count() == 4;
  const std::string key = canonical_opcode(opcode.text);
  const KnownForm* form = decoder.form(of_three ? fmt::format("{}3{}", opcode.stem, key.substr(3)) : key);
  if (!form) {
    if (opcode.op == "set"_op && decode_set(decoder)) return true;
    return opcode.row().has_rule() && (unknown(decoder), true);
  }
  const u32 sources = 1 + (form->size_b != 0) + (form->size_c != 0) + (form->size_e != 0);
  if (decoder.operand_count() != sources + 1) return false;
  const u32 sizes[] = {form->size_a, form->size_b, form->size_c, form->size_e};
  u32 values[4] = {no_value, no_value, no_value, no_value};
  for (u32 i = 0; i < sources; ++i) {
    const ptx::Operand& operand = decoder.operand(i + 1);
    const bool wants_predicate = sizes[i] == 1;
    values[i] = wants_predicate ? decoder.predicate(operand) : decoder.source(operand, sizes[i]);
  }
  // A second result is not among the forms.
  if (decoder.operand(0).kind == Kind::Pair) return false;
  const bool sign_extend = opcode.op == "cvt"_op && ptx::name_of(opcode.first_type).starts_with('s');
  const u32 d = decoder.destination(decoder.operand(0), form->size_d, sign_extend);
  Step& step = decoder.compute(*form, d, values[0], values[1], values[2], values[3]);
  describe(step, opcode);
  return true;
}

}  // namespace ropewalk::machine
