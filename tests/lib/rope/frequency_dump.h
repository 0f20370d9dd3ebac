// Dumps of inverse frequencies, judged by a configuration, for tests.
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {

// theta^(-2 i / width), divided by a factor.
inline std::vector<float> series(i64 width, double theta, double factor = 1) {
  std::vector<float> values;
  for (i64 pair = 0; pair < width / 2; ++pair)
    values.push_back(float(std::pow(theta, -2.0 * double(pair) / double(width)) / factor));
  return values;
}

using Modules = std::vector<std::pair<std::string, std::vector<float>>>;

// A file with an `inv_freq` in each module.
inline CacheAnswer judge_frequencies(const std::string& config, const Modules& modules) {
  DumpWriter writer("t.safetensors");
  for (const auto& [module, values] : modules)
    writer.add_tensor(module + ".inv_freq", Dtype::F32, {i64(values.size())}, values);
  return check_dumps({writer.finish()}, read_rope_config(JsonCursor(parse_json(config, "config.json"), "config.json")),
                     1);
}

// The cause of the one finding, "clean", or "not run".
inline std::string outcome(const CacheAnswer& answer) {
  if (!answer.findings.empty()) return only_cause(answer);
  return answer.not_judged.empty() ? "clean" : "not run";
}

}  // namespace ropewalk::rope::testing
