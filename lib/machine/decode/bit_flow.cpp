#include "lib/machine/decode/bit_flow.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;
using Relation = BitFlow::Relation;

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

BitFlow conversion(const Name& name) {
  const std::string_view to = name.words[name.words.size() - 2];
  // d = {a, b} of two f32.
  if (to.ends_with("x2") && name.type() == "f32") return {.kind = Flow::Pack};
  if (to.ends_with("x2") && name.type().ends_with("x2")) return {.kind = Flow::Packed};
  if (!is_integer(to) || !is_integer(name.type())) return {};
  if (name.words.size() == 3)
    return {.kind = Flow::Moved,
            .moved = 1,
            .is_resized = true,
            .is_copy = !name.is_signed(),
            .copied_bytes = u8(std::strtoul(name.type().data() + 1, nullptr, 10) / 8),
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

// `flow` is what the opcode does to integers without modifiers.
BitFlow integer_arithmetic(const Name& name, BitFlow flow) {
  if (flow.kind == Flow::Whole || name.has("sat")) return {};
  flow.is_signed = name.is_signed();
  const bool is_product = flow.kind == Flow::Product, is_sum = flow.kind == Flow::SumOfProduct;
  if ((is_product || is_sum) && !name.has("lo")) {
    const bool is_whole = flow.factor_bits == 0;
    if (is_whole && name.has("wide"))
      flow.kind = is_sum ? Flow::WideSumOfProduct : Flow::WideProduct;
    else if (is_whole && is_product)
      flow.kind = Flow::HighProduct;
    else
      return {};
  }
  if ((flow.kind == Flow::Least || flow.kind == Flow::Greatest) && name.words.size() != 2) return {};
  return flow;
}

BitFlow internal(const Name& name) {
  const std::string_view stem = name.stem();
  if (stem == "%move" || stem == "%resize")
    return {.kind = Flow::Moved, .moved = 1, .is_resized = true, .is_copy = true, .is_signed = name.is_signed()};
  if (stem == "%unpack") return ptx::table::moved(1);
  if (stem == "%pack") return ptx::table::moved(1 | 2);
  if (stem == "%carry") return {.kind = Flow::CarryOfSum};
  if (stem == "%add") return {.kind = Flow::SumWithCarry};
  return {};
}

}  // namespace

BitFlow bit_flow_of(std::string_view key) {
  const Name name = split(key);
  if (key[0] == '%') return internal(name);
  const ptx::Op op = ptx::op_named(name.stem());
  if (op == "cvt"_op) return conversion(name);
  BitFlow flow = ptx::row_of(op).facts.bits;
  switch (flow.kind) {
    case Flow::Comparison:
      return comparison(name);
    case Flow::Moved:
    case Flow::Logic:
    case Flow::IsZero:
    case Flow::Select:
      return flow;
    case Flow::Monotonic:
      return name.is_signed() ? BitFlow{} : flow;  // bfind of a sign
    case Flow::SelectSign:
      return name.type() == "s32" ? flow : BitFlow{};
    case Flow::DotProduct:
      flow.is_signed = name.words[name.words.size() - 2] == "s32";
      flow.is_signed_b = name.is_signed();
      flow.is_high = name.has("hi");
      return flow;
    default:
      break;
  }
  // Pairs of f16, bf16 or 16-bit integers, also where set says what their comparison gives.
  if (name.type().ends_with("x2")) return {.kind = Flow::Packed};
  return is_integer(name.type()) ? integer_arithmetic(name, flow) : BitFlow{};
}

}  // namespace ropewalk::machine
