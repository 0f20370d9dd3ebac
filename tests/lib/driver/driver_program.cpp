// A program that uses the driver API as any other does: it links libcuda.so.1 and knows nothing of Ropewalk.
//   driver_program MODULE.ptx WHAT...
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/lib/driver/driver_functions.h"

namespace {

// Ends the program where a call fails.
void must(int result, const char* call) {
  if (!result) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::printf("%s: %s\n", call, name ? name : "?");
  std::exit(3);
}
#define MUST(call) must(call, #call)

struct Program {
  void *context = nullptr, *module = nullptr;
  DevicePointer x = 0, y = 0;
  static constexpr int count = 100;

  explicit Program(const char* path) {
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoad(&module, path));
    MUST(cuMemAlloc_v2(&x, count * sizeof(float)));
    MUST(cuMemAlloc_v2(&y, count * sizeof(float)));
    const std::vector<float> ones(count, 1.0f);
    MUST(cuMemcpyHtoD_v2(x, ones.data(), count * sizeof(float)));
  }

  void* kernel(const char* name) {
    void* out = nullptr;
    MUST(cuModuleGetFunction(&out, module, name));
    return out;
  }

  int scale(int n, void* stream = nullptr) {
    void* arguments[] = {&x, &y, &n};
    return cuLaunchKernel(kernel("scale"), 2, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr);
  }

  void show() {
    float last = 0;
    MUST(cuMemcpyDtoH_v2(&last, y + (count - 1) * sizeof(float), sizeof last));
    std::printf("%g\n", last);
  }

  void free() {
    MUST(cuMemFree_v2(x));
    MUST(cuMemFree_v2(y));
  }

  void threads() {
    std::vector<std::thread> all;
    for (int n = 0; n < 8; ++n) {
      all.emplace_back([this] {
        MUST(cuCtxSetCurrent(context));
        for (int k = 0; k < 50; ++k) MUST(scale(count));
      });
    }
    for (std::thread& one : all) one.join();
  }

  void unload() {
    void* const function = kernel("scale");
    MUST(cuModuleUnload(module));
    int n = count;
    void* arguments[] = {&x, &y, &n};
    const int result = cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
    std::printf("a kernel of a module that was unloaded: %d\n", result);
  }

  void memory() {
    DevicePointer much = 0;
    std::printf("too much: %d\n", cuMemAlloc_v2(&much, std::size_t(1) << 50));
    std::printf("host copy: %d\n", cuMemcpyHtoD_v2(x, &much, 8) + cuMemcpyDtoH_v2(&much, x + 396, 8));
    std::printf("inside: %d\n", cuMemFree_v2(x + 4));
    MUST(cuMemFree_v2(y));
    std::printf("twice: %d\n", cuMemFree_v2(y));
  }

  void graph() {
    void *stream = nullptr, *graph = nullptr, *runnable = nullptr;
    MUST(cuStreamCreate(&stream, 1));
    MUST(cuStreamBeginCapture_v2(stream, 0));
    MUST(scale(count, stream));
    MUST(cuMemsetD8Async(x, 0, 4, stream));
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiateWithFlags(&runnable, graph, 0));
    std::size_t nodes = 0;
    MUST(cuGraphGetNodes(graph, nullptr, &nodes));
    for (int n = 0; n < 3; ++n) MUST(cuGraphLaunch(runnable, stream));
    MUST(cuStreamSynchronize(stream));
    float first[2] = {};
    MUST(cuMemcpyDtoH_v2(first, y, sizeof first));
    std::printf("%zu nodes: %g %g\n", nodes, first[0], first[1]);
  }

  void link() {
    constexpr const char* text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n";
    // Two that need each other, with a name that each has for itself.
    constexpr const char* caller =
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) give();\n"
        ".visible .global .u32 given = 7;\n.global .u32 own = 1;\n"
        ".visible .entry call_it(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %a<2>; ld.param.u64 %a1, [p];\n"
        "{ .param .b32 v; call.uni (v), give, (); ld.param.b32 %r1, [v]; } ld.global.u32 %r2, [own];\n"
        "add.u32 %r3, %r1, %r2; st.global.u32 [%a1], %r3; ret; }\n";
    constexpr const char* called =
        ".version 8.1\n.target sm_80\n.address_size 64\n.extern .global .u32 given;\n.global .u32 own = 100;\n"
        ".visible .func (.param .b32 r) give() { .reg .b32 %r<4>; ld.global.u32 %r1, [given];\n"
        "ld.global.u32 %r2, [own]; add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }\n";
    const auto add = [](void* state, const char* one) {
      return cuLinkAddData_v2(state, 1, const_cast<char*>(one), std::strlen(one), "text", 0, nullptr, nullptr);
    };
    void *state = nullptr, *image = nullptr, *linked = nullptr, *nothing = nullptr;
    std::size_t bytes = 0;
    MUST(cuLinkCreate_v2(0, nullptr, nullptr, &state));
    MUST(cuLinkAddData_v2(state, 1, const_cast<char*>(text), std::strlen(text), "text", 0, nullptr, nullptr));
    MUST(cuLinkComplete(state, &image, &bytes));
    MUST(cuModuleLoadDataEx(&linked, image, 0, nullptr, nullptr));
    MUST(cuLinkDestroy(state));
    MUST(cuModuleGetFunction(&nothing, linked, "nothing"));
    MUST(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));

    MUST(cuLinkCreate_v2(0, nullptr, nullptr, &state));
    MUST(add(state, caller));
    MUST(add(state, called));
    MUST(cuLinkComplete(state, &image, &bytes));
    MUST(cuModuleLoadDataEx(&linked, image, 0, nullptr, nullptr));
    MUST(add(state, called));
    const int twice = cuLinkComplete(state, &image, &bytes);
    MUST(cuLinkDestroy(state));
    MUST(cuModuleGetFunction(&nothing, linked, "call_it"));
    void* arguments[] = {&y};
    MUST(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    int got = 0;
    MUST(cuMemcpyDtoH_v2(&got, y, sizeof got));
    std::printf("linked: %d, defined twice: %d\n", got, twice);
  }

  void ask() {
    void* found = nullptr;
    int status = -1;
    MUST(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status));
    std::printf("cuMemAlloc is cuMemAlloc_v2: %d\n", found == reinterpret_cast<void*>(&cuMemAlloc_v2));
    const int missing = cuGetProcAddress_v2("cuNoSuch", &found, 12000, 0, &status);
    std::printf("cuNoSuch: %d, %d\n", missing, status);
    const void* table = nullptr;
    std::printf("a private table: %d\n", cuGetExportTable(&table, "0123456789abcdef"));
    int blocks = 0, major = 0;
    MUST(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("scale"), 256, 0));
    MUST(cuDeviceGetAttribute(&major, 75, 0));
    std::printf("%d blocks of 256 threads on compute capability %d\n", blocks, major);
  }
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  Program program(words[1]);
  for (int n = 2; n < count; ++n) {
    const std::string what = words[n];
    if (what == "right") MUST(program.scale(Program::count));
    if (what == "wrong") MUST(program.scale(Program::count + 1));
    if (what == "threads") program.threads();
    if (what == "unload") program.unload();
    if (what == "memory") program.memory();
    if (what == "graph") program.graph();
    if (what == "link") program.link();
    if (what == "ask") program.ask();
    if (what == "show") program.show();
    if (what == "free") program.free();
    if (what == "crash") std::abort();
    if (what == "leave") _exit(5);
    if (what == "fork") {
      const pid_t child = fork();
      if (child == 0) {
        MUST(program.scale(Program::count + 1));
        return 0;
      }
      int status = 0;
      waitpid(child, &status, 0);
    }
    if (what == "trap") {
      MUST(cuLaunchKernel(program.kernel("fail"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
      std::printf("after a trap: %d\n", cuCtxSynchronize());
    }
  }
  return 0;
}
