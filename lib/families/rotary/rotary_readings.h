// The wrong readings of rotary problems.
#pragma once
#include <vector>

#include "lib/diagnose/reading.h"
#include "lib/problem/rotary.h"

namespace ropewalk {

// Of x or out, q or k, and of cos and sin where the launch builds them.
std::vector<Reading> rotary_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);

// Their kinds: of the rotation's numbers, of the places that x and out have in memory, of the tables that are built.
std::vector<Reading> rotation_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);
std::vector<Reading> place_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);
std::vector<Reading> cache_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene);

}  // namespace ropewalk
