#include "lib/problem/rope_formula.h"

#include <array>

namespace ropewalk {
namespace {

constexpr std::array<std::string_view, 11> type_names = {"default",      "linear",        "dynamic",  "dynamic_alpha",
                                                         "yarn",         "deepseek_yarn", "longrope", "llama3",
                                                         "proportional", "ntk",           "mixed_ntk"};
constexpr std::array<std::string_view, 8> axes_names = {
    "one",    "sections",           "interleaved sections", "ernie",
    "vision", "vision interleaved", "vision alternating",   "a series for each axis"};

}  // namespace

std::string_view name_of(RopeType type) { return type_names[size_t(type)]; }

std::optional<RopeType> rope_type_named(std::string_view name) {
  for (const RopeType type : all_rope_types()) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

const std::vector<RopeType>& all_rope_types() {
  static const std::vector<RopeType> all = [] {
    std::vector<RopeType> types;
    for (size_t n = 0; n < type_names.size(); ++n) types.push_back(RopeType(n));
    return types;
  }();
  return all;
}

std::string_view name_of(RopeAxes axes) { return axes_names[size_t(axes)]; }

i64 axes_of(RopeAxes axes) {
  switch (axes) {
    case RopeAxes::One:
      return 1;
    case RopeAxes::Vision:
    case RopeAxes::VisionInterleaved:
    case RopeAxes::VisionAlternating:
      return 2;
    default:
      return 3;
  }
}

}  // namespace ropewalk
