// Kernel families: kernels that answer the same problem, each with its contract. What rope-check and a campaign know of
// kernels is this and nothing else.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/problem/problem.h"

namespace ropewalk {

struct KernelFamily {
  std::string name;          // "rotary/apply"; families with a planted fault are "faulty/..."
  std::string description;   // one sentence; of a faulty family: what is wrong with it
  std::string source;        // "kernels/rotary/apply.cu"
  std::string problem_kind;  // "rotary": the name of the problems that it answers
  std::string healthy_twin;  // the family that is right about the same problems; empty: this one is healthy

  // Why the problem must not be launched, every reason in a sentence of its own; empty: it may. A family without its
  // guard leaves out what the missing guard would have said.
  std::function<std::vector<std::string>(const Problem&)> reject;
  // The launch that answers a problem: grid, block, arguments and tensors with what they hold at first; outputs are
  // marked, nothing is expected of them yet. Large tensors are described and not allocated. Throws InputError with the
  // first reason for a problem that is rejected.
  std::function<Launch(const Problem&)> launch;
  bool backward = false;  // computes gradients

  bool healthy() const { return healthy_twin.empty(); }
};

// Healthy families first; the order is fixed.
const std::vector<KernelFamily>& all_families();
// Throws InputError that names the nearest known family.
const KernelFamily& family_named(std::string_view name);
// Why the problem has no answer at all: what the family, or its healthy twin, rejects.
std::vector<std::string> unanswerable(const KernelFamily& family, const Problem& problem);

}  // namespace ropewalk
