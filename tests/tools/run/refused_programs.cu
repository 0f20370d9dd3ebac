// Programs for rope-check run that ask for what CUDA refuses or does not define, each by its name on the command line:
// what the calls answer is printed. A second one, "-right", asks for what there is.
#include <cooperative_groups.h>
#include <cuda.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/tools/run/checked_call.cuh"

constexpr int count = 1024;
constexpr size_t bytes = count * sizeof(float);

__global__ void meet(float* x) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) atomicAdd(x, 1);
}
__global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void copy(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void __launch_bounds__(128) fill_bounded(float* x) { x[threadIdx.x] = 1; }

__global__ void reverse(float* x) {
  __shared__ float half[10240];
  extern __shared__ float other[];
  half[threadIdx.x] = other[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const unsigned from = blockDim.x - 1 - threadIdx.x;
  x[threadIdx.x] = half[from] + other[from];
}

// What the call answered.
void print_answer(cudaError_t error) { puts(cudaGetErrorName(error)); }

float* memory() {
  float* x = nullptr;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMemset(x, 0, bytes));
  CHECK(cudaDeviceSynchronize());  // a fill is not waited for
  return x;
}

// Blocks that wait for each other, more and not more than a device holds at once.
unsigned held_blocks() {
  int each = 0, multiprocessors = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, meet, 32, 0));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return unsigned(each * multiprocessors);
}
void cooperative(bool right) {
  float* x = memory();
  void* arguments[] = {&x};
  const unsigned blocks = right ? 64 : held_blocks() + 1;
  print_answer(cudaLaunchCooperativeKernel((void*)meet, dim3(blocks), dim3(32), arguments, 0, nullptr));
}
void cooperative_attribute(bool right) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(right ? 64 : held_blocks() + 1);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  print_answer(cudaLaunchKernelEx(&config, meet, memory()));
}

__global__ void meet_all(float* x) {
  auto grid = cooperative_groups::this_grid();
  x[grid.thread_rank()] = 1;
  grid.sync();
}
// Whoever asks for the whole grid's rank needs no cooperative launch, and whoever waits for all does.
void grid_barrier(bool right) {
  float* x = memory();
  void* arguments[] = {&x};
  if (right) {
    print_answer(cudaLaunchCooperativeKernel((void*)meet_all, dim3(4), dim3(32), arguments, 0, nullptr));
  } else {
    meet_all<<<4, 32>>>(x);
    print_answer(cudaGetLastError());
  }
  print_answer(cudaDeviceSynchronize());
  if (!right) std::exit(0);  // the context is lost
}

// Which error it is: sizes that no device takes, and what this kernel cannot have.
void sizes(bool right) {
  float* x = memory();
  fill<<<1, right ? 1024 : 1025>>>(x);
  print_answer(cudaGetLastError());
  fill<<<right, 32>>>(x);
  print_answer(cudaGetLastError());
  fill_bounded<<<1, right ? 128 : 129>>>(x);
  print_answer(cudaGetLastError());
  fill<<<1, 32, right ? 48 << 10 : 49 << 10>>>(x);
  print_answer(cudaGetLastError());
}

// Static and dynamic shared memory are 48 KiB together, unless the program asks for more.
void shared_sum(bool right) {
  float* x = memory();
  reverse<<<1, 32, 8 << 10>>>(x);
  print_answer(cudaGetLastError());
  if (right) CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 10 << 10));
  reverse<<<1, 32, 10 << 10>>>(x);
  print_answer(cudaGetLastError());
}

void stream_of_other_device(bool right) {
  float* x = memory();
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaSetDevice(!right));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaSetDevice(0));
  fill<<<4, 256, 0, stream>>>(x);
  print_answer(cudaGetLastError());
  print_answer(cudaEventRecord(event, stream));
}

// Text that is no PTX, PTX that ptxas does not take, and PTX for newer devices; the right one has an instruction that
// only a GPU executes.
constexpr int text_count = 5;
void modules(bool right) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const std::string look = "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, ";
  const std::string right_texts[] = {
      head + ".global .texref image;\n.visible .entry look()\n{\n.reg .f32 %f<6>;\n" + look +
          "[image, {%f4, %f5}];\nret;\n}\n",
      head + ".visible .entry look()\n{\n.reg .f32 %f<6>;\n.reg .b64 %rd<2>;\n" + look +
          "[%rd1, {%f4, %f5}];\nret;\n}\n",
  };
  const std::string wrong[text_count] = {
      "hello world",
      head + ".visible .entry look() {\nbogus.s32 %r1;\nret;\n}\n",
      head + ".visible .entry look() {\nmov.u32 %r1, 1;\nret;\n}\n",
      head + ".visible .entry look( {",
      ".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry look() {\nret;\n}\n",
  };
  memory();
  for (int n = 0; n < text_count; ++n) {
    const char* text = (right ? right_texts[n % 2] : wrong[n]).c_str();
    char log[256] = "nothing";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, (void*)sizeof log};
    CUmodule module;
    CUlibrary library;
    const CUresult result = cuModuleLoadDataEx(&module, text, 2, options, values);
    const CUresult of_library = cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0);
    printf("%d %d %zu %s\n", result, of_library, size_t(values[1]), log);
  }
}
void linked(bool right) {
  const std::string text = std::string(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry look() {\n") +
                           (right ? "ret;\n}\n" : "bogus;\n}\n");
  memory();
  char log[20] = "nothing";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, (void*)sizeof log};
  CUlinkState link;
  cuLinkCreate(2, options, values, &link);
  printf("%d ", cuLinkAddData(link, CU_JIT_INPUT_PTX, (void*)text.data(), text.size(), "look", 0, nullptr, nullptr));
  printf("%s\n", log);
}

// What a capture prohibits invalidates it; the right one waits behind it.
void ends(cudaStream_t stream) {
  fill<<<4, 256, 0, stream>>>(nullptr);
  print_answer(cudaGetLastError());
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  cudaGraph_t graph = (cudaGraph_t)1;
  print_answer(cudaStreamEndCapture(stream, &graph));
  printf("%d %s\n", int(status), graph ? "graph" : "no graph");
  CHECK(cudaStreamIsCapturing(stream, &status));
  assert(status == cudaStreamCaptureStatusNone);
}
cudaStream_t capturing(cudaStreamCaptureMode mode, unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, flags));
  CHECK(cudaStreamBeginCapture(stream, mode));
  return stream;
}
void captured_wait(bool right) {
  memory();
  const cudaStream_t stream = capturing(cudaStreamCaptureModeRelaxed);
  if (!right) print_answer(cudaStreamSynchronize(stream));
  if (!right) print_answer(cudaStreamQuery(stream));
  ends(stream);
}
void captured_device_wait(bool right) {
  memory();
  const cudaStream_t stream = capturing(cudaStreamCaptureModeRelaxed);
  if (!right) print_answer(cudaDeviceSynchronize());
  ends(stream);
}
void captured_event_wait(bool right) {
  memory();
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  const cudaStream_t stream = capturing(cudaStreamCaptureModeRelaxed);
  CHECK(cudaEventRecord(event, stream));
  if (!right) print_answer(cudaEventQuery(event));
  ends(stream);
}
// The default stream would wait for a blocking one.
void captured_copy(bool right) {
  float* x = memory();
  const cudaStream_t stream =
      capturing(cudaStreamCaptureModeRelaxed, right ? cudaStreamNonBlocking : cudaStreamDefault);
  const float value = 1;
  print_answer(cudaMemcpy(x, &value, sizeof value, cudaMemcpyHostToDevice));
  ends(stream);
}
// Memory may be made in a capture that is relaxed, or by who says so.
void captured_malloc(bool right) {
  memory();
  const cudaStream_t stream = capturing(cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = right ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeThreadLocal;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  float* x;
  print_answer(cudaMalloc(&x, bytes));
  ends(stream);
}

// Memory that a graph makes at its launches: a second one comes when it is freed, and a kernel that runs after that is
// late.
void graph_memory(bool right) {
  float *x = nullptr, *y = memory();
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&x, bytes, stream));
  if (right) fill<<<4, 256, 0, stream>>>(x);
  copy<<<4, 256, 0, stream>>>(x, y);
  CHECK(cudaFreeAsync(x, stream));
  if (!right) print_answer(cudaFreeAsync(x, stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  if (!right) copy<<<1, 32, 0, stream>>>(x, y);
  for (int n = 0; n < 2; ++n) print_answer(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  if (!right) copy<<<1, 32, 0, stream>>>(x, y);
}
void graph_memory_kept(bool right) {
  float *x = nullptr, got = 0;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams wish = {};
  wish.poolProps.allocType = cudaMemAllocationTypePinned;
  wish.poolProps.location.type = cudaMemLocationTypeDevice;
  wish.bytesize = bytes;
  cudaGraphNode_t made, filled;
  CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &wish));
  x = (float*)wish.dptr;
  void* arguments[] = {&x};
  const cudaKernelNodeParams kernel = {(void*)fill, dim3(4), dim3(256), 0, arguments, nullptr};
  CHECK(cudaGraphAddKernelNode(&filled, graph, &made, 1, &kernel));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  size_t before = 0, behind = 0, all = 0, used = 0;
  CHECK(cudaMemGetInfo(&before, &all));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaMemGetInfo(&behind, &all));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  assert(before - behind == bytes && used == bytes);
  CHECK(cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost));
  assert(got == 1);
  if (right) CHECK(cudaFree(x));
  print_answer(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(x));
}

// Rows that move up by one within their buffer, and the same by way of another one.
void rows_moved_up(bool right) {
  constexpr size_t row = 64 * sizeof(float);
  float *x = memory(), *other = memory();
  float* const from = right ? other : x + 64;
  if (right) CHECK(cudaMemcpy(other, x + 64, bytes - row, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(x, from, bytes - row, cudaMemcpyDeviceToDevice));
}
// Each even column to the odd one beside it; the wrong one takes a column too many.
void columns(bool right) {
  float* x = memory();
  CHECK(cudaMemcpy2D(x + 16, 32 * sizeof(float), x, 32 * sizeof(float), (right ? 16 : 17) * sizeof(float), 31,
                     cudaMemcpyDeviceToDevice));
}

// A launch into a stream that is destroyed.
void destroyed_stream(bool right) {
  cudaStream_t stream;
  float* const x = memory();
  CHECK(cudaStreamCreate(&stream));
  fill<<<4, 256, 0, stream>>>(x);
  if (!right) CHECK(cudaStreamDestroy(stream));
  fill<<<4, 256, 0, stream>>>(x);
  print_answer(cudaGetLastError());
  if (right) CHECK(cudaStreamDestroy(stream));
}
// A host function that calls CUDA, which would wait for itself.
void call_in_host_function(bool right) {
  CHECK(cudaLaunchHostFunc(
      nullptr, [](void* is_right) { print_answer(is_right ? cudaSuccess : cudaDeviceSynchronize()); },
      right ? &right : nullptr));
  CHECK(cudaDeviceSynchronize());
}

int main(int words, char** word) {
  const std::map<std::string, void (*)(bool)> programs = {
      {"cooperative", cooperative},
      {"cooperative-attribute", cooperative_attribute},
      {"grid-barrier", grid_barrier},
      {"sizes", sizes},
      {"shared-sum", shared_sum},
      {"modules", modules},
      {"linked", linked},
      {"captured-wait", captured_wait},
      {"captured-device-wait", captured_device_wait},
      {"captured-event-wait", captured_event_wait},
      {"captured-copy", captured_copy},
      {"captured-malloc", captured_malloc},
      {"graph-memory", graph_memory},
      {"graph-memory-kept", graph_memory_kept},
      {"stream-of-other-device", stream_of_other_device},
      {"rows-moved-up", rows_moved_up},
      {"columns", columns},
      {"destroyed-stream", destroyed_stream},
      {"call-in-host-function", call_in_host_function},
  };
  std::string name = words > 1 ? word[1] : "";
  const bool right = name.ends_with("-right");
  if (right) name.resize(name.size() - 6);
  fill<<<4, 256>>>(memory());
  CHECK(cudaDeviceSynchronize());
  programs.at(name)(right);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
