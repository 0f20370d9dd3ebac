// Programs with values that nobody set: for undefined_test.py, which runs each by its name.
#include <string>

#include "tests/tools/run/checked_call.cuh"
#include "tests/tools/run/messages.cuh"

constexpr int count = 64;

__global__ void send(volatile int* box, int* flag, int* out, int known, int read) {
  send<count>(box, flag, out, known, read);
}

// Walks where a word that nobody set says so: it is -1 here, so nobody does.
__global__ void walk(const int* in, int* out, int known) {
  __shared__ int words[count];
  const int t = threadIdx.x;
  if (t < known) words[t] = in[t];
  __syncthreads();
  int at[4] = {t, 1, 2, 3};
  if (words[t] >= 0) at[t & 3] = in[at[0]] + 7;  // at: walk
  out[t] = at[0] + at[1] + at[2] + at[3];
}

// Blocks take tiles from a queue. Only who takes the first one fills its shared memory, unless all do: whether the same
// block takes the second one is chance.
__global__ void take(int* next, const int* in, int* out, int all) {
  __shared__ int words[count / 2], tile;
  const int t = threadIdx.x;
  for (;;) {
    if (t == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int mine = tile;
    if (mine >= 2) return;
    if (all || mine == 0) words[t] = in[t];
    __syncthreads();
    out[mine * count / 2 + t] = words[t];  // at: take
  }
}

// Finds a row by a number that nobody set, and hands it on; what the next kernel does with it follows from that.
__global__ void choose(int* out, int* row, int known) {
  __shared__ int rows[count];
  const int t = threadIdx.x;
  if (t < known) rows[t] = 0;
  if (t + 32 < known) rows[t + 32] = 0;
  __syncthreads();
  const int mine = rows[40];  // at: choose
  if (t == 1) *row = mine;
  out[mine * 32 + (t & 31)] = t;
  if (t == 1) row[1] = mine;
}
__global__ void use(const int* out, const int* row, int* to) { to[threadIdx.x] = out[row[0] * 32 + row[1]]; }

int main(int words, char** word) {
  const std::string name = words > 1 ? word[1] : "";
  int *box, *flag, *in, *out, host[count];
  for (int** each : {&box, &flag, &in, &out}) CHECK(cudaMalloc(each, count * sizeof(int)));
  CHECK(cudaMemset(flag, 0, count * sizeof(int)));
  CHECK(cudaMemset(in, 0, count * sizeof(int)));
  CHECK(cudaMemset(box, 0, count * sizeof(int)));
  if (name == "message-that-nobody-reads")
    send<<<2, count>>>(box, flag, out, 50, 50);
  else if (name == "message-that-is-read")
    send<<<2, count>>>(box, flag, out, 50, count);
  else if (name == "tiles-that-are-filled" || name == "tile-that-another-block-filled")
    take<<<2, count / 2>>>(flag, in, out, name == "tiles-that-are-filled");
  else if (name == "row-that-is-handed-on" || name == "row-that-nobody-set") {
    choose<<<1, 32>>>(in, flag, name == "row-that-is-handed-on" ? count : 20);
    use<<<1, count>>>(in, flag, out);
  } else
    walk<<<1, count>>>(in, out, 60);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d\n", host[62]);
}
