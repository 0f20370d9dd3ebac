// What a launch tells about the rotary embedding that it computes, from its problem where that is known, else from the
// names, shapes and contents of its tensors.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lib/diagnose/hypothesis.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {

// Null where the scene's problem is not known or of another kind.
const RotaryProblem* rotary_problem(const Scene& scene);

// Whether one of the words of the name ("freqs_cos": freqs, cos) is among `words`.
bool has_word(std::string_view name, std::initializer_list<std::string_view> words);
// A cos or sin table, by its name or its regions' names.
bool is_table(const LaunchTensor& tensor);
// Whether the launch is a rotary embedding's: its problem says so, or it has a table.
bool is_rotary(const Scene& scene);

// Columns of a row that are touched in pairs, and where that number comes from.
struct RotaryWidth {
  i64 columns = 0;     // an odd rotary_dim rounded up to whole pairs
  std::string source;  // "rotary_dim 512"
};
// The problem's width; else those that the launch's tables may mean: two columns for each of the table's (a pair shares
// one angle), or one.
std::vector<RotaryWidth> possible_widths(const Scene& scene);

// Whether every possible width is even and no larger than the tensor's rows: then a width explains nothing.
bool widths_fit(const Scene& scene, const LaunchTensor& tensor);

// An integer tensor of the launch whose contents are known.
struct Integers {
  std::string name;
  std::vector<i64> values;
};
// All of 2^16 elements at most, and those with one of these words in their names.
std::vector<Integers> known_integers(const Launch& launch);
std::vector<Integers> integers_named(const Launch& launch, std::initializer_list<std::string_view> words);
// The cumulative sequence lengths, from the problem or from a tensor such as cu_seqlens; empty: none.
// `tensor`: whose rows they count, where there are several lists.
Integers sequence_bounds(const Scene& scene, const LaunchTensor* tensor = nullptr);
// Rows (token x head) of x and out, or of q and k, that belong to a sequence: those before the last one's end.
i64 rows_in_sequences(const LaunchTensor& tensor, const RotaryProblem& problem);
// Rows of the longest of these sequences; 0 where there is none.
i64 longest_sequence(const std::vector<i64>& bounds);

// An integer that the launch passes by value.
struct ScalarInteger {
  std::string source;  // "argument 4", "argument 4 at byte 36"
  i64 value = 0;
};
std::vector<ScalarInteger> scalar_integers(const Launch& launch);

}  // namespace ropewalk::diagnose
