#include "lib/ptx/module.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

namespace {

struct TypeRow {
  std::string_view name;
  u32 bytes;
};
// In the order of the enumeration.
constexpr std::array<TypeRow, u64(Type::S16x2) + 1> types = {{
    {"", 0},      {"pred", 1},   {"b8", 1},     {"b16", 2},   {"b32", 4},   {"b64", 8}, {"b128", 16}, {"u8", 1},
    {"u16", 2},   {"u32", 4},    {"u64", 8},    {"s8", 1},    {"s16", 2},   {"s32", 4}, {"s64", 8},   {"f16", 2},
    {"f16x2", 4}, {"bf16", 2},   {"bf16x2", 4}, {"f32", 4},   {"f32x2", 8}, {"f64", 8}, {"tf32", 4},  {"e4m3", 1},
    {"e5m2", 1},  {"e4m3x2", 2}, {"e5m2x2", 2}, {"u16x2", 4}, {"s16x2", 4},
}};
static_assert(types.back().name == "s16x2");

constexpr std::array<std::string_view, 6> space_names = {"generic", "const", "global", "local", "param", "shared"};

// The product of up to three numbers behind a directive's name; 0 where there is none.
u32 product_of_numbers(std::string_view text) {
  u64 product = 1;
  bool any = false;
  for (u64 at = 0; at < text.size();) {
    u32 number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error == std::errc()) {
      product = std::min<u64>(product * number, 0xffffffffu);
      any = true;
      at = u64(end - text.data());
    } else {
      ++at;
    }
  }
  return any ? u32(product) : 0;
}

}  // namespace

u32 size_of(Type type) { return types[u64(type)].bytes; }
std::string_view name_of(Type type) { return types[u64(type)].name; }

Type type_named(std::string_view name) {
  for (u64 i = 1; i < types.size(); ++i) {
    if (types[i].name == name) return Type(i);
  }
  return Type::None;
}

std::string_view name_of(Space space) { return space_names[u64(space)]; }

Opcode::Opcode(std::string_view whole) : text(whole), stem(whole.substr(0, whole.find('.'))), op(op_named(stem)) {
  for (u64 dot = stem.size(); dot < text.size();) {
    const u64 next = std::min(text.find('.', dot + 1), text.size());
    const std::string& modifier = modifiers.emplace_back(text.substr(dot + 1, next - dot - 1));
    dot = next;
    if (const Type named = type_named(modifier); named != Type::None) {
      type = named;
      if (first_type == Type::None) first_type = named;
    }
    const auto space = std::ranges::find(space_names, modifier.substr(0, modifier.find("::")));
    if (space != space_names.end()) spaces.push_back(Space(space - space_names.begin()));
    if (modifier == "v2" || modifier == "v4" || modifier == "v8") vector = u32(modifier[1] - '0');
  }
}
const InstructionRow& Opcode::row() const { return row_of(op); }
const InstructionFacts& Opcode::facts() const { return row().facts; }
bool Opcode::has(std::string_view modifier) const { return std::ranges::find(modifiers, modifier) != modifiers.end(); }

u64 Variable::bytes() const {
  u64 bytes = u64(size_of(type)) * vector;
  for (const u64 extent : extents) bytes *= extent;
  return bytes;
}

u32 Function::block_threads(bool* required) const {
  u32 largest = 0;
  if (required) *required = false;
  for (const std::string& directive : directives) {
    const std::string_view text = directive;
    const bool exactly = text.starts_with(".reqntid ");
    if (!exactly && !text.starts_with(".maxntid ")) continue;
    const u32 threads = product_of_numbers(text.substr(text.find(' ')));
    if (exactly) {
      if (required) *required = true;
      return threads;
    }
    largest = threads;
  }
  return largest;
}

u32 Function::cluster_blocks() const {
  constexpr std::string_view name = ".reqnctapercluster ";
  for (const std::string& directive : directives) {
    if (directive.starts_with(name)) return product_of_numbers(std::string_view(directive).substr(name.size()));
  }
  return 1;
}

const Function* Module::entry(std::string_view name) const {
  const Function* found = nullptr;
  bool several = false;
  for (const Function& function : functions) {
    if (!function.is_entry) continue;
    if (function.name == name) return &function;
    if (function.name.find(name) == std::string::npos) continue;
    several |= found != nullptr;
    found = &function;
  }
  return several ? nullptr : found;
}

}  // namespace ropewalk::ptx
