// The GPU compared with the machine: random programs, every kernel and every seeded bug of both programs over
// a short campaign, every row of the atlas, as they are and rewritten. Writes what was compared and what differed, with
// the device's name, driver and the date.
//
// gpu_compare RESULTS.json [SEEDS [CASES [MOST_MIB [PART]]]]: PART is one part alone, by its name. Exit 0 where
// everything agreed, 1 where something did not, 3 where nothing could be run.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/gpu/gpu.h"
#include "tests/gpu/parts.h"

namespace ropewalk {
namespace {

constexpr u64 most_shown = 10;  // differences of a part on the terminal; the file has all

nlohmann::json head_of(const gpu::DeviceInfo& info) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {{"schema", "ropewalk.gpu-test/1"}, {"device", info.name},
          {"devices", info.count},           {"compute_capability", fmt::format("{}.{}", info.major, info.minor)},
          {"driver", info.driver},           {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(now))}};
}

int run(const std::string& path, const CompareOptions& options, const std::string& only) {
  const gpu::DeviceInfo info = gpu::device_info();
  if (!info.unavailable.empty()) {
    fmt::print(stderr, "gpu-test: not run: {}\n", info.unavailable);
    return 3;
  }
  constexpr std::pair<const char*, Tally (*)(const CompareOptions&)> parts[] = {
      {"random_programs", compare_random_programs},
      {"stray_programs", compare_stray_programs},
      {"approximate_programs", compare_approximate_programs},
      {"approximate_ranges", compare_approximate_ranges},
      {"kernels", compare_healthy_kernels},
      {"kernels_rewritten", compare_rewritten_kernels},
      {"seeded_bugs", compare_faulty_kernels},
      {"atlas", compare_atlas}};
  nlohmann::json out = head_of(info);
  u64 compared = 0, differ = 0;
  if (!only.empty() && std::ranges::none_of(parts, [&](const auto& part) { return only == part.first; })) {
    throw InputError(fmt::format("there is no part \"{}\"", only));
  }
  for (const auto& [name, part] : parts) {
    if (!only.empty() && only != name) continue;
    const Tally tally = part(options);
    out[name] = tally.json();
    compared += tally.compared;
    differ += tally.differences.size();
    fmt::print("{:20} {} compared, {} differ, {} not run\n", name, tally.compared, tally.differences.size(),
               tally.not_run);
    for (u64 n = 0; n < std::min<u64>(most_shown, tally.differences.size()); ++n) {
      fmt::print("  {}\n", tally.differences[n]);
    }
    std::fflush(stdout);
    std::ofstream file(path);  // after each part: what was compared is not lost with what comes next
    file << out.dump(2) << "\n";
    if (!file.flush()) throw InputError("cannot write " + path);
  }
  return compared == 0 ? 3 : differ ? 1 : 0;
}

u64 number(const char* text, const char* what) {
  char* end = nullptr;
  const u64 value = std::strtoull(text, &end, 10);
  if (*end || end == text || *text == '-') throw InputError(fmt::format("{} is \"{}\", expected a number", what, text));
  return value;
}

}  // namespace
}  // namespace ropewalk

int main(int count, char** arguments) {
  if (count < 2 || count > 6) {
    fmt::print(stderr, "usage: gpu_compare RESULTS.json [SEEDS [CASES [MOST_MIB [PART]]]]\n");
    return 2;
  }
  try {
    ropewalk::CompareOptions options;
    if (count > 2) options.seeds = ropewalk::number(arguments[2], "SEEDS");
    if (count > 3) options.cases = ropewalk::number(arguments[3], "CASES");
    if (count > 4) options.most_bytes = ropewalk::number(arguments[4], "MOST_MIB") << 20;
    options.jobs = std::min(ropewalk::threads_for(0), 8u);
    return ropewalk::run(arguments[1], options, count > 5 ? arguments[5] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu-test: {}\n", error.what());
    return 2;
  }
}
