// What a launch costs more in a traced program: the injected library's part of it, by a driver that does nothing.
// Prints nanoseconds a launch.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "lib/gpu/cupti_api.h"
#include "lib/trace/environment.h"
#include "lib/trace/recorder/call_parameters.h"

using namespace ropewalk;

namespace {

namespace cupti = gpu::cupti;

cupti::Callback listener = nullptr;
constexpr int launches = 2000000;
constexpr std::size_t parameters = 12;

// As many launches as `count`, of 12 arguments of 8 bytes; every 1000 of them are waited for.
void launch_all(const cupti::Callback callback, int count) {
  u64 values[parameters] = {};
  void* addresses[parameters];
  for (std::size_t n = 0; n < parameters; ++n) addresses[n] = &values[n];
  const trace::LaunchCall launch{&values, {64, 8, 1}, {128, 1, 1}, 0, nullptr, addresses, nullptr};
  const trace::StreamCall wait{nullptr};
  int result = 0;
  u64 kept = 0;
  cupti::CallbackData data{0, "cuLaunchKernel", &launch, &result, "kernel", nullptr, 1, &kept, 0};
  for (int n = 0; n < count; ++n) {
    const bool waits = n % 1000 == 999;
    data.parameters = waits ? static_cast<const void*>(&wait) : &launch;
    for (const int site : {cupti::enter_site, cupti::leave_site}) {
      data.site = site;
      callback(nullptr, cupti::driver_domain, waits ? 126 : 307, &data);
    }
  }
}

double nanoseconds(unsigned threads) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> all;
  for (unsigned n = 0; n < threads; ++n) all.emplace_back([] { launch_all(listener, launches); });
  for (std::thread& one : all) one.join();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / launches;
}

}  // namespace

extern "C" {
void stand_in_cupti_listens(cupti::Callback callback, void*) { listener = callback; }
void stand_in_cupti_enables(u32) {}
int cuFuncGetParamInfo(void*, std::size_t number, std::size_t* offset, std::size_t* bytes) {
  *offset = number * 8;
  *bytes = 8;
  return number < parameters ? 0 : 1;
}
}

int main() {
  std::string folder = "/tmp/ropewalk-overhead-XXXXXX";
  if (!mkdtemp(folder.data())) return 2;
  setenv(trace::folder_variable, folder.c_str(), 1);
  setenv("ROPEWALK_CUPTI", ROPEWALK_BINARY_DIR "/tests/libstand_in_cupti.so", 1);
  void* library = dlopen(ROPEWALK_BINARY_DIR "/bin/libropewalk_trace.so", RTLD_NOW);
  auto* start = library ? reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")) : nullptr;
  if (!start || !start() || !listener) {
    std::fprintf(stderr, "the library does not start\n");
    return 2;
  }
  launch_all(listener, 1000);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) best = std::min(best, nanoseconds(1));
  std::printf("%.1f ns a launch of %zu arguments on one thread, %.1f on each of two\n", best, parameters,
              nanoseconds(2));
  std::remove((folder + "/" + std::to_string(getpid()) + ".json").c_str());
  rmdir(folder.c_str());
}
