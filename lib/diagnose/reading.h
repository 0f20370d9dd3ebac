// Ways to read a problem other than the right one, and what each expects of an output.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk {

inline constexpr double anything = std::numeric_limits<double>::infinity();  // the bound where nothing is expected

// What is expected of an output, by element.
struct Expected {
  std::vector<double> value, bound;

  // Zeros, with bounds of zero.
  static Expected of_size(i64 count) { return {std::vector<double>(u64(count)), std::vector<double>(u64(count))}; }
};

struct Reading {
  std::string cause;  // id
  std::string text;   // what a kernel does that reads the problem so
  std::string advice;
  Expected expected;
};

// The wrong readings of the scene's problem, whose launch has this output: of a rotary one x or out, q or k, and cos or
// sin where the launch builds them; of attention out or lse. Empty for other tensors.
std::vector<Reading> wrong_readings(const LaunchTensor& output, const Scene& scene);

// The kinds of rotary ones: of the rotation's numbers, of the places that x and out have in memory, of the tables that
// are built.
std::vector<Reading> rotation_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);
std::vector<Reading> place_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);
std::vector<Reading> cache_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);

// Those of attention, by design of one mistake each.
std::vector<Reading> attention_readings(const LaunchTensor& output, const AttentionProblem& problem,
                                        const Scene& scene);
// Those of a merge of attention's parts.
std::vector<Reading> merge_readings(const LaunchTensor& output, const AttentionProblem& problem, const Scene& scene);

}  // namespace ropewalk
