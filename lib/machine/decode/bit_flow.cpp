#include "lib/machine/decode/bit_flow.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;
using Relation = BitFlow::Relation;

constexpr u8 first = 1, second = 2;  // operands, of BitFlow::moved

struct Name {
  std::vector<std::string_view> words;
  std::string_view stem() const { return words.front(); }
  std::string_view type() const { return words.back(); }
  bool has(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }
  bool is_signed() const { return type()[0] == 's'; }
};

Name split(std::string_view key) {
  Name name;
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find('.', at), key.size());
    name.words.push_back(key.substr(at, end - at));
    at = end + 1;
  }
  return name;
}

bool is_integer(std::string_view type) {
  return type.size() > 1 && (type[0] == 's' || type[0] == 'u' || type[0] == 'b') && type[1] >= '0' && type[1] <= '9';
}

BitFlow moved(u8 operands) { return {.kind = Flow::Moved, .moved = operands, .is_copy = true}; }
BitFlow logic(u8 table) { return {.kind = Flow::Logic, .table = table}; }

BitFlow conversion(const Name& name) {
  const std::string_view to = name.words[name.words.size() - 2];
  // d = {a, b} of two f32.
  if (to.ends_with("x2") && name.type() == "f32") return {.kind = Flow::Pack};
  if (to.ends_with("x2") && name.type().ends_with("x2")) return {.kind = Flow::Packed};
  if (!is_integer(to) || !is_integer(name.type())) return {};
  if (name.words.size() == 3)
    return {.kind = Flow::Moved,
            .moved = first,
            .is_resized = true,
            .is_copy = !name.is_signed(),
            .is_signed = name.is_signed()};
  // Saturated, and of the kind that is signed and made unsigned: still between its ends.
  return {.kind = Flow::Monotonic, .is_signed = name.is_signed()};
}

BitFlow comparison(const Name& name) {
  constexpr std::array<std::pair<std::string_view, Relation>, 10> relations = {{{"eq", Relation::Equal},
                                                                                {"ne", Relation::NotEqual},
                                                                                {"lt", Relation::Less},
                                                                                {"le", Relation::LessEqual},
                                                                                {"gt", Relation::Greater},
                                                                                {"ge", Relation::GreaterEqual},
                                                                                {"lo", Relation::Less},
                                                                                {"ls", Relation::LessEqual},
                                                                                {"hi", Relation::Greater},
                                                                                {"hs", Relation::GreaterEqual}}};
  if (name.type().ends_with("x2")) return {.kind = Flow::Packed};
  if (!is_integer(name.type()) || name.words.size() != 3) return {};
  for (const auto& [word, relation] : relations) {
    if (name.words[1] == word) return {.kind = Flow::Comparison, .is_signed = name.is_signed(), .relation = relation};
  }
  return {};
}

BitFlow integer_arithmetic(const Name& name) {
  const std::string_view stem = name.stem();
  const bool is_signed = name.is_signed();
  const auto of = [&](Flow kind) { return BitFlow{.kind = kind, .is_signed = is_signed}; };
  if (name.has("sat")) return {};
  if (stem == "add") return of(Flow::Sum);
  if (stem == "sub" || stem == "neg") return of(Flow::Difference);
  if (stem == "mul" || stem == "mad") {
    const bool sum = stem == "mad";
    if (name.has("lo")) return of(sum ? Flow::SumOfProduct : Flow::Product);
    if (name.has("wide")) return of(sum ? Flow::WideSumOfProduct : Flow::WideProduct);
    return sum ? BitFlow{} : of(Flow::HighProduct);
  }
  if ((stem == "mul24" || stem == "mad24") && name.has("lo")) {
    const Flow kind = stem == "mad24" ? Flow::SumOfProduct : Flow::Product;
    return {.kind = kind, .factor_bits = 24, .is_signed = is_signed};
  }
  if (stem == "abs") return of(Flow::Absolute);
  if (stem == "div") return of(Flow::Quotient);
  if (stem == "rem") return of(Flow::Remainder);
  if ((stem == "min" || stem == "max") && name.words.size() == 2)
    return of(stem == "min" ? Flow::Least : Flow::Greatest);
  return {};
}

BitFlow dot_product(const Name& name) {
  BitFlow flow{.kind = Flow::DotProduct};
  flow.is_signed = name.words[name.words.size() - 2] == "s32";
  flow.is_signed_b = name.is_signed();
  flow.has_halves = name.stem() == "dp2a";
  flow.is_high = name.has("hi");
  return flow;
}

BitFlow internal(const Name& name) {
  const std::string_view stem = name.stem();
  if (stem == "%move" || stem == "%resize")
    return {.kind = Flow::Moved, .moved = first, .is_resized = true, .is_copy = true, .is_signed = name.is_signed()};
  if (stem == "%unpack") return moved(first);
  if (stem == "%pack") return moved(first | second);
  if (stem == "%carry") return {.kind = Flow::CarryOfSum};
  if (stem == "%add") return {.kind = Flow::SumWithCarry};
  return {};
}

}  // namespace

BitFlow bit_flow_of(std::string_view key) {
  const Name name = split(key);
  const std::string_view stem = name.stem();
  if (stem[0] == '%') return internal(name);
  if (stem == "cvt") return conversion(name);
  if (stem == "setp") return comparison(name);
  if (stem == "and") return logic(BitFlow::table_of_and);
  if (stem == "or") return logic(BitFlow::table_of_or);
  if (stem == "xor") return logic(BitFlow::table_of_xor);
  if (stem == "not") return logic(BitFlow::table_of_not);
  if (stem == "lop3") return logic(0);
  if (stem == "shl") return {.kind = Flow::Moved, .moved = first, .is_left_shift = true, .is_copy = true};
  if (stem == "shr" || stem == "brev" || stem == "bfe" || stem == "prmt" || stem == "szext") {
    return moved(stem == "prmt" ? first | second : first);
  }
  if (stem == "shf" || stem == "bfi") return moved(first | second);
  if (stem == "popc" || stem == "clz" || (stem == "bfind" && !name.is_signed())) return {.kind = Flow::Monotonic};
  if (stem == "cnot") return {.kind = Flow::IsZero};
  if (stem == "selp") return {.kind = Flow::Select};
  if (stem == "slct") return name.type() == "s32" ? BitFlow{.kind = Flow::SelectSign} : BitFlow{};
  if (stem == "dp4a" || stem == "dp2a") return dot_product(name);
  // Pairs of f16, bf16 or 16-bit integers, also where set says what their comparison gives.
  if (name.type().ends_with("x2")) return {.kind = Flow::Packed};
  return is_integer(name.type()) ? integer_arithmetic(name) : BitFlow{};
}

}  // namespace ropewalk::machine
