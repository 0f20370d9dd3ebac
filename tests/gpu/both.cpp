#include "tests/gpu/both.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/base/bits.h"
#include "lib/launch/allowed.h"
#include "lib/machine/machine.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk {

bool is_exact(const ptx::Module& module, const std::string& entry) {
  const ptx::Function* const function = module.entry(entry);
  if (!function) return false;
  for (const ptx::Instruction& instruction : function->instructions) {
    const ptx::Opcode& opcode = module.opcodes[instruction.opcode];
    if (opcode.has("approx") || opcode.has("full") || opcode.op == "mma"_op || opcode.op == "wmma"_op) return false;
    const bool is_atomic = opcode.facts().access == ptx::Access::Atomic;
    if (is_atomic && opcode.has("add") && (opcode.has("f32") || opcode.has("f64"))) return false;
  }
  return true;
}

std::string difference(const Launch& launch, const Outcome& a, const Outcome& b) {
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    std::vector<u64> meant(tensor.bytes() / 64 + 1);
    mark_allowed(tensor, nullptr, meant.data());
    for (u64 at = 0; at < tensor.bytes(); ++at) {
      const u64* written = a.tensors[n].initialized;
      if (!all_bits(meant.data(), at, at + 1) || (written && !all_bits(written, at, at + 1))) continue;
      if (a.tensors[n].bytes[at] == b.tensors[n].bytes[at]) continue;
      const auto word_of = [&](const Outcome& outcome) {
        u64 word = 0;
        const u64 start = at & ~u64(7), bytes = std::min<u64>(8, tensor.bytes() - start);
        std::memcpy(&word, outcome.tensors[n].bytes + start, bytes);
        return word;
      };
      return fmt::format("{}, byte {}: the word there is {:016x} and {:016x}", tensor.name, at, word_of(a), word_of(b));
    }
  }
  return "";
}

namespace {

class Both : public Executor {
 public:
  Both(std::unique_ptr<Executor> gpu, u64 most_bytes, SharedTally& shared_tally)
      : gpu_(std::move(gpu)), most_bytes_(most_bytes), shared_tally_(shared_tally) {}

  std::string_view name() const override { return "both"; }

  Outcome run(const Launch& launch, const RunOptions& options) override {
    u64 bytes = 0;
    for (const LaunchTensor& tensor : launch.tensors) bytes += tensor.bytes();
    if (bytes > most_bytes_) return left_out(fmt::format("more than {} MiB", most_bytes_ >> 20));
    if (launch.blocks.count) return left_out("only some of its blocks are meant to run");
    Outcome there = gpu_->run(launch, options);
    if (there.kind == OutcomeKind::NotRun) return left_out(there.reason);
    const bool comparable = options.block_order_seed == 0 && is_exact(*launch.module, launch.entry);
    RunOptions bare = options;
    bare.checks = CheckSet();
    bare.coverage = false;
    const Outcome here = comparable ? machine_->run(launch, bare) : Outcome{};
    const std::lock_guard lock(shared_tally_.mutex);
    Tally& tally = shared_tally_.tally;
    ++tally.compared;
    if (comparable && here.kind == OutcomeKind::NotRun) {
      tally.leave_out(here.reason);
    } else if (comparable && there.tensors.size() == launch.tensors.size()) {
      const std::string differs = difference(launch, here, there);
      if (!differs.empty()) tally.differences.push_back(launch.kernel_name + ": other bits in " + differs);
    }
    return there;
  }

 private:
  Outcome left_out(const std::string& reason) {
    const std::lock_guard lock(shared_tally_.mutex);
    shared_tally_.tally.leave_out(reason);
    Outcome outcome;
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = reason;
    return outcome;
  }

  std::unique_ptr<Executor> machine_ = machine::make_machine();
  std::unique_ptr<Executor> gpu_;
  u64 most_bytes_;
  SharedTally& shared_tally_;
};

}  // namespace

std::unique_ptr<Executor> make_both(std::unique_ptr<Executor> gpu, u64 most_bytes, SharedTally& shared_tally) {
  return std::make_unique<Both>(std::move(gpu), most_bytes, shared_tally);
}

}  // namespace ropewalk
