#include "lib/ptx/signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

TypeClass class_of(Type type) {
  switch (type) {
    case Type::Pred:
      return TypeClass::Predicate;
    case Type::U8:
    case Type::U16:
    case Type::U32:
    case Type::U64:
    case Type::S8:
    case Type::S16:
    case Type::S32:
    case Type::S64:
      return TypeClass::Integer;
    case Type::F16:
    case Type::BF16:
    case Type::F32:
    case Type::F64:
      return TypeClass::Float;
    default:
      return TypeClass::Bits;
  }
}

namespace {

// Words of which an opcode names exactly one.
constexpr std::string_view atomic_operations = "add min max and or xor exch cas inc dec";
constexpr std::pair<Op, std::string_view> choices[] = {
    {"atom"_op, atomic_operations},  {"bar"_op, "arrive sync red"},    {"barrier"_op, "arrive sync red wait"},
    {"match"_op, "any all"},         {"red"_op, atomic_operations},    {"redux"_op, "add min max and or xor"},
    {"shfl"_op, "up down bfly idx"}, {"vote"_op, "all any uni ballot"}};

class SignatureReader {
 public:
  SignatureReader(const Opcode& opcode, const Edition& edition) : opcode_(opcode), edition_(edition) {}

  Signature read() {
    const std::string& stem = opcode_.stem;
    const InstructionRow& row = opcode_.row();
    if (opcode_.op == Op()) return edition_.is_newer ? Signature() : faulty("PTX has no instruction \"" + stem + "\"");
    // cvt.pack is an instruction of its own.
    const bool has_rule = row.has_rule() && !(opcode_.op == "cvt"_op && opcode_.has("pack"));
    const bool takes_any = !has_rule || row.modifiers == "*";
    for (const std::string& modifier : opcode_.modifiers) {
      const bool is_type = has_rule && has_word(row.types, modifier) && !has_word(row.modifiers, modifier);
      if (!is_type && !takes_any && !has_word(row.modifiers, modifier)) {
        if (edition_.is_newer) return Signature();
        const char* const what = type_named(modifier) == Type::None ? "modifier" : "type";
        return faulty("\"" + modifier + "\" is no " + what + " of the instruction " + stem);
      }
      note(modifier, is_type);
    }
    if (!has_rule) {
      if (row.facts.access == Access::Copy) signature_.pattern = copy_pattern();
      signature_.matrix = matrix_form(opcode_);
      return signature_;
    }
    signature_.has_rule = true;
    if (takes_any) return signature_.pattern = "*", signature_;
    const bool has_types = !row.types.empty();
    if (signature_.types < row.facts.least_types * has_types || signature_.types > row.facts.most_types * has_types) {
      return faulty(opcode_.text + (signature_.types ? " has too many types" : " lacks a type") + ", expected one of " +
                    std::string(row.types));
    }
    signature_.pattern = pattern();
    if (const std::string fault = missing(); !fault.empty()) return faulty(opcode_.text + fault);
    return signature_;
  }

 private:
  static Signature faulty(std::string fault) {
    Signature out;
    out.fault = std::move(fault);
    return out;
  }

  void note(const std::string& modifier, bool is_type) {
    if (is_type) {
      signature_.last = type_named(modifier);
      if (signature_.types++ == 0) signature_.first = signature_.last;
    }
    signature_.combines |= modifier == "and" || modifier == "or" || modifier == "xor";
    signature_.is_wide |= modifier == "wide";
  }

  u32 count_of(std::string_view words) const {
    return u32(std::ranges::count_if(opcode_.modifiers, [&](const std::string& one) { return has_word(words, one); }));
  }
  bool has_one_of(std::string_view words) const { return count_of(words) > 0; }

  // What an opcode has too much or too little of; "" where it is whole.
  std::string missing() const {
    for (const auto& [op, words] : choices) {
      if (opcode_.op != op) continue;
      if (const u32 named = count_of(words); named != 1)
        return fmt::format(" names {} of {}, expected one", named ? "several" : "none", words);
    }
    const InstructionFacts& facts = opcode_.facts();
    const TypeClass of = class_of(signature_.last);
    if ((opcode_.has("cc") || facts.takes_carry) &&
        (of != TypeClass::Integer || size_of(signature_.last) < 4 || has_one_of("sat ftz wide rn rz rm rp"))) {
      return " is no instruction: there are carries of integers of 32 and 64 bits, without other modifiers";
    }
    const bool adds_product = facts.calculation == Calculation::MultiplyAdd, is_integer = of == TypeClass::Integer;
    if ((adds_product || facts.calculation == Calculation::Multiply) && is_integer && !has_one_of("lo hi wide"))
      return " lacks .lo, .hi or .wide";
    const bool is_of_sm_1x = edition_.capability < 20 && opcode_.op == "mad"_op && signature_.last == Type::F32;
    if (adds_product && !is_integer && !is_of_sm_1x && !has_one_of("rn rz rm rp"))
      return " lacks a rounding such as .rn";
    if (opcode_.op == "redux"_op) {
      const bool is_float = of == TypeClass::Float;
      if (!has_one_of(of == TypeClass::Bits ? "and or xor"
                      : is_float            ? "min max"
                                            : "add min max") ||
          (!is_float && has_one_of("abs NaN")))
        return " names no operation that is there for its type";
    }
    if (opcode_.op == "set"_op && (size_of(signature_.first) > 4 || name_of(signature_.first)[0] == 'b') &&
        signature_.first != Type::BF16 && signature_.first != Type::BF16x2) {
      return " has a result of a type that it cannot have";
    }
    if (facts.access != Access::None && opcode_.spaces.size() > 1 && !opcode_.has("async")) {
      return " names several state spaces";
    }
    if (facts.access == Access::Atomic) return missing_of_atomic();
    if (opcode_.op == "vote"_op && opcode_.has("ballot") != (signature_.last == Type::B32))
      return " has a result of a type that it cannot have";
    if (edition_.needs_sync && (opcode_.op == "shfl"_op || opcode_.op == "vote"_op) && !opcode_.has("sync"))
      return " without .sync does not exist on sm_70 and newer since PTX 6.4";
    if (opcode_.op == "cvt"_op) return rounding_of_conversion();
    return missing_of_barrier();
  }

  // Between numbers of one register; what has a packed or a short type has rules of its own.
  std::string rounding_of_conversion() const {
    const auto is_number = [](Type type) {
      return class_of(type) == TypeClass::Integer || class_of(type) == TypeClass::Float;
    };
    if (!is_number(signature_.first) || !is_number(signature_.last)) return "";
    const bool to_float = class_of(signature_.first) == TypeClass::Float;
    const bool from_float = class_of(signature_.last) == TypeClass::Float;
    const bool is_of_bf16 = signature_.first == Type::BF16 || signature_.last == Type::BF16;
    const u32 to = size_of(signature_.first), from = size_of(signature_.last);
    const bool rounds = has_one_of("rn rz rm rp rna rs"), rounds_to_integer = has_one_of("rni rzi rmi rpi");
    if (from_float && !to_float && !rounds_to_integer) return " lacks a rounding such as .rzi";
    if (to_float && (!from_float || to < from) && !rounds) return " lacks a rounding such as .rn";
    if (is_of_bf16 && (to == 1 || from == 1))
      return " does not exist: bf16 is converted from and to no integer of 8 bits";
    const bool is_shortened = to_float && (!from_float || to < from);
    const bool may_round = is_shortened || (to_float && is_of_bf16 && signature_.first != signature_.last);
    if (rounds && !may_round) return " has a rounding where nothing is rounded to a shorter float";
    if (rounds_to_integer && (!from_float || (to_float && signature_.first != signature_.last)))
      return " has a rounding to an integer where none is made of a float";
    return "";
  }

  std::string missing_of_barrier() const {
    if (opcode_.op != "bar"_op && opcode_.op != "barrier"_op) return "";
    const u32 operations = count_of("popc and or");
    if (!opcode_.has("red")) return operations ? " has an operation, which .red alone has" : "";
    if (operations != 1) return fmt::format(" names {} of popc and or, expected one", operations ? "several" : "none");
    if (opcode_.has("popc") != opcode_.has("u32")) return " has a result of a type that it cannot have";
    return "";
  }

  std::string missing_of_atomic() const {
    const TypeClass of = class_of(signature_.last);
    const Type type = signature_.last;
    bool fits = true;
    for (const std::string& name : opcode_.modifiers) {
      const bool is_number = has_word("min max add", name);
      if (has_word("and or xor", name)) fits &= type == Type::B32 || type == Type::B64;
      if (has_word("exch cas", name)) fits &= of == TypeClass::Bits && (name == "cas" || type != Type::B16);
      if (has_word("inc dec", name)) fits &= type == Type::U32;
      if (is_number) fits &= of != TypeClass::Bits || type == Type::F16x2 || type == Type::BF16x2;
      if (name == "add") fits &= type != Type::S64;
    }
    if (opcode_.op == "red"_op) fits &= !has_one_of("cas exch");
    return fits ? "" : " is no instruction: the operation does not exist for this type";
  }

  std::string copy_pattern() const {
    const Opcode& opcode = opcode_;
    if (opcode.modifiers.empty() || opcode.modifiers[0] != "async" || opcode.has("bulk") || opcode.has("mbarrier") ||
        opcode.has("reduce")) {
      return "*";
    }
    if (opcode.has("commit_group") || opcode.has("wait_all")) return "-";
    return opcode.has("wait_group") ? "i" : "MGi*";
  }

  // The operands of those opcodes of which a modifier decides.
  std::string pattern() const {
    const Opcode& opcode = opcode_;
    const InstructionRow& row = opcode.row();
    switch (opcode.op) {
      case "bar"_op:
      case "barrier"_op:
        if (opcode.has("warp")) return "u";
        if (opcode.has("cluster")) return "-";
        if (opcode.has("red")) return opcode.has("popc") ? "ru[u]p" : "Pu[u]p";
        return opcode.has("arrive") ? "uu" : "u[u]";
      case "vote"_op:
        return opcode.has("ballot") ? "rp[u]" : "Pp[u]";
      case "match"_op:
        return opcode.has("all") ? "Eau" : "rau";
      case "atom"_op:
        return opcode.vector > 1 ? "*" : opcode.has("cas") ? "omaa*" : "oma*";
      case "red"_op:
        return opcode.vector > 1 || opcode.has("async") ? "*" : "ma*";
      default:
        break;
    }
    if (signature_.types > 1 && row.facts.most_types > row.facts.least_types) return "*";  // of mixed precision
    return row.operands.empty() ? "-" : std::string(row.operands);
  }

  const Opcode& opcode_;
  const Edition& edition_;
  Signature signature_;
};

}  // namespace

Signature signature_of(const Opcode& opcode, const Edition& edition) { return SignatureReader(opcode, edition).read(); }

}  // namespace ropewalk::ptx
