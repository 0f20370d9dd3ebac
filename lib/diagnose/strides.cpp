#include "lib/diagnose/strides.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"

namespace ropewalk {
namespace {

constexpr i64 most_elements = i64(1) << 18;  // that are gone through for one guess

// A guess: the strides that the kernel used, and whose they are.
struct Guess {
  Strides strides;
  std::string text;  // "the strides of x: [96, 24, 1] instead of [64, 16, 1]"
};

std::vector<Guess> guesses_for(const LaunchTensor& tensor, const Launch& launch) {
  std::vector<Guess> guesses;
  const auto add_from = [&](const Strides& other, const std::string& whose) {
    for (u32 replaced = 1; replaced < (1u << other.size()); ++replaced) {
      Guess guess{tensor.strides, ""};
      bool all_change = true;
      for (u64 d = 0; d < other.size(); ++d) {
        if (!((replaced >> d) & 1u)) continue;
        all_change &= guess.strides[d] != other[d] && tensor.shape[d] > 1;
        guess.strides[d] = other[d];
      }
      if (!all_change) continue;
      guess.text = fmt::format("{}: {} instead of {}", whose, text_of(guess.strides), text_of(tensor.strides));
      guesses.push_back(std::move(guess));
    }
  };
  for (const LaunchTensor& other : launch.tensors) {
    if (&other == &tensor || other.shape.size() != tensor.shape.size() || is_table(other)) continue;
    add_from(other.strides, "strides of " + other.name);
  }
  if (!is_dense(tensor)) add_from(contiguous_strides(tensor.shape), "strides of a tensor without gaps");
  return guesses;
}

bool in_fields(const LaunchTensor& tensor, i64 element) {
  const i64 row = element / tensor.shape.back(), column = element % tensor.shape.back();
  return tensor.fields.empty() || std::any_of(tensor.fields.begin(), tensor.fields.end(), [&](const Field& field) {
           return row >= field.first_row && row < field.last_row && column >= field.first_column &&
                  column < field.last_column;
         });
}

// What a launch of these strides touches outside of the tensor's own elements, in the words of a footprint, and what it
// leaves untouched. `columns` of each row are touched.
struct Prediction {
  std::vector<i64> strays;     // sorted, unique
  std::vector<i64> untouched;  // elements, row-major
};

Prediction predict(const LaunchTensor& tensor, const Strides& strides, i64 columns) {
  Prediction out;
  const i64 count = element_count(tensor.shape), span = element_span(tensor.shape, tensor.strides);
  const Strides dense = contiguous_strides(tensor.shape);
  const bool is_plain = dense == tensor.strides;
  std::vector<bool> touched(u64(count), false);
  for (i64 n = 0; n < count; ++n) {
    const std::vector<i64> index = index_of(tensor.shape, n);
    if (index.back() >= columns) continue;
    const i64 offset = offset_of(strides, index);
    bool inside = is_plain && offset < span;
    const i64 element =
        is_plain ? offset : offset_of(dense, index_at_offset(tensor.shape, tensor.strides, offset, &inside));
    if (inside) touched[u64(element)] = true;
    if (!inside || !in_fields(tensor, element)) out.strays.push_back(element);
  }
  std::sort(out.strays.begin(), out.strays.end());
  out.strays.erase(std::unique(out.strays.begin(), out.strays.end()), out.strays.end());
  for (i64 n = 0; n < count; ++n) {
    if (!touched[u64(n)] && n % tensor.shape.back() < columns && in_fields(tensor, n)) out.untouched.push_back(n);
  }
  return out;
}

// All that the launch's findings say of the tensor.
struct Seen {
  std::vector<i64> strays;  // elements of footprints outside of the tensor or in its gaps; sorted, unique
  std::vector<i64> unwritten;
  bool complete = true;
};

bool is_stray(const Finding& finding) {
  return is_out_of_bounds(finding) || (finding.rule == Rule::IndexOutOfField && !broken_statement(finding));
}

Seen seen_of(const LaunchTensor& tensor, const Scene& scene) {
  Seen seen;
  seen.complete = scene.launch.blocks.count == 0;
  for (const Finding& finding : scene.findings) {
    if (tensor_of(finding, scene) != &tensor) continue;
    const auto& elements = finding.footprint.elements;
    if (is_stray(finding)) {
      // A wide access at the end of a tensor without gaps has elements inside as well.
      const bool only_outside = is_out_of_bounds(finding) && is_dense(tensor);
      std::copy_if(elements.begin(), elements.end(), std::back_inserter(seen.strays),
                   [&](i64 n) { return !only_outside || n < 0 || n >= element_count(tensor.shape); });
    } else if (finding.rule == Rule::OutputNotWritten) {
      seen.unwritten = elements;
    } else {
      continue;
    }
    seen.complete &= finding.footprint.complete && !elements.empty();
  }
  std::sort(seen.strays.begin(), seen.strays.end());
  seen.strays.erase(std::unique(seen.strays.begin(), seen.strays.end()), seen.strays.end());
  return seen;
}

bool explains(const Prediction& prediction, const Seen& seen) {
  if (seen.strays.empty() || prediction.strays.empty()) return false;
  if (seen.complete && seen.strays != prediction.strays) return false;
  if (seen.complete && !seen.unwritten.empty() && seen.unwritten != prediction.untouched) return false;
  return std::includes(prediction.strays.begin(), prediction.strays.end(), seen.strays.begin(), seen.strays.end()) &&
         std::includes(prediction.untouched.begin(), prediction.untouched.end(), seen.unwritten.begin(),
                       seen.unwritten.end());
}

}  // namespace

std::optional<Cause> wrong_stride(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!tensor || (!is_stray(finding) && finding.rule != Rule::OutputNotWritten)) return std::nullopt;
  if (tensor->shape.size() < 2 || element_count(tensor->shape) > most_elements) return std::nullopt;
  const Seen seen = seen_of(*tensor, scene);
  if (seen.strays.empty()) return std::nullopt;
  std::vector<i64> columns{tensor->shape.back()};
  const RotaryProblem* problem = rotary_problem(scene);
  if (problem && problem->width() < tensor->shape.back()) columns.push_back(problem->width());
  for (const Guess& guess : guesses_for(*tensor, scene.launch)) {
    for (const i64 touched_columns : columns) {
      const Prediction prediction = predict(*tensor, guess.strides, touched_columns);
      if (!explains(prediction, seen)) continue;
      Cause cause;
      cause.id = "wrong-stride";
      cause.text = fmt::format("{} is indexed with {}", tensor->name, guess.text);
      cause.evidence = {
          fmt::format("{} of the {} elements outside of {}'s own that these strides reach were touched, and "
                      "no other",
                      seen.strays.size(), prediction.strays.size(), tensor->name)};
      if (!seen.unwritten.empty()) {
        cause.evidence.push_back(fmt::format("{} elements are never written; these strides leave out {}",
                                             seen.unwritten.size(), prediction.untouched.size()));
      }
      cause.advice = fmt::format("pass the strides of {} itself, each tensor its own", tensor->name);
      return cause;
    }
  }
  return std::nullopt;
}

}  // namespace ropewalk
