// Parts of graphs: nodes that are switched off, the child of a node, user objects, a graph as a text. NAME does wrong
// what NAME-right does right.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

#include "tests/tools/run/by_name.cuh"
#include "tests/tools/run/checked_call.cuh"

namespace {

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }
__global__ void add(int* x, int value) { x[threadIdx.x] += value; }

int* made(int bytes) {
  int* x;
  CHECK(cudaMalloc(&x, bytes));
  return x;
}
int first_of(const int* x) {
  int value;
  CHECK(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost));
  return value;
}

template <class Kernel>
cudaGraphNode_t add_kernel(cudaGraph_t graph, Kernel kernel, int* x, int value, const cudaGraphNode_t* after = nullptr,
                           int blocks = 1) {
  void* values[] = {&x, &value};
  cudaKernelNodeParams what = {reinterpret_cast<void*>(kernel), dim3(blocks), dim3(32), 0, values, nullptr};
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &what));
  return node;
}

void launch(cudaGraphExec_t ready) {
  CHECK(cudaGraphLaunch(ready, 0));
  CHECK(cudaDeviceSynchronize());
}

// The node that writes the memory is switched off: what the other one reads nobody has written.
void run_switched(bool is_right) {
  int* const x = made(128);
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = add_kernel(graph, set, x, 5), second = add_kernel(graph, add, x, 2, &first);
  cudaGraphNode_t none;
  CHECK(cudaGraphAddEmptyNode(&none, graph, &second, 1));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  unsigned is_on = 7;
  CHECK(cudaGraphNodeGetEnabled(ready, first, &is_on));
  std::printf("%u %s ", is_on, cudaGetErrorName(cudaGraphNodeSetEnabled(ready, none, 0)));
  if (is_right) launch(ready);
  CHECK(cudaGraphNodeSetEnabled(ready, first, 0));
  cudaGraphExecUpdateResultInfo info;
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphExecUpdate(ready, clone, &info));  // its nodes are still those of the first graph
  CHECK(cudaGraphNodeGetEnabled(ready, first, &is_on));
  launch(ready);
  std::printf("%u %d ", is_on, first_of(x));
  CHECK(cudaGraphNodeSetEnabled(ready, first, 1));
  launch(ready);
  std::printf("%d\n", first_of(x));
}

// A node is added to the copy that the node of the outer graph has.
void run_child(bool is_right) {
  int* const x = made(128);
  cudaGraph_t inner, outer, copy, clone;
  CHECK(cudaGraphCreate(&inner, 0));
  CHECK(cudaGraphCreate(&outer, 0));
  const cudaGraphNode_t first = add_kernel(inner, set, x, 5);
  cudaGraphNode_t child, inside;
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &copy));
  size_t count = 1;
  CHECK(cudaGraphGetNodes(copy, &inside, &count));
  add_kernel(copy, add, x, 2, is_right ? &inside : nullptr);
  CHECK(cudaGraphClone(&clone, outer));
  CHECK(cudaGraphDestroy(outer));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, clone, 0));
  launch(ready);
  std::printf("%d %d %d\n", copy != inner && inside != first, int(count), first_of(x));
}

void end(void* told) { std::printf("%s", static_cast<const char*>(told)); }

// The object ends with the last that holds it, here what was instantiated.
// More references are given up than there are: nobody says so, and the object is never destroyed.
void run_objects(bool is_right) {
  cudaUserObject_t object;
  const auto name = [](cudaError_t error) { std::printf("%s ", cudaGetErrorName(error)); };
  char text[] = "destroyed ";
  name(cudaUserObjectCreate(&object, text, end, 1, 0));
  CHECK(cudaUserObjectCreate(&object, text, end, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectRetain(object, 2));
  if (!is_right) name(cudaUserObjectRelease(object, 4));
  CHECK(cudaUserObjectRelease(object, 1));
  cudaGraph_t graph, other;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, 0));
  CHECK(cudaGraphRetainUserObject(graph, object, 2, cudaGraphUserObjectMove));
  if (!is_right) name(cudaUserObjectRelease(object, 1));
  if (!is_right) name(cudaGraphReleaseUserObject(graph, object, 4));
  CHECK(cudaGraphReleaseUserObject(graph, object, 2));
  CHECK(cudaGraphClone(&other, graph));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
  std::printf("held ");
  launch(ready);
  CHECK(cudaGraphExecDestroy(ready));
  std::printf("over\n");
}

__global__ void meet_and_add(int* x, int value) {
  if (blockIdx.x == 1 && threadIdx.x == 0) x[0] = 5;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) x[threadIdx.x + 1] = x[0] + value;
}

// A node becomes a cooperative launch by its attribute, by that of another node, and stays one with other parameters.
void run_attributes(bool is_right) {
  int* const x = made(256);
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t node = add_kernel(graph, meet_and_add, x, 1, nullptr, 2);
  const cudaGraphNode_t next = add_kernel(graph, meet_and_add, x, 2, &node, 2);
  cudaKernelNodeAttrValue value{};
  value.cooperative = 1;
  if (is_right) CHECK(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeCooperative, &value));
  CHECK(cudaGraphKernelNodeCopyAttributes(next, node));
  value = {};
  CHECK(cudaGraphKernelNodeGetAttribute(next, cudaKernelNodeAttributeCooperative, &value));
  std::printf("%d\n", value.cooperative);
  cudaKernelNodeParams parameters;
  CHECK(cudaGraphKernelNodeGetParams(next, &parameters));
  parameters.gridDim = 3;
  CHECK(cudaGraphKernelNodeSetParams(next, &parameters));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  if (is_right) launch(ready);
  if (is_right) std::printf("%d\n", first_of(x + 1));
  if (!is_right) std::printf("%s\n", cudaGetErrorName(cudaGraphLaunch(ready, 0)));
}

void run_dot(bool) {
  int* const x = made(128);
  cudaGraph_t graph, outer;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&outer, 0));
  const cudaGraphNode_t first = add_kernel(graph, set, x, 5);
  add_kernel(graph, add, x, 2, &first);
  cudaGraphNode_t child;
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  CHECK(cudaGraphDebugDotPrint(outer, "/dev/stdout", 0));
  std::printf("%s\n", cudaGetErrorName(cudaGraphDebugDotPrint(outer, "/no/such/folder/x.dot", 0)));
}

constexpr NamedProgram programs[] = {{"switched", run_switched},
                                     {"child", run_child},
                                     {"objects", run_objects},
                                     {"dot", run_dot},
                                     {"attributes", run_attributes}};

}  // namespace

int main(int, char** words) { return run_by_name(programs, words[1]); }
