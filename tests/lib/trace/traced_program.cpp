// A CUDA program with faults to be traced: traced_program SCENARIO [healthy]. The driver is linked in.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "lib/trace/recorder/call_parameters.h"

using ropewalk::u32;
using ropewalk::u64;
using Handle = ropewalk::trace::Handle;

extern "C" {
int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuDevicePrimaryCtxRetain(Handle*, int);
int cuCtxSetCurrent(Handle);
int cuModuleLoadDataEx(Handle*, const void*, unsigned, int*, void**);
int cuModuleGetFunction(Handle*, Handle, const char*);
int cuMemAlloc_v2(u64*, std::size_t);
int cuMemFree_v2(u64);
int cuMemcpyHtoD_v2(u64, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, u64, std::size_t);
int cuStreamCreate(Handle*, unsigned);
int cuStreamSynchronize(Handle);
int cuCtxSynchronize();
int cuCtxSynchronize_v2(void* context);
int cuEventRecord(Handle, Handle);
int cuEventSynchronize(Handle);
int cuStreamWaitEvent(Handle, Handle, unsigned);
int cuLaunchKernel(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, void**, void**);
int cuLaunchKernelEx(const void*, Handle, void**, void**);
}

namespace {

// data[base + thread] += 1 for the first `count` threads.
constexpr char module_text[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u32 base, .param .u64 .ptr .global .align 4 data, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  ld.param.u32 %r1, [base];
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r2, [count];
  mov.u32 %r3, %tid.x;
  setp.ge.u32 %p1, %r3, %r2;
  @%p1 bra done;
  add.u32 %r4, %r1, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.s32 %r5, [%rd3];
  add.s32 %r6, %r5, 1;
  st.global.s32 [%rd3], %r6;
done:
  ret;
}
)";
constexpr u32 elements = 64, far_away = 1 << 20;

void require(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, result);
  std::exit(9);
}

class Program {
 public:
  explicit Program(bool healthy) : healthy_(healthy) {
    require(cuInit(0), "cuInit");
    int device = 0;
    Handle context = nullptr;
    require(cuDeviceGet(&device, 0), "cuDeviceGet");
    require(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    require(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    Handle module = nullptr;
    require(cuModuleLoadDataEx(&module, module_text, 0, nullptr, nullptr), "cuModuleLoadDataEx");
    require(cuModuleGetFunction(&add_one, module, "add_one"), "cuModuleGetFunction");
    require(cuStreamCreate(&first, 0), "cuStreamCreate");
    require(cuStreamCreate(&second, 1), "cuStreamCreate");
    data = allocate();
  }

  static u64 allocate() {
    u64 address = 0;
    require(cuMemAlloc_v2(&address, elements * 4), "cuMemAlloc");
    std::vector<int> values(elements);
    for (u32 n = 0; n < elements; ++n) values[n] = int(n * 3);
    require(cuMemcpyHtoD_v2(address, values.data(), elements * 4), "cuMemcpyHtoD");
    return address;
  }

  int launch(Handle stream, u64 to, u32 base = 0, u32 block = elements) const {
    u32 count = elements;
    void* parameters[] = {&base, &to, &count};
    return cuLaunchKernel(add_one, 1, 1, 1, block, 1, 1, 0, stream, parameters, nullptr);
  }
  // The launch that is faulty unless all is to be well.
  int faulty_launch(Handle stream) const { return launch(stream, data, healthy_ ? 0 : far_away); }

  bool healthy_;
  Handle add_one = nullptr, first = nullptr, second = nullptr;
  u64 data = 0;
};

void late(const Program& program) {
  for (int n = 0; n < 3; ++n) require(program.launch(program.first, program.data), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
  require(program.faulty_launch(program.first), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
}

void unclear(const Program& program) {
  for (int n = 0; n < 2; ++n) require(program.launch(program.first, program.data), "launch");
  require(program.faulty_launch(program.first), "launch");
  require(program.launch(program.first, program.data), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
}

void noticed_by_copy(const Program& program) {
  require(program.faulty_launch(nullptr), "launch");
  std::vector<int> values(elements);
  require(cuMemcpyDtoH_v2(values.data(), program.data, elements * 4), "cuMemcpyDtoH");
}

// What the second stream did is complete, and with it what it waited for on the first; then the first fails.
void streams(const Program& program) {
  int event = 0;
  require(program.launch(program.first, program.data), "launch");
  require(cuEventRecord(&event, program.first), "record");
  require(cuStreamWaitEvent(program.second, &event, 0), "wait");
  require(program.launch(program.second, program.data), "launch");
  require(cuStreamSynchronize(program.second), "synchronize");
  require(program.faulty_launch(program.first), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
}

// Work on the first stream may be running when the second fails.
void second_stream(const Program& program) {
  require(program.launch(program.first, program.data), "launch");
  require(program.faulty_launch(program.second), "launch");
  require(cuStreamSynchronize(program.second), "synchronize");
  require(cuCtxSynchronize(), "synchronize");
}

void freed(const Program& program) {
  const u64 other = Program::allocate();
  require(program.launch(program.first, other), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
  if (!program.healthy_) require(cuMemFree_v2(other), "cuMemFree");
  require(program.launch(program.first, other), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
}

// An error that the program is content with.
void configuration(const Program& program) {
  const int result = program.launch(program.first, program.data, 0, program.healthy_ ? elements : 2048);
  require(cuStreamSynchronize(program.first), "synchronize");
  std::printf("the launch returned %d\n", result);
}

void many(const Program& program) {
  for (int n = 0; n < 49; ++n) require(program.launch(program.first, program.data), "launch");
  require(program.faulty_launch(program.first), "launch");
  require(cuCtxSynchronize_v2(nullptr), "synchronize");
}

// Arguments in one buffer, and a launch by configuration.
void other_launches(const Program& program) {
  struct {
    u32 base = 0;
    u64 data = 0;
    u32 count = elements;
  } values;
  values.data = program.data;
  std::size_t bytes = sizeof values;
  void* extra[] = {reinterpret_cast<void*>(1), &values, reinterpret_cast<void*>(2), &bytes, nullptr};
  require(cuLaunchKernel(program.add_one, 1, 1, 1, elements, 1, 1, 0, program.first, nullptr, extra), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
  ropewalk::trace::LaunchConfig config{{1, 1, 1}, {elements, 1, 1}, 0, program.first};
  u32 base = program.healthy_ ? 0 : far_away, count = elements;
  u64 data = program.data;
  void* parameters[] = {&base, &data, &count};
  require(cuLaunchKernelEx(&config, program.add_one, parameters, nullptr), "launch");
  require(cuStreamSynchronize(program.first), "synchronize");
}

void crash(const Program& program) {
  require(program.launch(program.first, program.data), "launch");
  if (!program.healthy_) std::abort();
}

// A child that leaves CUDA alone, while the parent goes on.
void forks(const Program& program) {
  require(program.launch(program.first, program.data), "launch");
  if (const pid_t child = fork(); child == 0) {
    std::exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  require(program.faulty_launch(program.first), "launch");
  require(cuCtxSynchronize(), "synchronize");
}

using Scenario = void (*)(const Program&);

Scenario scenario_named(const std::string& name) {
  if (name == "late") return late;
  if (name == "unclear") return unclear;
  if (name == "noticed-by-copy") return noticed_by_copy;
  if (name == "streams") return streams;
  if (name == "second-stream") return second_stream;
  if (name == "freed") return freed;
  if (name == "configuration") return configuration;
  if (name == "many") return many;
  if (name == "other-launches") return other_launches;
  if (name == "crash") return crash;
  if (name == "forks") return forks;
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  const bool healthy = count > 2 && std::strcmp(words[2], "healthy") == 0;
  if (name == "no-cuda") return 0;
  // The parent leaves CUDA to its child.
  if (name == "child") {
    const pid_t child = fork();
    if (child == 0) {
      late(Program(healthy));
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  const Scenario scenario = scenario_named(name);
  if (!scenario) return 8;
  scenario(Program(healthy));
  std::puts("done");
  return 0;
}
