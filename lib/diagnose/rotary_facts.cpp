#include "lib/diagnose/rotary_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

constexpr i64 most_values = i64(1) << 16;

bool is_integer(Dtype dtype) {
  switch (dtype) {
    case Dtype::I8:
    case Dtype::I16:
    case Dtype::I32:
    case Dtype::I64:
    case Dtype::U8:
    case Dtype::U16:
    case Dtype::U32:
    case Dtype::U64:
      return true;
    default:
      return false;
  }
}

// The bits of an integer of this dtype, as a number.
i64 number_of(const ScalarArgument& scalar) {
  const u32 unused_bits = 64 - 8 * size_of(scalar.dtype);
  const u64 high = scalar.bits << unused_bits;
  return is_signed_integer(scalar.dtype) ? i64(high) >> unused_bits : i64(high >> unused_bits);
}

}  // namespace

const RotaryProblem* rotary_problem(const Scene& scene) {
  return scene.problem ? scene.problem->as<RotaryProblem>() : nullptr;
}

bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string word;
  const auto ends_here = [&] {
    const bool found = std::find(words.begin(), words.end(), word) != words.end();
    word.clear();
    return found;
  };
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += char(std::tolower(static_cast<unsigned char>(c)));
    } else if (ends_here()) {
      return true;
    }
  }
  return ends_here();
}

bool is_table(const LaunchTensor& tensor) {
  const auto names_table = [](std::string_view name) { return has_word(name, {"cos", "sin", "cosine", "sine"}); };
  return tensor.shape.size() >= 2 && is_floating(tensor.dtype) &&
         (names_table(tensor.name) || std::any_of(tensor.regions.begin(), tensor.regions.end(),
                                                  [&](const Region& region) { return names_table(region.name); }));
}

bool is_rotary(const Scene& scene) {
  const auto& tensors = scene.launch.tensors;
  return rotary_problem(scene) || std::any_of(tensors.begin(), tensors.end(), is_table);
}

std::vector<RotaryWidth> possible_widths(const Scene& scene) {
  if (const RotaryProblem* problem = rotary_problem(scene)) {
    return {{2 * problem->pairs(), fmt::format("rotary_dim {}", problem->width())}};
  }
  std::vector<RotaryWidth> widths;
  for (const LaunchTensor& tensor : scene.launch.tensors) {
    if (!is_table(tensor)) continue;
    const i64 columns = tensor.shape.back();
    widths = {
        {2 * columns, fmt::format("{} has {} columns, one for each pair: width {}", tensor.name, columns, 2 * columns)},
        {columns, fmt::format("{} has {} columns", tensor.name, columns)}};
    break;
  }
  return widths;
}

bool widths_fit(const Scene& scene, const LaunchTensor& tensor) {
  const bool any_width = is_table(tensor) || tensor.shape.empty();
  if (const RotaryProblem* problem = rotary_problem(scene)) {
    return problem->width() % 2 == 0 && (any_width || problem->width() <= problem->head_dim);
  }
  if (any_width) return true;
  // A table with a column for each pair is the usual form; one as wide as the rows has a column for each.
  const std::vector<RotaryWidth> widths = possible_widths(scene);
  return widths.empty() || widths[0].columns <= tensor.shape.back() || widths[1].columns == tensor.shape.back();
}

std::vector<Integers> known_integers(const Launch& launch) {
  std::vector<Integers> found;
  for (const LaunchTensor& tensor : launch.tensors) {
    const i64 count = element_count(tensor.shape);
    const bool known = std::holds_alternative<Given>(tensor.init) || std::holds_alternative<Arange>(tensor.init) ||
                       std::holds_alternative<Fill>(tensor.init);
    if (!known || !is_integer(tensor.dtype) || count > most_values) continue;
    Integers integers{tensor.name, {}};
    for (i64 n = 0; n < count; ++n) integers.values.push_back(i64(value_of(tensor.init, n)));
    found.push_back(std::move(integers));
  }
  return found;
}

std::vector<Integers> integers_named(const Launch& launch, std::initializer_list<std::string_view> words) {
  std::vector<Integers> named = known_integers(launch);
  std::erase_if(named, [&](const Integers& integers) { return !has_word(integers.name, words); });
  return named;
}

Integers sequence_bounds(const Scene& scene, const LaunchTensor* tensor) {
  if (const RotaryProblem* problem = rotary_problem(scene)) return {"cu_seqlens", problem->cu_seqlens};
  std::vector<Integers> found = integers_named(scene.launch, {"cu", "indptr"});
  // Queries and keys may have lists of their own.
  const bool of_keys = tensor && has_word(tensor->name, {"k", "v"});
  std::stable_partition(found.begin(), found.end(),
                        [&](const Integers& list) { return has_word(list.name, {"k"}) == of_keys; });
  return found.empty() ? Integers{} : std::move(found.front());
}

i64 longest_sequence(const std::vector<i64>& bounds) {
  i64 longest = 0;
  for (u64 n = 1; n < bounds.size(); ++n) longest = std::max(longest, bounds[n] - bounds[n - 1]);
  return longest;
}

std::vector<ScalarInteger> scalar_integers(const Launch& launch) {
  std::vector<ScalarInteger> found;
  const auto add = [&](const std::string& source, const auto& value) {
    const auto* scalar = std::get_if<ScalarArgument>(&value);
    if (scalar && is_integer(scalar->dtype)) found.push_back({source, number_of(*scalar)});
  };
  for (u64 n = 0; n < launch.arguments.size(); ++n) {
    const std::string source = fmt::format("argument {}", n);
    add(source, launch.arguments[n]);
    const auto* packed = std::get_if<StructArgument>(&launch.arguments[n]);
    if (!packed) continue;
    for (const StructArgument::Part& part : packed->parts)
      add(fmt::format("{} at byte {}", source, part.at), part.value);
  }
  return found;
}

i64 rows_in_sequences(const LaunchTensor& tensor, const RotaryProblem& problem) {
  const i64 columns = std::max<i64>(tensor.shape.back(), 1), rows = element_count(tensor.shape) / columns;
  if (!problem.varlen() || tensor.shape.size() < 3) return rows;
  return std::clamp<i64>(problem.cu_seqlens.back() * tensor.shape[tensor.shape.size() - 2], 0, rows);
}

}  // namespace ropewalk::diagnose
