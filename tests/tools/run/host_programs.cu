// What a program does at its host's side: programs for rope-check run, each by its name on the command line.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

constexpr int count = 100;

__global__ void number(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = threadIdx.x;  // at:number
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recurse(int* x, int n) { *x = fibonacci(n); }

__global__ void shift(int* x, int by) {
  __shared__ int values[count];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = values[threadIdx.x + by];  // at:values
}

void launch(int n) {
  int* x;
  cudaMalloc(&x, count * sizeof(int));
  number<<<1, 128>>>(x, n);
  cudaDeviceSynchronize();
  cudaFree(x);
}

void run_launch(bool is_right) { launch(is_right ? count : count + 1); }

// Says that it is there, and stays.
void stay() {
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}

void run_launch_and_stay(bool is_right) {
  run_launch(is_right);
  stay();
}
// A signal does not end it.
void run_ignore_signals(bool is_right) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, [](int) {});
  run_launch_and_stay(is_right);
}
// Half of a warp shuffles, and what it gets is stored: two ways to the same defect.
__global__ void shuffle(int* x, int threads) {
  int value = threadIdx.x;
  if (threadIdx.x < threads) value = __shfl_down_sync(0xffffffff, value, 1);  // at:shuffle
  x[threadIdx.x] = value;
}
void run_half_warp(bool is_right) {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  shuffle<<<1, 32>>>(x, is_right ? 32 : 16);
  cudaDeviceSynchronize();
  cudaFree(x);
}
// A launch that no device takes writes nothing for the next one to read.
__global__ void increase(int* x) { ++x[threadIdx.x]; }  // at:increase
void run_refused(bool is_right) {
  int* x;
  cudaMalloc(&x, count * sizeof(int));
  if (is_right) cudaMemset(x, 0, count * sizeof(int));
  number<<<dim3(1, 70000), 128>>>(x, count);
  increase<<<1, count>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
// Outlives its parent, and comes to the device later.
void run_left_behind(bool is_right) {
  if (fork()) return;
  usleep(500000);
  run_launch(is_right);
}
// What rope-check told it is gone.
void run_clear_environment(bool is_right) {
  clearenv();
  run_launch(is_right);
}
// Ends at a signal by itself, and in its own way.
void run_end_by_itself(bool is_right) {
  signal(SIGTERM, [](int) { _exit(0); });
  run_launch_and_stay(is_right);
}

// Writes, says so, and goes on for long.
__global__ void work_for_long(int* x, int n, volatile int* has_written, unsigned steps) {
  x[n - 1] = 1;  // at:work
  *has_written = 1;
  unsigned sum = 1;
  for (unsigned k = 0; k < steps; ++k) sum = sum * 1664525 + x[0];
  x[1] = int(sum);
}
// Stays in a launch.
void run_launch_for_long(bool is_right) {
  int* x;
  volatile int* has_written;
  cudaMalloc(&x, count * sizeof(int));
  cudaMemset(x, 0, count * sizeof(int));
  cudaMallocHost((void**)&has_written, sizeof(int));
  *has_written = 0;
  std::thread([=] {
    while (!*has_written) usleep(1000);
    puts("ready");
    fflush(stdout);
  }).detach();
  work_for_long<<<1, 1>>>(x, is_right ? count : count + 1, has_written, 4'000'000'000);
  cudaDeviceSynchronize();
}

// Host alone: nothing is launched.
void run_copy(bool is_right) {
  int* x;
  int values[count] = {};
  cudaMalloc(&x, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  cudaMemcpy(values, x, sizeof values + 4 * !is_right, cudaMemcpyDeviceToHost);  // at:copy
  cudaFree(x);
}

void run_shared(bool is_right) {
  int* x;
  cudaMalloc(&x, count * sizeof(int));
  cudaMemset(x, 0, count * sizeof(int));
  shift<<<1, count - 1>>>(x, !is_right);
  cudaFree(x);
}

// The kernel touches memory of the host.
void run_host_pointer(bool is_right) {
  int* const values = (int*)malloc(count * sizeof(int));
  int* pinned;
  cudaMallocHost(&pinned, count * sizeof(int));
  number<<<1, 128>>>(is_right ? pinned : values, count);  // at:launch
  cudaDeviceSynchronize();
  cudaFreeHost(pinned);
  free(values);
}

// What is not freed; where it was made.
void run_leak(bool is_right) {
  int* x;
  cudaMalloc(&x, sizeof(int));  // at:made
  if (is_right) cudaFree(x);
}

void run_leak_at_reset(bool is_right) {
  int* x;
  cudaMalloc(&x, sizeof(int));  // at:reset
  if (is_right) cudaFree(x);
  cudaDeviceReset();
}

// What a static object frees when the process ends, or forgets to.
struct Kept {
  int* x = nullptr;
  ~Kept() { cudaFree(x); }
} kept;
void run_leak_of_static(bool is_right) {
  cudaMalloc(&kept.x, sizeof(int));
  if (!is_right) cudaMalloc(&kept.x, sizeof(int));
}

// The host follows a pointer that is a device's.
void run_device_pointer(bool is_right) {
  int *x, values[count] = {};
  cudaMalloc(&x, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  if (is_right) cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost);
  printf("%d\n", (is_right ? values : x)[3]);  // at:pointer
  cudaFree(x);
}
// Another access that ends by the signal, with a device's pointer at hand.
void run_other_fault(bool) {
  int* x;
  cudaMalloc(&x, sizeof(int));
#ifdef __x86_64__
  alignas(16) char bytes[64];
  asm volatile("movaps %%xmm0, (%0)" : : "r"(bytes + 4), "a"(x) : "memory");
#endif
  *(int* volatile)nullptr = int(size_t(x));
}

// The signal of a fault that none is.
void run_sent_fault(bool) {
  int* x;
  cudaMalloc(&x, sizeof(int));
  raise(SIGSEGV);
  printf("went on\n");
}

// A list whose nodes are allocations of their own: a pointer is an argument first, and then one from memory.
struct Node {
  int value;
  Node* next;
};
__global__ void add_up(const Node* head, int* sum) {
  int all = 0;
  for (const Node* node = head; node; node = node->next) all += node->value;  // at:node
  *sum = all;
}
void run_list(bool is_right) {
  Node* nodes[10] = {};
  int *sum, got = 0;
  cudaMalloc(&sum, sizeof(int));
  for (int n = 0; n < 10; ++n) {
    cudaMalloc(nodes + n, sizeof(Node));
    const Node node = {n, n ? nodes[n - 1] : nullptr};
    cudaMemcpy(nodes[n], &node, sizeof node, cudaMemcpyHostToDevice);
  }
  if (!is_right) cudaFree(nodes[4]);
  add_up<<<1, 1>>>(nodes[9], sum);
  cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost);
  if (is_right) printf("%d\n", got);
}
// Arguments that lie past the end and before the start of what they lead into.
__global__ void reverse(const int* end, int* before, int n) {
  if (threadIdx.x < n) before[threadIdx.x + 1] = end[-1 - int(threadIdx.x)];  // at:reverse
}
void run_end_pointer(bool is_right) {
  int *x, *y, values[count], first = 0;
  for (int n = 0; n < count; ++n) values[n] = n;
  cudaMalloc(&x, sizeof values);
  cudaMalloc(&y, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  reverse<<<1, 128>>>(x + count, y - 1, is_right ? count : count + 1);
  cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
  printf("%d\n", first);
}
// Kernels that are launched by a handler of atexit, when the main function has returned.
int* of_handler;
void run_behind_main(bool is_right) {
  cudaMalloc(&of_handler, count * sizeof(int));
  atexit(is_right ? [] { number<<<1, 128>>>(of_handler, count); cudaDeviceSynchronize(); }
                  : [] { number<<<1, 128>>>(of_handler, count + 1); cudaDeviceSynchronize(); });
}

// The device prints as the host does.
__host__ __device__ void print_all() {
  printf("[%*d] [%-*s] [%.*f] [%5c] [%p] [%8s] [%x] [%lld] [%%] [%+d] [%*d]\n", 6, 42, 5, "ab", 3, 3.14159, 'x',
         (void*)nullptr, "right", 255, 1ll << 40, 7, -6, 42);
}
__global__ void print_kernel() { print_all(); }
void run_print(bool) {
  print_kernel<<<1, 1>>>();
  cudaDeviceSynchronize();
  print_all();
}

void run_recurse(bool) {
  int* x;
  cudaMalloc(&x, sizeof(int));
  recurse<<<1, 1>>>(x, 10);
  cudaFree(x);
}

// The host looks for a signal, and lets another stream read what comes with it.
__global__ void publish(int* x, int* signal) {
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x == 0) atomicExch_system(signal, 1);
}
__global__ void take(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
void run_poll(bool is_right) {
  cudaStream_t writes, reads;
  cudaStreamCreateWithFlags(&writes, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&reads, cudaStreamNonBlocking);
  int *x, *y, *signal;
  cudaMalloc(&x, count * sizeof(int));
  cudaMalloc(&y, count * sizeof(int));
  if (is_right)
    cudaMallocManaged(&signal, sizeof(int));
  else
    cudaMalloc(&signal, sizeof(int));
  cudaMemset(signal, 0, sizeof(int));
  cudaDeviceSynchronize();
  publish<<<1, count, 0, writes>>>(x, signal);
  while (is_right && __atomic_load_n(signal, __ATOMIC_ACQUIRE) == 0) {
  }
  take<<<1, count, 0, reads>>>(x, y);
}

const struct {
  const char* name;
  void (*run)(bool is_right);
} programs[] = {
    {"launch", run_launch},
    {"launch-and-stay", run_launch_and_stay},
    {"launch-for-long", run_launch_for_long},
    {"ignore-signals", run_ignore_signals},
    {"end-by-itself", run_end_by_itself},
    {"half-warp", run_half_warp},
    {"refused", run_refused},
    {"left-behind", run_left_behind},
    {"clear-environment", run_clear_environment},
    {"copy", run_copy},
    {"shared", run_shared},
    {"host-pointer", run_host_pointer},
    {"leak", run_leak},
    {"leak-at-reset", run_leak_at_reset},
    {"leak-of-static", run_leak_of_static},
    {"device-pointer", run_device_pointer},
    {"other-fault", run_other_fault},
    {"sent-fault", run_sent_fault},
    {"print", run_print},
    {"list", run_list},
    {"end-pointer", run_end_pointer},
    {"behind-main", run_behind_main},
    {"recurse", run_recurse},
    {"poll", run_poll},
};

// NAME does wrong what NAME-right does right.
int main(int, char** words) {
  const std::size_t length = strlen(words[1]);
  const bool is_right = length > 6 && !strcmp(words[1] + length - 6, "-right");
  for (const auto& program : programs) {
    if (strlen(program.name) != length - 6 * is_right || strncmp(program.name, words[1], strlen(program.name)))
      continue;
    program.run(is_right);
    return 0;
  }
  return 2;
}
