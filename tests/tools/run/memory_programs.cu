// What programs do with reserved addresses and the memory that they map there, right and wrong.
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/tools/run/by_name.cuh"
#include "tests/tools/run/checked_call.cuh"

namespace {

void check(CUresult result, int line) { check(cudaError_t(result), line); }

constexpr std::size_t granule = std::size_t(2) << 20;

__global__ void fill(int* x, int from, int count) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < count) x[from + n] = from + n;  // at:fill
}
__global__ void add(const int* x, const int* y, int* z, int count) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < count) z[n] = x[n] + y[n];  // at:add
}
__global__ void count_up(int* x, int at) { atomicAdd(x + at, 1); }                       // at:count
__global__ void increase(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }  // at:increase

CUmemAllocationProp wish_of(int device = 0) {
  CUmemAllocationProp wish = {};
  wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wish.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wish.location.id = device;
  return wish;
}
CUmemAccessDesc access_of(int device = 0) {
  CUmemAccessDesc access = {};
  access.location = wish_of(device).location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return access;
}

// As vectorAddMMAP of the CUDA samples allocates: a range of its own for each array.
struct Array {
  CUdeviceptr at = 0;
  std::size_t bytes;
  explicit Array(std::size_t wanted) {
    const CUmemAllocationProp wish = wish_of();
    std::size_t least = 0;
    CHECK(cuMemGetAllocationGranularity(&least, &wish, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    bytes = (wanted + least - 1) / least * least;
    CHECK(cuMemAddressReserve(&at, bytes, least, 0, 0));
    CUmemGenericAllocationHandle handle;
    CHECK(cuMemCreate(&handle, bytes, &wish, 0));
    CHECK(cuMemMap(at, bytes, 0, handle, 0));
    CHECK(cuMemRelease(handle));  // it stays as long as it is mapped
    const CUmemAccessDesc access = access_of();
    CHECK(cuMemSetAccess(at, bytes, &access, 1));
  }
  void free() {
    CHECK(cuMemUnmap(at, bytes));
    CHECK(cuMemAddressFree(at, bytes));
  }
  int* data() const { return (int*)at; }
};

void run_mapped_arrays(bool is_right) {
  constexpr int count = 300000;
  int can = 0;
  CHECK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  Array x(count * sizeof(int)), y(count * sizeof(int)), z(count * sizeof(int));
  std::vector<int> host(count, 3);
  CHECK(cuMemcpyHtoD(x.at, host.data(), count * sizeof(int)));
  CHECK(cuMemcpyHtoD(y.at, host.data(), count * sizeof(int)));
  add<<<(count + 255) / 256, 256>>>(x.data(), y.data(), z.data(), is_right ? count : count + 1);
  CHECK(cuMemcpyDtoH(host.data(), z.at, count * sizeof(int)));
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CHECK(cuMemGetAddressRange(&base, &bytes, z.at + 400));
  std::printf("%d %d %d %zu\n", can, host[count - 1], base == z.at, bytes);
  if (is_right) z.free();
  y.free();
  x.free();
}

// A segment that grows and shrinks in its range, as PyTorch's expandable segments do.
struct Segment {
  static constexpr std::size_t most = 16 * granule;
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle handles[16] = {};
  Segment() { CHECK(cuMemAddressReserve(&at, most, 0, 0, 0)); }
  int* data() const { return (int*)at; }
  void map(int n, bool is_open = true) {
    const CUmemAllocationProp wish = wish_of();
    CHECK(cuMemCreate(&handles[n], granule, &wish, 0));
    CHECK(cuMemMap(at + n * granule, granule, 0, handles[n], 0));
    const CUmemAccessDesc access = access_of();
    if (is_open) CHECK(cuMemSetAccess(at + n * granule, granule, &access, 1));
  }
  void unmap(int n) {
    CHECK(cuMemUnmap(at + n * granule, granule));
    CHECK(cuMemRelease(handles[n]));
  }
};
constexpr int in_granule = granule / sizeof(int);

// Past what is mapped, in a gap between mappings, and where nobody was given access.
void run_segment(bool is_right) {
  Segment segment;
  segment.map(0);
  segment.map(1);
  segment.map(3);
  segment.map(4, is_right);
  const auto fill_all = [&](int from, int count) { fill<<<(count + 255) / 256, 256>>>(segment.data(), from, count); };
  fill_all(in_granule - 100, 200);  // across two mappings
  fill_all(2 * in_granule - 100, is_right ? 100 : 101);
  fill_all(4 * in_granule - 100, 200);
  count_up<<<1, 1>>>(segment.data(), is_right ? 2 * in_granule - 1 : 5 * in_granule);
  int last = 0;
  const CUresult result = cuMemcpyDtoH(&last, segment.at + (is_right ? 2 : 3) * granule - sizeof last, sizeof last);
  std::printf("%d %d\n", last, int(result));
  if (!is_right) return;
  // What is unmapped is lost, and what comes in its place is unwritten.
  segment.unmap(1);
  segment.map(1);
  segment.unmap(0);
  for (const int n : {1, 3, 4}) segment.unmap(n);
  CHECK(cuMemAddressFree(segment.at, Segment::most));
}

// A fault breaks the context, so each of these is a program of its own.
void run_far(bool is_right) {
  Segment segment;
  segment.map(0);
  fill<<<1, 32>>>(segment.data(), 0, 32);
  count_up<<<1, 1>>>(segment.data(), is_right ? 31 : 5 * in_granule);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
void run_copied_gap(bool is_right) {
  Segment segment;
  segment.map(0);
  fill<<<1, 32>>>(segment.data(), 0, 32);
  int last = 0;
  const CUresult result = cuMemcpyDtoH(&last, segment.at + (is_right ? 124 : 2 * granule), sizeof last);
  std::printf("%d %d\n", last, int(result));
}

void run_unmapped(bool is_right) {
  Segment segment;
  segment.map(0);
  fill<<<1, 32>>>(segment.data(), 0, 32);
  if (!is_right) segment.unmap(0);
  int* y;
  cudaMalloc(&y, 32 * sizeof(int));
  increase<<<1, 32>>>(segment.data(), y);
  cudaDeviceSynchronize();
}

void run_mapped_again(bool is_right) {
  Segment segment;
  segment.map(0);
  fill<<<1, 32>>>(segment.data(), 0, 32);
  segment.unmap(0);
  segment.map(0);
  if (is_right) fill<<<1, 32>>>(segment.data(), 0, 32);
  int* y;
  cudaMalloc(&y, 32 * sizeof(int));
  increase<<<1, 32>>>(segment.data(), y);
  cudaDeviceSynchronize();
}

// One handle at two addresses is the same bytes twice: what is written here is written there, and what is not is not.
void run_alias(bool is_right) {
  CUdeviceptr at = 0;
  const CUmemAllocationProp wish = wish_of();
  const CUmemAccessDesc access = access_of();
  CUmemGenericAllocationHandle handle, same;
  CHECK(cuMemAddressReserve(&at, 2 * granule, 0, 0, 0));
  CHECK(cuMemCreate(&handle, granule, &wish, 0));
  CHECK(cuMemMap(at, granule, 0, handle, 0));
  CHECK(cuMemRetainAllocationHandle(&same, (void*)at));
  CHECK(cuMemMap(at + granule, granule, 0, same, 0));
  CHECK(cuMemSetAccess(at, 2 * granule, &access, 1));
  int *const first = (int*)at, *const second = (int*)(at + granule);
  fill<<<1, 32>>>(first, 0, is_right ? 32 : 31);
  int* y;
  cudaMalloc(&y, 32 * sizeof(int));
  increase<<<1, 32>>>(second, y);
  increase<<<1, 32>>>(second, first);
  int last = 0;
  cudaMemcpy(&last, second + 30, sizeof last, cudaMemcpyDeviceToHost);
  unsigned long long flags = 0;
  CUmemAllocationProp got = {};
  CHECK(cuMemGetAccess(&flags, &access.location, at));
  CHECK(cuMemGetAllocationPropertiesFromHandle(&got, same));
  std::printf("%d %d %llu %d\n", same == handle, last, flags, int(got.type));
  CHECK(cuMemRelease(handle));
  CHECK(cuMemRelease(same));
  CHECK(cuMemUnmap(at, 2 * granule));
  CHECK(cuMemAddressFree(at, 2 * granule));
  cudaFree(y);
}

// Each device is given access by itself.
void run_mapped_peer(bool is_right) {
  Segment segment;
  segment.map(0);
  fill<<<1, 32>>>(segment.data(), 0, 32);
  cudaDeviceSynchronize();
  const CUmemAccessDesc access = access_of(1);
  if (is_right) CHECK(cuMemSetAccess(segment.at, granule, &access, 1));
  cudaSetDevice(1);
  int* y;
  cudaMalloc(&y, 32 * sizeof(int));
  increase<<<1, 32>>>(segment.data(), y);
  cudaDeviceSynchronize();
}

// Calls that are refused; those that free what is none of theirs are findings.
void run_mapped_misuse(bool is_right) {
  Segment segment;
  segment.map(0);
  segment.map(1);
  CUmemAllocationProp wish = wish_of(), elsewhere = wish_of(7), of_host = wish_of();
  of_host.location.type = CU_MEM_LOCATION_TYPE_HOST;
  const CUmemAccessDesc access = access_of();
  CUmemGenericAllocationHandle handle;
  CHECK(cuMemCreate(&handle, granule, &wish, 0));
  const CUresult results[] = {
      cuMemCreate(&handle, granule - 1, &wish, 0),
      cuMemCreate(&handle, granule, &elsewhere, 0),
      cuMemCreate(&handle, granule, &of_host, 0),
      cuMemCreate(&handle, std::size_t(1) << 50, &wish, 0),
      cuMemMap(segment.at + granule, granule, 0, handle, 0),
      cuMemMap(segment.at + 2 * granule, 2 * granule, 0, handle, 0),
      cuMemMap(segment.at + 2 * granule, granule, granule, handle, 0),
      cuMemUnmap(segment.at, granule / 2),
      cuMemSetAccess(segment.at, 3 * granule, &access, 1),
  };
  for (const CUresult result : results) std::printf("%d ", int(result));
  CUmemGenericAllocationHandle released = handle;
  CHECK(cuMemRelease(handle));
  if (!is_right) {
    std::printf("%d ", int(cuMemRelease(released)));
    std::printf("%d ", int(cuMemAddressFree(segment.at, Segment::most)));
    std::printf("%d", int(cuMemFree(segment.at)));
  }
  std::printf("\n");
  CHECK(cuMemUnmap(segment.at, 3 * granule));  // two are mapped, and a hole is no error
  CHECK(cuMemRelease(segment.handles[0]));
  CHECK(cuMemRelease(segment.handles[1]));
  CHECK(cuMemAddressFree(segment.at, Segment::most));
}

// Memory goes to another process by a file descriptor, with what is known to be written of it.
void send(int to, int file) {
  char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
  iovec bytes{&byte, 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  sendmsg(to, &message, 0);
}
int receive(int from) {
  char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
  iovec bytes{&byte, 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  recvmsg(from, &message, 0);
  int file = -1;
  if (cmsghdr* const head = CMSG_FIRSTHDR(&message)) std::memcpy(&file, CMSG_DATA(head), sizeof file);
  return file;
}
void run_shared_memory(bool is_right) {
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  const pid_t child = fork();  // before CUDA is used
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle handle;
  CHECK(cuInit(0));
  CUmemAllocationProp wish = wish_of();
  wish.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (child) {
    CHECK(cuMemCreate(&handle, granule, &wish, 0));
  } else {
    const int file = receive(ends[1]);
    CHECK(cuMemImportFromShareableHandle(&handle, (void*)(long)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
  }
  const CUmemAccessDesc access = access_of();
  CHECK(cuMemAddressReserve(&at, granule, 0, 0, 0));
  CHECK(cuMemMap(at, granule, 0, handle, 0));
  CHECK(cuMemSetAccess(at, granule, &access, 1));
  CHECK(cudaFree(nullptr));  // a context: nothing before it needs one
  if (child) {
    fill<<<1, 32>>>((int*)at, 0, is_right ? 32 : 31);
    cudaDeviceSynchronize();
    int file = -1;
    CHECK(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    send(ends[0], file);
    int status = 0;
    waitpid(child, &status, 0);
  } else {
    int *y, last[2] = {};
    cudaMalloc(&y, 32 * sizeof(int));
    increase<<<1, 32>>>((int*)at, y);
    cudaMemcpy(last, y + 30, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last[0]);
    std::fflush(stdout);
    _exit(0);
  }
}

// A context takes all with it that was made in it.
CUcontext make_context() {
  CUcontext context;
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
#else
  CHECK(cuCtxCreate(&context, 0, 0));
#endif
  return context;
}

void run_destroyed_context(bool is_right) {
  const CUcontext kept = make_context(), gone = make_context();
  CUdeviceptr x, y, of_host = 0;
  CHECK(cuMemAlloc(&x, 32 * sizeof(int)));
  CHECK(cuMemHostAlloc((void**)&of_host, 32 * sizeof(int), 0));
  CUstream stream;
  CUevent event;
  CHECK(cuStreamCreate(&stream, 0));
  CHECK(cuEventCreate(&event, 0));
  fill<<<1, 32>>>((int*)x, 0, 32);
  CUcontext of_memory;
  CHECK(cuPointerGetAttribute(&of_memory, CU_POINTER_ATTRIBUTE_CONTEXT, x));
  // Another thread, to which it stays current.
  std::mutex first, second;
  CUresult there = CUDA_SUCCESS;
  second.lock();
  first.lock();
  std::thread thread([&] {
    cuCtxSetCurrent(gone);
    first.unlock();
    second.lock();
    there = cuMemAlloc(&y, 4);
  });
  first.lock();
  CHECK(cuCtxDestroy(gone));
  second.unlock();
  thread.join();
  CUcontext current;
  CHECK(cuCtxGetCurrent(&current));
  std::printf("%d %d %d ", of_memory == gone, current == kept, int(there));

  CHECK(cuMemAlloc(&y, 32 * sizeof(int)));
  if (is_right) {
    CHECK(cuMemAlloc(&x, 32 * sizeof(int)));
    fill<<<1, 32>>>((int*)x, 0, 32);
  }
  increase<<<1, 32>>>((int*)x, (int*)y);
  const CUresult results[] = {cuStreamSynchronize(stream), cuEventRecord(event, nullptr), cuCtxSetCurrent(gone),
                              cuCtxDestroy(gone)};
  for (const CUresult result : results) std::printf("%d ", int(result));
  std::printf("%d\n", int(cuMemFree(x)));
  CHECK(cuMemFree(y));
  CHECK(cuCtxDestroy(kept));
  CHECK(cudaFree(nullptr));  // the runtime has its own context, with its own kernels
  int* z;
  CHECK(cudaMalloc(&z, 32 * sizeof(int)));
  fill<<<1, 32>>>(z, 0, 32);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(z));
}

// The same by a handle that is only bytes. A process does not open its own.
void run_shared_handle(bool is_right) {
  int to_child[2], to_parent[2];
  if (pipe(to_child) || pipe(to_parent)) return;
  const pid_t child = fork();
  int* x = nullptr;
  cudaIpcMemHandle_t handle;
  if (!child) {
    if (read(to_child[0], &handle, sizeof handle) != sizeof handle) _exit(1);
    int *again = nullptr, *y, last[2] = {};
    CHECK(cudaIpcOpenMemHandle((void**)&x, handle, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void**)&again, handle, cudaIpcMemLazyEnablePeerAccess));
    cudaMalloc(&y, 32 * sizeof(int));
    increase<<<1, 32>>>(x, y);
    fill<<<1, is_right ? 32 : 33>>>(x, 100, is_right ? 32 : 33);
    cudaMemcpy(last, y + 30, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d %d ", x == again, last[0]);
    CHECK(cudaIpcCloseMemHandle(x));
    CHECK(cudaIpcCloseMemHandle(x));
    std::printf("%d\n", int(cudaIpcCloseMemHandle(x)));
    std::fflush(stdout);
    if (write(to_parent[1], "", 1) != 1) _exit(1);
    _exit(0);
  }
  close(to_parent[1]);
  CHECK(cudaMalloc(&x, 132 * sizeof(int)));
  fill<<<1, 32>>>(x, 0, is_right ? 32 : 31);
  CHECK(cudaIpcGetMemHandle(&handle, x));
  int *own = nullptr, got = 0, status = 0;
  const cudaError_t refused = cudaIpcOpenMemHandle((void**)&own, handle, cudaIpcMemLazyEnablePeerAccess);
  char done = 0;
  if (write(to_child[1], &handle, sizeof handle) != sizeof handle || read(to_parent[0], &done, 1) != 1) return;
  waitpid(child, &status, 0);
  cudaMemcpy(&got, x + 131, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", int(refused), got);
  CHECK(cudaFree(x));
}

constexpr NamedProgram programs[] = {
    {"alias", run_alias},
    {"destroyed-context", run_destroyed_context},
    {"mapped-again", run_mapped_again},
    {"mapped-arrays", run_mapped_arrays},
    {"mapped-misuse", run_mapped_misuse},
    {"mapped-peer", run_mapped_peer},
    {"segment", run_segment},
    {"far", run_far},
    {"copied-gap", run_copied_gap},
    {"shared-handle", run_shared_handle},
    {"shared-memory", run_shared_memory},
    {"unmapped", run_unmapped},
};

}  // namespace

int main(int, char** words) {
  if (std::strncmp(words[1], "shared", 6)) cudaFree(nullptr);  // the primary context becomes current
  return run_by_name(programs, words[1]);
}
