// The fixed order of modifiers, and those that change nothing.
#include <algorithm>
#include <array>
#include <vector>

#include "lib/machine/handlers/table.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

// Modifiers whose order PTX writers vary, in the order of the table; others keep their positions.
constexpr std::array<std::string_view, 17> ranked = {"approx", "full",    "rn",  "rz",  "rm",  "rp",
                                                     "rna",    "rni",     "rzi", "rmi", "rpi", "ftz",
                                                     "NaN",    "xorsign", "abs", "sat", "relu"};

u32 rank_of(std::string_view modifier) {
  const auto at = std::find(ranked.begin(), ranked.end(), modifier);
  if (at != ranked.end()) return u32(at - ranked.begin());
  return modifier == "satfinite" ? u32(ranked.size()) : ~u32(0);
}

bool is_float(std::string_view type) {
  return type.starts_with("f") || type.starts_with("bf") || type.starts_with("tf");
}
bool is_integer(std::string_view type) {
  return (type.starts_with("u") || type.starts_with("s")) && type.size() > 1 && type[1] >= '0' && type[1] <= '9';
}

// The assembler takes modifiers behind the types as well: curand has lg2.approx.f32.ftz.
void put_types_last(std::vector<std::string_view>& words) {
  const auto is_type = [](std::string_view word) { return is_float(word) || is_integer(word); };
  const auto has_rank = [](std::string_view word) { return rank_of(word) != ~u32(0); };
  std::stable_partition(std::find_if(words.begin() + 1, words.end(), is_type), words.end(), has_rank);
}

void drop(std::vector<std::string_view>& words, std::string_view modifier) { std::erase(words, modifier); }

// Sorts the modifiers that have a rank among the positions that they hold.
void sort_ranked(std::vector<std::string_view>& words) {
  std::vector<std::string_view> sorted;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (rank_of(words[i]) != ~u32(0)) sorted.push_back(words[i]);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](std::string_view a, std::string_view b) { return rank_of(a) < rank_of(b); });
  auto next = sorted.begin();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (rank_of(words[i]) != ~u32(0)) words[i] = *next++;
  }
}

// cvt.….TO.FROM
void simplify_conversion(std::vector<std::string_view>& words) {
  if (words.size() < 3) return;
  const std::string_view to = words[words.size() - 2], from = words.back();
  // No integer is subnormal, and no f16 either once it is an f32.
  if (to != "f32" && from != "f32") drop(words, "ftz");
  if (is_integer(from)) drop(words, "ftz");
  // A float out of range is clamped with .sat and without.
  if (is_float(from) && is_integer(to)) drop(words, "sat");
}

}  // namespace

std::string canonical_opcode(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('.', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  put_types_last(words);
  std::string_view& stem = words.front();
  const bool of_floats = is_float(words.back());
  if (of_floats && ptx::row_of(ptx::op_named(stem)).facts.calculation != ptx::Calculation::None) {
    drop(words, "rn");  // the default, or the only one
    if (stem == "mad") stem = "fma";
  }
  if (stem == "cvt") simplify_conversion(words);
  drop(words, "uni");
  sort_ranked(words);
  std::string result;
  for (const std::string_view word : words) {
    if (!result.empty()) result += '.';
    result += word;
  }
  return result;
}

}  // namespace ropewalk::machine
