// How fast PTX is read: ptx_read [FILE...]; without files, 17 MB made of copies of a kept kernel.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>

#include "lib/base/error.h"
#include "tests/lib/ptx/large_text.h"

namespace {

using namespace ropewalk;

// The best of five runs, in seconds of processor time: other work on the machine does not count.
double seconds_of(const std::function<void()>& run) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    run();
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void print(const std::string& name, u64 bytes, double seconds, const ptx::Module& module) {
  u64 instructions = 0;
  for (const ptx::Function& function : module.functions) instructions += function.instructions.size();
  std::printf("%s: %.1f MB, %llu instructions, read in %.0f ms, %.0f MB/s\n", name.c_str(), double(bytes) / 1e6,
              static_cast<unsigned long long>(instructions), seconds * 1e3, double(bytes) / 1e6 / seconds);
}

void measure_file(const std::string& path) {
  ptx::Module module;
  const double seconds = seconds_of([&] { module = ptx::read_file(path); });
  print(path, std::filesystem::file_size(path), seconds, module);
}

void measure_copies() {
  const std::string text = ptx::large_text(ROPEWALK_SOURCE_DIR "/tests/bench/attention_f32.ptx", 17'000'000);
  ptx::Module module;
  const double seconds = seconds_of([&] { module = ptx::read(text, "copies.ptx"); });
  print("copies of attention_f32.ptx", text.size(), seconds, module);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int i = 1; i < count; ++i) measure_file(arguments[i]);
    if (count == 1) measure_copies();
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
