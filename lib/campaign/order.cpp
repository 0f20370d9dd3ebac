#include "lib/campaign/order.h"

#include <fmt/format.h>

#include <cstring>

#include "lib/compare/judge.h"

namespace ropewalk {
namespace {

constexpr u64 another_order = 0x6f72646572;

bool is_set(const u64* bits, u64 n) { return !bits || bits[n / 64] >> (n % 64) & 1; }

// Whether byte `at` holds something in both.
bool is_there(const TensorAfter& one, const TensorAfter& other, u64 at) {
  return is_set(one.initialized, at) && is_set(other.initialized, at);
}

// The elements whose bytes differ.
Judgement compare(const LaunchTensor& tensor, const TensorAfter& one, const TensorAfter& other) {
  Judgement judgement;
  judgement.footprint.tensor = tensor.name;
  judgement.footprint.shape = tensor.shape;
  const u64 size = size_of(tensor.dtype);
  const i64 count = element_count(tensor.shape);
  for (i64 n = 0; n < count; ++n) {
    const std::vector<i64> index = index_of(tensor.shape, n);
    const u64 at = u64(offset_of(tensor.strides, index)) * size;
    if (!is_there(one, other, at)) continue;
    ++judgement.compared;
    if (std::memcmp(one.bytes + at, other.bytes + at, size) == 0) continue;
    const WrongElement element{index, load_as_double(other.bytes + at, tensor.dtype),
                               load_as_double(one.bytes + at, tensor.dtype), 0};
    if (!judgement.wrong++) judgement.first = judgement.worst = element;
    judgement.footprint.elements.push_back(n);
  }
  return judgement;
}

}  // namespace

void judge_order(const Launch& launch, Outcome& outcome, Executor& executor, RunOptions options) {
  if (outcome.statistics.blocks < 2) return;
  options.block_order_seed = another_order;
  options.coverage = options.count = false;
  Outcome again = executor.run(launch, options);
  for (Finding& finding : again.findings) {
    finding.evidence.push_back("seen with the blocks in another order alone");
    outcome.findings.push_back(std::move(finding));
  }
  if (outcome.findings.empty() && again.kind != OutcomeKind::NotRun) {
    for (u32 n = 0; n < launch.tensors.size(); ++n) {
      const LaunchTensor& tensor = launch.tensors[n];
      const TensorAfter &one = outcome.tensors[n], &other = again.tensors[n];
      if (!tensor.output) continue;
      // Without gaps, one look at all bytes is enough where they are the same.
      if (!one.initialized && !other.initialized && std::memcmp(one.bytes, other.bytes, tensor.bytes()) == 0) continue;
      const Judgement judgement = compare(tensor, one, other);
      if (!judgement.wrong) continue;
      Finding finding = mismatch_finding(launch, Expectation{n}, judgement);
      finding.rule = Rule::NondeterministicOutput;
      finding.message = fmt::format("{} of {} elements of {} have other bits when the blocks run in another order",
                                    judgement.wrong, judgement.compared, tensor.name);
      identify(finding);
      outcome.findings.push_back(std::move(finding));
    }
  }
  if (!outcome.findings.empty()) outcome.kind = OutcomeKind::Found;
}

}  // namespace ropewalk
