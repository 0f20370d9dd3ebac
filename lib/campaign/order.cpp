#include "lib/campaign/order.h"

#include <fmt/format.h>

#include <cstring>

#include "lib/base/bits.h"
#include "lib/compare/judge.h"

namespace ropewalk::campaign {
namespace {

constexpr u64 another_order = 0x6f72646572;
constexpr u64 footprint_limit = 4096;

// Whether both hold something in the whole element.
bool is_there(const TensorAfter& one, const TensorAfter& other, u64 at, u64 size) {
  return (!one.initialized || all_bits(one.initialized, at, at + size)) &&
         (!other.initialized || all_bits(other.initialized, at, at + size));
}

// The elements whose bytes differ.
compare::Judgement compare(const LaunchTensor& tensor, const TensorAfter& one, const TensorAfter& other) {
  compare::Judgement judgement;
  judgement.footprint.tensor = tensor.name;
  judgement.footprint.shape = tensor.shape;
  const u64 size = size_of(tensor.dtype);
  const i64 count = element_count(tensor.shape);
  for (i64 n = 0; n < count; ++n) {
    const std::vector<i64> index = index_of(tensor.shape, n);
    const u64 at = u64(offset_of(tensor.strides, index)) * size;
    if (!is_there(one, other, at, size)) continue;
    ++judgement.compared;
    if (std::memcmp(one.bytes + at, other.bytes + at, size) == 0) continue;
    const compare::WrongElement element{index, load_as_double(other.bytes + at, tensor.dtype),
                                        load_as_double(one.bytes + at, tensor.dtype), 0};
    if (!judgement.wrong++) judgement.first = judgement.worst = element;
    if (judgement.footprint.elements.size() < footprint_limit) judgement.footprint.elements.push_back(n);
  }
  judgement.footprint.complete = judgement.wrong == judgement.footprint.elements.size();
  return judgement;
}

// Gaps and elements that nobody wrote included: the same bytes everywhere are the same everywhere that counts. Not
// tried where gaps are so large that elements are sooner looked at one by one.
bool is_same(const LaunchTensor& tensor, const TensorAfter& one, const TensorAfter& other) {
  return tensor.bytes() < (u64(1) << 26) && std::memcmp(one.bytes, other.bytes, tensor.bytes()) == 0;
}

}  // namespace

void judge_order(const Launch& launch, Outcome& outcome, Executor& executor, RunOptions options) {
  // Of a sample, another order says little, and the tensors are large.
  if (outcome.statistics.blocks < 2 || outcome.statistics.blocks < outcome.statistics.blocks_total) return;
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
      if (is_same(tensor, one, other)) continue;
      const compare::Judgement judgement = compare(tensor, one, other);
      if (!judgement.wrong) continue;
      Finding finding = compare::mismatch_finding(launch, Expectation{n}, judgement);
      finding.rule = Rule::NondeterministicOutput;
      finding.message = fmt::format("{} of {} elements of {} have other bits when the blocks run in another order",
                                    judgement.wrong, judgement.compared, tensor.name);
      identify(finding);
      outcome.findings.push_back(std::move(finding));
    }
  }
  if (!outcome.findings.empty()) outcome.kind = OutcomeKind::Found;
}

}  // namespace ropewalk::campaign
