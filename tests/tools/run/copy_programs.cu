// Copies, right and wrong: memory of the host that is not there, batches, nodes of graphs that copy variables, pools of
// a certain size.
#include <pthread.h>
#include <sys/mman.h>

#include <cstdio>
#include <vector>

#include "tests/tools/run/by_name.cuh"
#include "tests/tools/run/checked_call.cuh"

namespace {

constexpr int count = 64;
constexpr std::size_t page = 4096;

__device__ int variable[count];
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

void tell(cudaError_t error) { printf("%s\n", cudaGetErrorName(error)); }

// Four pages, of which the third may not be touched.
char* pages(int third) {
  char* const at = (char*)mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(at + 2 * page, page, third);
  return at;
}

void run_to_missing(bool is_right) {
  char *const host = pages(is_right ? PROT_READ | PROT_WRITE : PROT_NONE), *x;
  CHECK(cudaMalloc(&x, 3 * page));
  CHECK(cudaMemset(x, 1, 3 * page));
  tell(cudaMemcpy(host + 100, x, 3 * page, cudaMemcpyDeviceToHost));  // at:to missing
  CHECK(cudaFree(x));
}
// Either end is too short.
void run_both_ends(bool is_right) {
  char *x, *y;
  CHECK(cudaMalloc(&x, 256));
  CHECK(cudaMalloc(&y, 256));
  CHECK(cudaMemset(x, 1, 256));
  tell(cudaMemcpy(y + 8, x + 16, is_right ? 240 : 256, cudaMemcpyDeviceToDevice));  // at:both ends
}
void run_from_missing(bool is_right) {
  char *const host = pages(is_right ? PROT_READ : PROT_NONE), *x;
  CHECK(cudaMalloc(&x, 3 * page));
  tell(cudaMemcpy(x, host, 3 * page, cudaMemcpyHostToDevice));  // at:from missing
  CHECK(cudaFree(x));
}
// Rows of a picture; the last ones lie past its end.
void run_rows_to_missing(bool is_right) {
  char *const host = pages(PROT_READ), *x;
  CHECK(cudaMalloc(&x, 64 * 128));
  CHECK(cudaMemset(x, 1, 64 * 128));
  tell(cudaMemcpy2D(host, 160, x, 128, 100, is_right ? 50 : 64, cudaMemcpyDeviceToHost));  // at:rows
  CHECK(cudaFree(x));
}
void run_register(bool is_right) {
  char* const host = pages(PROT_READ | PROT_WRITE);
  munmap(host + 3 * page, page);
  tell(cudaHostRegister(host, is_right ? 3 * page : 4 * page, 0));
}

void run_batch(bool is_right) {
  int *x, *y, from[count], to[count] = {};
  for (int n = 0; n < count; ++n) from[n] = n;
  CHECK(cudaMalloc(&x, sizeof from));
  CHECK(cudaMalloc(&y, sizeof from));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  void* targets[] = {x, y};
  const void* sources[] = {from, from + count / 2};
  std::size_t sizes[] = {sizeof from, is_right ? sizeof from / 2 : sizeof from + 4}, first[] = {0, 1};
  cudaMemcpyAttributes how[2] = {};
  how[0].srcAccessOrder = how[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  const auto copy = [&](std::size_t kinds, cudaStream_t on) {
    return cudaMemcpyBatchAsync(targets, sources, sizes, 2, how, first, kinds, on);  // at:batch
  };
  tell(copy(2, stream));
  tell(copy(1, stream));
  tell(copy(3, stream));
  tell(copy(2, nullptr));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(to, y, sizeof to / 2, cudaMemcpyDeviceToHost));
  printf("%d\n", to[3]);
}

// A part of each plane; the program copies one row too many, or names no order.
void run_batch_of_volumes(bool is_right) {
  constexpr size_t width = 8, height = 4, depth = 2;
  unsigned char from[depth][height][width], to[2][2][4] = {}, *x;
  for (size_t n = 0; n < sizeof from; ++n) from[n / 32][n / 8 % 4][n % 8] = (unsigned char)n;
  CHECK(cudaMalloc(&x, sizeof to));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaMemcpy3DBatchOp in = {}, out = {};
  in.src.type = in.dst.type = out.src.type = out.dst.type = cudaMemcpyOperandTypePointer;
  in.src.op.ptr = {&from[0][1][2], width, height, {}};
  in.dst.op.ptr = out.src.op.ptr = {x, 0, 0, {}};
  out.dst.op.ptr = {to, 4, 2, {}};
  in.extent = {4, is_right ? 2u : 3u, 2};
  out.extent = {4, 2, 2};
  in.srcAccessOrder = out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  const auto copy = [&](cudaMemcpy3DBatchOp& one, size_t number = 1, cudaStream_t on = nullptr) {
    tell(cudaMemcpy3DBatchAsync(number, &one, 0, on));  // at:volumes
  };
  copy(in, 1, stream);
  copy(out, 1, stream);
  CHECK(cudaStreamSynchronize(stream));
  printf("%d %d %d\n", to[0][0][0], to[0][1][3], to[1][1][0]);
  copy(in, 0, stream);
  copy(in);
  in.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  copy(in, 1, stream);
  in.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  in.src.op.ptr.rowLength = 3;
  copy(in, 1, stream);
}

void run_batch_of_prefetches(bool) {
  char* pages[2];
  for (char*& page : pages) CHECK(cudaMallocManaged(&page, 4096));
  void* at[] = {pages[0], pages[1]};
  size_t sizes[] = {4096, 4096}, first[] = {0, 1};
  cudaMemLocation to[] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  tell(cudaMemPrefetchBatchAsync(at, sizes, 2, to, first, 2, 0, stream));
  for (char* page : pages) {
    int where = 0;
    CHECK(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeLastPrefetchLocation, page, 4096));
    printf("%d\n", where);
  }
  tell(cudaMemPrefetchBatchAsync(at, sizes, 2, to, first, 3, 0, stream));
  tell(cudaMemPrefetchBatchAsync(at, sizes, 2, to, first, 2, 1, stream));
  tell(cudaMemPrefetchBatchAsync(at, sizes, 2, to, first, 2, 0, nullptr));
}

// Captured, and added by hand.
void fill_by_nodes(size_t first_bytes, size_t second_bytes) {
  char *x, *y;
  CHECK(cudaMalloc(&x, 64));
  CHECK(cudaMalloc(&y, 64));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t ready;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(x, 0, first_bytes, stream));  // at:first fill
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaMemsetParams fill = {};
  fill.dst = y;
  fill.elementSize = 1;
  fill.width = second_bytes;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));  // at:second fill
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int n = 0; n < 3; ++n) cudaGraphLaunch(ready, stream);
  CHECK(cudaStreamSynchronize(stream));
}
void run_captured_fill(bool is_right) { fill_by_nodes(is_right ? 64 : 68, 64); }
void run_added_fill(bool is_right) { fill_by_nodes(64, is_right ? 64 : 68); }

void run_nodes(bool is_right) {
  int from[count] = {0, 1, 2, 3}, to[count] = {};
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t in, out;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, variable, from, 16, 32, cudaMemcpyHostToDevice));
  const size_t bytes = is_right ? 32 : sizeof from - 8;
  constexpr auto kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, to, variable, 16, bytes, kind));  // at:nodes
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  tell(cudaGraphLaunch(ready, nullptr));  // at:launched
  if (is_right) {
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(ready, in, variable, from + 1, 16, 32, cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(ready, out, to + 4, variable, 16, 32, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphLaunch(ready, nullptr));
  }
  CHECK(cudaDeviceSynchronize());
  printf("%d %d\n", to[3], to[5]);
}

void run_pool(bool is_right) {
  cudaMemPoolProps wish = {};
  wish.allocType = cudaMemAllocationTypePinned;
  wish.location = {cudaMemLocationTypeDevice, is_right ? 0 : 7};
  wish.maxSize = 1 << 20;  // of which the device makes 32 MiB
  cudaMemPool_t pool, again;
  tell(cudaMemPoolCreate(&pool, &wish));
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemGetDefaultMemPool(&again, &here, cudaMemAllocationTypePinned));
  if (!is_right) return;
  CHECK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
  CHECK(cudaMemGetMemPool(&again, &here, cudaMemAllocationTypePinned));
  printf("%d\n", again == pool);
  int *x, *y;
  tell(cudaMallocAsync(&x, 1 << 24, nullptr));
  tell(cudaMallocAsync(&y, (1 << 24) + 4, nullptr));
  fill<<<1, count>>>(x);
  CHECK(cudaFreeAsync(x, nullptr));
  tell(cudaMallocAsync(&y, (1 << 24) + 4, nullptr));
  CHECK(cudaFreeAsync(y, nullptr));
  CHECK(cudaDeviceSynchronize());
}

// A thread that launches until it is cancelled.
void run_cancel(bool) {
  static int* x;
  CHECK(cudaMalloc(&x, count * sizeof *x));
  pthread_t thread;
  const auto launch = [](void*) -> void* {
    for (;;) {
      fill<<<1, count>>>(x);
      cudaDeviceSynchronize();
    }
  };
  pthread_create(&thread, nullptr, launch, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
  int last[count];
  fill<<<1, count>>>(x);
  CHECK(cudaMemcpy(last, x, sizeof last, cudaMemcpyDeviceToHost));
  printf("%d\n", last[9]);
}

constexpr NamedProgram programs[] = {{"to-missing", run_to_missing},
                                     {"from-missing", run_from_missing},
                                     {"both-ends", run_both_ends},
                                     {"rows-to-missing", run_rows_to_missing},
                                     {"register", run_register},
                                     {"batch", run_batch},
                                     {"batch-of-volumes", run_batch_of_volumes},
                                     {"batch-of-prefetches", run_batch_of_prefetches},
                                     {"nodes", run_nodes},
                                     {"captured-fill", run_captured_fill},
                                     {"added-fill", run_added_fill},
                                     {"pool", run_pool},
                                     {"cancel", run_cancel}};

}  // namespace

int main(int, char** words) { return run_by_name(programs, words[1]); }
