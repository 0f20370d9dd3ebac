// Kernels as all engines know them: each answers the problems of a family, with its preconditions and its launches.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/family/family.h"
#include "lib/launch/launch.h"

namespace ropewalk {

struct Kernel {
  std::string name;                // "rotary/apply"; kernels with a seeded bug are "faulty/..."
  std::string description;         // one sentence; of a faulty kernel: what is wrong with it
  std::string source;              // "kernels/rotary/apply.cu"
  const Family* family = nullptr;  // of the problems that it answers
  std::string counterpart;         // the kernel that is right about the same problems; empty: this one is

  // Why the problem must not be launched, every reason in a sentence of its own; empty: it may. A kernel that lacks a
  // precondition leaves out what it would have refused.
  std::function<std::vector<std::string>(const Problem&)> reject;
  // The launch that answers a problem: grid, block, arguments and tensors with what they hold at first; outputs are
  // marked, nothing is expected of them yet. Large tensors are described and not allocated. Throws InputError with the
  // first reason for a problem that is rejected.
  std::function<Launch(const Problem&)> launch;
  bool backward = false;  // computes gradients

  const Kernel* correct = nullptr;  // the counterpart, once the kernel is one of Kernels

  bool is_correct() const { return counterpart.empty(); }
};

// The kernels of a program, correct ones first.
class Kernels {
 public:
  // Throws InternalError for a counterpart that is none of them.
  explicit Kernels(std::vector<Kernel> all);
  Kernels(const Kernels&) = delete;

  const std::vector<Kernel>& all() const { return all_; }
  // Throws InputError that names the nearest one.
  const Kernel& named(std::string_view name) const;

 private:
  std::vector<Kernel> all_;
};

// Why the problem has no answer at all: what the kernel, or its correct counterpart, rejects.
std::vector<std::string> unanswerable(const Kernel& kernel, const Problem& problem);

}  // namespace ropewalk
