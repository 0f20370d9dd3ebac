#include "lib/families/rotary/rotary_readings.h"

#include <utility>

#include "lib/diagnose/rotary_facts.h"

namespace ropewalk {

std::vector<Reading> rotary_readings(const LaunchTensor& output, const RotaryProblem& problem, const Scene& scene) {
  if (is_table(output)) return cache_readings(output, problem, scene);
  std::vector<Reading> readings = rotation_readings(output, problem, scene);
  for (Reading& reading : place_readings(output, problem, scene)) readings.push_back(std::move(reading));
  return readings;
}

}  // namespace ropewalk
