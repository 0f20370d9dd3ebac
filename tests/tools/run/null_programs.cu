// Calls with null where a pointer is needed. "every LIBRARY FUNCTION...": each of the functions with zeros alone, in
// children that end where one does. "beside-handles": with handles that are there, and null where something is to be
// written or read. "copies", "copies-right": bytes at null.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tests/tools/run/checked_call.cuh"

namespace {

__global__ void nothing() {}

template <class Name, class Body>
void in_child(const Name& name, const Body& body) {
  const pid_t child = fork();
  if (!child) {
    body();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("%s: %s\n", name(), strsignal(WTERMSIG(status)));
  std::fflush(stdout);
}

int call_every(int count, char** words) {
  void* const library = dlopen(words[0], RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::printf("%s\n", dlerror());
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto begin = (int (*)(unsigned))dlsym(driver, "cuInit");
  const auto retain = (int (*)(void**, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
  const auto set = (int (*)(void*))dlsym(driver, "cuCtxSetCurrent");
  // The number of the word that is called, for whoever goes on.
  int& at = *static_cast<int*>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (at = 1; at < count; ++at) {
    in_child([&] { return words[at]; },
             [&] {
               void* context = nullptr;
               if (begin(0) || retain(&context, 0)) std::printf("no context\n");
               for (; at < count; ++at) {
                 set(context);  // nothing is refused for the lack of one
                 // As many words as any function has.
                 using Function =
                     long (*)(long, long, long, long, long, long, long, long, long, long, long, long, long, long);
                 const auto function = (Function)dlsym(library, words[at]);
                 if (function)
                   function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
                 else
                   std::printf("%s is not there\n", words[at]);
               }
             });
  }
  return 0;
}

template <class Body>
void expect_invalid(const char* name, const Body& body) {
  in_child([&] { return name; },
           [&] {
             CHECK(cudaFree(nullptr));
             const int error = body();
             if (error != cudaErrorInvalidValue) std::printf("%s: %d\n", name, error);
           });
}
#define INVALID(...) expect_invalid(#__VA_ARGS__, [] { return int(__VA_ARGS__); })

cudaGraph_t graph() {
  cudaGraph_t made;
  CHECK(cudaGraphCreate(&made, 0));
  return made;
}
cudaGraphNode_t node() {
  cudaGraphNode_t made;
  CHECK(cudaGraphAddEmptyNode(&made, graph(), nullptr, 0));
  return made;
}
const cudaGraphNode_t* of_another_graph() {
  static const cudaGraphNode_t made = node();
  return &made;
}
cudaGraphExec_t ready() {
  cudaGraphExec_t made;
  CHECK(cudaGraphInstantiate(&made, graph(), 0));
  return made;
}
cudaStream_t stream() {
  cudaStream_t made;
  CHECK(cudaStreamCreate(&made));
  return made;
}
cudaStream_t capturing() {
  const cudaStream_t made = stream();
  CHECK(cudaStreamBeginCapture(made, cudaStreamCaptureModeRelaxed));
  return made;
}
cudaEvent_t event() {
  cudaEvent_t made;
  CHECK(cudaEventCreate(&made));
  CHECK(cudaEventRecord(made));
  return made;
}
cudaMemPool_t pool() {
  cudaMemPool_t made;
  CHECK(cudaDeviceGetDefaultMemPool(&made, 0));
  return made;
}
CUfunction function() {
  cudaFunction_t made;
  CHECK(cudaGetFuncBySymbol(&made, (const void*)nothing));
  return made;
}
void* pinned() {
  void* made;
  CHECK(cudaMallocHost(&made, 4));
  return made;
}
const void* kernel() { return (const void*)nothing; }
int here = 0;
cudaGraphNode_t any;

void beside_handles() {
  INVALID(cudaFuncGetAttributes(nullptr, kernel()));
  INVALID(cudaFuncGetName(nullptr, kernel()));
  INVALID(cudaGetFuncBySymbol(nullptr, kernel()));
  INVALID(cudaLaunchKernelExC(nullptr, kernel(), nullptr));
  INVALID(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel(), 32, 0));
  INVALID(cudaOccupancyAvailableDynamicSMemPerBlock(nullptr, kernel(), 1, 32));
  INVALID(cudaOccupancyMaxActiveClusters(&here, kernel(), nullptr));
  INVALID(cudaOccupancyMaxPotentialClusterSize(nullptr, kernel(), nullptr));
  INVALID(cudaPointerGetAttributes(nullptr, &here));
  INVALID(cudaHostGetDevicePointer(nullptr, pinned(), 0));
  INVALID(cudaHostGetFlags(nullptr, pinned()));
  INVALID(cudaMallocPitch((void**)pinned(), nullptr, 4, 4));
  INVALID(cudaMallocPitch((void**)nullptr, (size_t*)pinned(), 4, 4));
  INVALID(cudaLaunchHostFunc(nullptr, nullptr, nullptr));
  INVALID(cudaStreamAddCallback(nullptr, nullptr, nullptr, 0));
  INVALID(cudaStreamGetPriority(stream(), nullptr));
  INVALID(cudaStreamGetFlags(stream(), nullptr));
  INVALID(cudaStreamGetId(stream(), nullptr));
  INVALID(cudaStreamGetDevice(stream(), nullptr));
  INVALID(cudaStreamIsCapturing(capturing(), nullptr));
  INVALID(cudaStreamGetCaptureInfo(capturing(), nullptr));
  INVALID(cudaEventElapsedTime(nullptr, event(), event()));
  INVALID(cudaGraphClone(nullptr, graph()));
  INVALID(cudaGraphInstantiate(nullptr, graph(), 0));
  INVALID(cudaGraphGetNodes(graph(), nullptr, nullptr));
  INVALID(cudaGraphGetRootNodes(graph(), nullptr, nullptr));
  INVALID(cudaGraphGetEdges(graph(), nullptr, nullptr, nullptr, nullptr));
  INVALID(cudaGraphNodeGetType(node(), nullptr));
  INVALID(cudaGraphNodeGetDependencies(node(), nullptr, nullptr, nullptr));
  INVALID(cudaGraphNodeGetDependentNodes(node(), nullptr, nullptr, nullptr));
  INVALID(cudaGraphAddEmptyNode(nullptr, graph(), nullptr, 0));
  INVALID(cudaGraphAddEmptyNode(&any, graph(), nullptr, 1));
  INVALID(cudaGraphAddEmptyNode(&any, graph(), of_another_graph(), 1));
  INVALID(cudaGraphAddKernelNode(&any, graph(), nullptr, 0, nullptr));
  INVALID(cudaGraphAddMemcpyNode(&any, graph(), nullptr, 0, nullptr));
  INVALID(cudaGraphAddMemsetNode(&any, graph(), nullptr, 0, nullptr));
  INVALID(cudaGraphAddHostNode(&any, graph(), nullptr, 0, nullptr));
  INVALID(cudaGraphAddMemAllocNode(&any, graph(), nullptr, 0, nullptr));
  INVALID(cudaGraphAddEventRecordNode(nullptr, graph(), nullptr, 0, event()));
  INVALID(cudaGraphAddEventWaitNode(&any, graph(), nullptr, 1, event()));
  INVALID(cudaGraphAddChildGraphNode(nullptr, graph(), nullptr, 0, graph()));
  INVALID(cudaGraphAddDependencies(graph(), nullptr, nullptr, nullptr, 1));
  INVALID(cudaGraphRemoveDependencies(graph(), nullptr, nullptr, nullptr, 1));
  INVALID(cudaGraphExecGetFlags(ready(), nullptr));
  INVALID(cudaGraphExecKernelNodeSetParams(ready(), node(), nullptr));
  INVALID(cudaGraphExecMemcpyNodeSetParams(ready(), node(), nullptr));
  INVALID(cudaGraphConditionalHandleCreate(nullptr, graph()));
  INVALID(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemCurrent, nullptr));
  INVALID(cudaMemPoolSetAttribute(pool(), cudaMemPoolAttrReleaseThreshold, nullptr));
  INVALID(cudaMemPoolSetAccess(pool(), nullptr, 1));
  INVALID(cudaMemPoolGetAccess(nullptr, pool(), nullptr));
  INVALID(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, nullptr));
  INVALID(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, function()));
  INVALID(cuFuncGetName(nullptr, function()));
  INVALID(cuFuncGetModule(nullptr, function()));
  INVALID(cuFuncGetParamInfo(function(), 0, nullptr, nullptr));
  INVALID(cuGetErrorName(CUDA_SUCCESS, nullptr));
  INVALID(cuGetErrorString(CUDA_SUCCESS, nullptr));
  INVALID(cuStreamGetCtx(stream(), nullptr));
  INVALID(cuLaunchKernelEx(nullptr, function(), nullptr, nullptr));
  INVALID(cuLaunchHostFunc(stream(), nullptr, nullptr));
  INVALID(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(pinned())));
}

// Copies and fills of memory that a call did not give, which nobody asked about.
void copy(bool is_right) {
  constexpr size_t many = size_t(1) << 50;
  char *x = nullptr, *y = nullptr, values[4] = {};
  if (cudaMalloc(&x, many) == cudaSuccess || cudaMalloc(&y, 4) != cudaSuccess) std::exit(9);
  CHECK(cudaMemset(y, 0, 4));
  const size_t bytes = is_right ? 0 : 4;
  cudaMemset(x, 0, bytes);                                       // at:fill
  cudaMemcpy(x, values, bytes, cudaMemcpyHostToDevice);          // at:to
  cudaMemcpy(values, x, bytes, cudaMemcpyDeviceToHost);          // at:from
  cudaMemcpy2D(y, 4, x, 4, bytes, 1, cudaMemcpyDeviceToDevice);  // at:rows
  cudaMemcpyAsync(x, y, bytes, cudaMemcpyDefault, nullptr);      // at:async
  CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main(int count, char** words) {
  if (count > 2 && !std::strcmp(words[1], "every")) return call_every(count - 2, words + 2);
  if (count < 2) return 2;
  if (!std::strncmp(words[1], "copies", 6))
    copy(words[1][6] != 0);
  else
    beside_handles();
  return 0;
}
