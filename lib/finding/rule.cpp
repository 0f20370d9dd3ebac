#include "lib/finding/rule.h"

namespace ropewalk {

const std::vector<RuleInfo>& all_rules() {
  // In the order of the enumeration.
  static const std::vector<RuleInfo> rules{
      {Rule::OutOfBoundsRead, "out-of-bounds-read", "Read outside a tensor",
       "A thread read bytes that lie before the start or past the end of the tensor that its address came from.",
       "On a GPU it reads whatever allocation is next to it, so results are silently wrong on one machine and the "
       "context dies with an illegal access on another.",
       "Usually a mask is missing for the last rows or columns, a width is larger than the row it indexes, or a cache "
       "has fewer rows than the largest position."},
      {Rule::OutOfBoundsWrite, "out-of-bounds-write", "Write outside a tensor",
       "A thread wrote, or changed by an atomic, bytes that lie before the start or past the end of the tensor that "
       "its "
       "address came from.",
       "It overwrites memory of somebody else, so the crash or the wrong number shows later and in another kernel.",
       "Usually a store lacks the mask that the load has, a model width was passed for a head width, or a stride or a "
       "grid does not belong to the tensor."},
      {Rule::IndexOutOfField, "index-out-of-field", "Access inside the tensor but outside its field",
       "A thread touched valid memory that belongs to another part of the tensor than the one it may use: another "
       "head, the other half of a row, padding, or a page of another sequence.",
       "No memory checker on a GPU sees it, because the memory is allocated; the kernel quietly mixes data of two "
       "owners.",
       "Usually a rotary width runs into the next head, the offset of the sin half is computed from the wrong width, "
       "or "
       "a row stride is taken for a row length."},
      {Rule::MisalignedAccess, "misaligned-access", "Access at an address that its width does not allow",
       "An access of 2, 4, 8 or 16 bytes was made at an address that is no multiple of that size.",
       "The GPU stops the kernel with a misaligned address error, and the context is lost.",
       "Usually a vector load is used on rows whose stride is no multiple of the vector, or on a view that starts in "
       "the middle of one."},
      {Rule::UninitializedRead, "uninitialized-read", "Use of bytes that nobody wrote",
       "A thread used bytes of memory, or a register, that nothing had written before.",
       "The value is what was left there by an earlier program, so the result changes from run to run and is right in "
       "most tests.",
       "Usually a buffer was allocated and not filled, part of a tile is loaded under a mask and used without it, or "
       "the wait for an asynchronous copy is missing."},
      {Rule::UseAfterFree, "use-after-free", "Access to memory that was freed",
       "A thread touched a tensor after its memory had been given back.",
       "A caching allocator gives the memory to the next tensor, so the kernel reads or destroys data that belongs to "
       "somebody else, and seldom crashes.",
       "Usually a temporary tensor died on the host while the kernel was queued, or a pointer was kept when a cache "
       "grew and moved."},
      {Rule::SharedRace, "shared-race", "Race in shared memory",
       "Two threads of a block touched the same bytes of shared memory, one of them writing, and neither access happens "
       "before the other: no barrier, bar.warp.sync, or release and acquire lies between.",
       "Which of the two comes first depends on the schedule, so the result is wrong now and then.",
       "Usually a barrier is missing between filling a tile and reading it, or before it is filled again in the next "
       "round of a loop."},
      {Rule::GlobalRace, "global-race", "Race in global memory",
       "Two threads of the launch touched the same bytes of global memory, one of them writing, and neither access happens "
       "before the other: no barrier of their block, and no release and acquire (or fences around a flag) whose scopes "
       "include both, lies between.",
       "The order of blocks is not defined, so the result depends on the machine, the load and chance.",
       "Usually two blocks own overlapping rows, an output is updated in place that others still read, a sum over "
       "blocks is done without atomics, or a flag is set or read without __threadfence()."},
      {Rule::BarrierDivergence, "barrier-divergence", "Barrier that part of a block misses",
       "Some threads of a block waited at a barrier that others left out, left early, or met at another place.",
       "The behaviour is undefined: the kernel hangs on one architecture and goes on with half-written shared memory "
       "on "
       "another.",
       "Usually the barrier stands inside a condition on the thread or the row, or an early return for threads past "
       "the "
       "end stands before it."},
      {Rule::InactiveLaneRead, "inactive-lane-read", "Shuffle from a lane that does not take part",
       "A shuffle, vote or match read the value of a lane that was not active at the instruction or not in its mask.",
       "The value is undefined, so a reduction over the warp is wrong for the last rows only, where lanes are off.",
       "Usually a full mask is used inside a branch, or threads past the end returned before the reduction."},
      {Rule::IndexOverflow, "index-overflow", "32-bit index arithmetic that overflowed",
       "A 32-bit addition, multiplication or shift wrapped around, and its result was used to compute an address.",
       "The address is off by 4 GiB or more: large batches and long contexts crash, or read other data silently.",
       "Usually a row number is multiplied by a stride in int before it is widened, on a tensor of more than 2^31 "
       "elements."},
      {Rule::NonfiniteOrigin, "nonfinite-origin", "First instruction that makes a NaN or an infinity",
       "This instruction made a NaN out of operands that were none, or an infinity out of finite ones, and a tensor "
       "that must be finite then held such a value.",
       "One NaN spreads through the softmax and the whole row, and what is seen at the end says nothing of its source.",
       "Usually a row that is masked everywhere gives -inf minus -inf, a sum of zero is divided by, or a value "
       "overflows the range of f16."},
      {Rule::Hang, "hang", "Kernel that never ends",
       "No thread that is left can ever go on: each waits at a barrier, or comes back to the same state in a loop, and "
       "nobody changes the memory that it looks at.",
       "On a GPU the process blocks until a watchdog kills it, and nothing says where.",
       "Usually threads wait for a flag, a lock or a barrier that nobody sets, releases or comes to, for blocks that the "
       "device cannot hold at the same time, or the step of a loop is zero for these arguments."},
      {Rule::LaunchLimit, "launch-limit", "Launch that no device takes",
       "Grid, block or shared memory of the launch exceed what the target allows, so the launch was not run.",
       "The launch fails with an error that is easily overlooked when nobody asks for it, and the output keeps its old "
       "contents.",
       "Usually a dimension that grows with the batch or the length was put on grid y or z, which end at 65,535, or "
       "the "
       "tile is too large for the shared memory."},
      {Rule::OutputMismatch, "output-mismatch", "Output that differs from the expected one",
       "An element of an output differs from the expected value by more than the bound that rounding allows.",
       "The model still runs and gives plausible text, only worse, which is the most expensive kind of defect to find.",
       "Usually the layout of the pairs, the sign of sin, a position, a scale or a mask differs from the definition; "
       "the "
       "cause names the one that fits, if one does."},
      {Rule::OutputNotWritten, "output-not-written", "Output element that nobody wrote",
       "The launch ended without having written every element of a tensor that is declared an output.",
       "The element keeps what was in the memory before, often a plausible old result.",
       "Usually the grid has too few blocks, a tail tile is dropped, or a mask is too narrow by one."},
      {Rule::NondeterministicOutput, "nondeterministic-output", "Output that depends on the order of blocks",
       "The same launch gave different bits when its blocks ran in another order.",
       "Results cannot be repeated, so a training run cannot be compared with itself and a bug comes and goes.",
       "Usually floating-point sums are made by atomics in the order of arrival, or there is a race that no test has "
       "hit yet."},
      {Rule::BadArgumentAccepted, "bad-argument-accepted", "Argument that should have been rejected",
       "The kernel's guard took arguments that its contract says it must refuse.",
       "The caller's mistake then shows as a wrong result or an illegal access, far from where it was made.",
       "Usually a check is missing on the width against head_dim, on the length against the rows of the cache, or on "
       "the order of cu_seqlens."},
      {Rule::GoodArgumentRejected, "good-argument-rejected", "Argument that should have been accepted",
       "The kernel's guard refused arguments that its contract allows.",
       "A correct model cannot be run, or falls back to a slow path without a word.",
       "Usually a comparison is off by one, or a check demands a multiple that the kernel does not need."},
      {Rule::CacheMismatch, "cache-mismatch", "Rope cache that differs from its formula",
       "A value of the cos or sin cache differs from what the configuration defines by more than its arithmetic "
       "explains.",
       "Every token from that position on is rotated by a wrong angle, and quality falls with the length of the text.",
       "Usually scaling parameters were lost or doubled, the angles were computed in a short format, or the buffer was "
       "never filled on this device."},
      {Rule::RankMismatch, "rank-mismatch", "Caches of two ranks that differ",
       "The same cache is not the same on two ranks that should hold equal or adjoining parts of it.",
       "Parts of one model rotate by different angles, and the loss or the text goes wrong in a way that no single "
       "rank "
       "shows.",
       "Usually one rank computed it before the configuration was complete, or took another rank's shard."},
      {Rule::InitOrder, "init-order", "Initialisation that depends on the order of events",
       "An order of the initialisation's events that the program allows leaves a rope buffer wrong.",
       "It works on the machine where it was written and fails where ranks or streams are faster or slower.",
       "Usually a buffer is built on the meta device and not reset, broadcast before it is filled, or read by a stream "
       "that did not wait."},
      {Rule::SignatureMismatch, "signature-mismatch", "Arguments that do not fit the kernel's parameters",
       "The arguments that a caller passes differ in number, order, type or meaning from what the kernel declares.",
       "The kernel reads a pointer as a number or a stride as a length, and what follows looks like any other crash.",
       "Usually the kernel and its binding come from different versions, or two parameters of one type were swapped."},
      {Rule::DeviceAssert, "device-assert", "Assertion of the kernel that failed",
       "The kernel itself found a condition false that its author had asserted, and stopped, or it executed a trap.",
       "On a GPU the context is lost and every later call fails with the same error.",
       "Usually an argument is outside of what the kernel is written for: the asserted condition and its line say "
       "which."},
      {Rule::IllegalAddress, "illegal-address", "Address that a device could not reach",
       "A device ended the launch because it touched an address that is not mapped there; it does not say which "
       "instruction, and not whether it read or wrote.",
       "The context is lost, every later call fails with the same error, and the one that tells is seldom the one that "
       "was wrong.",
       "Usually an access runs past the end of a tensor, or a tensor lies on another device than the one that runs the "
       "kernel."},
      {Rule::LaunchFailed, "launch-failed", "Launch that a device or its driver gave up",
       "The launch, or the process that waited for it, came to no end that says what the kernel did wrong: the driver's "
       "error, as it told it, is all that is known.",
       "The context is lost with every result in it, and the error's name says little of its cause.",
       "Usually the kernel executed a trap or jumped astray, its stack ran over, or it was launched with a stream or a "
       "context of another device."},
  };
  return rules;
}

const RuleInfo& info_of(Rule rule) { return all_rules().at(size_t(rule)); }

std::optional<Rule> rule_named(std::string_view name) {
  for (const RuleInfo& info : all_rules()) {
    if (info.name == name) return info.rule;
  }
  return std::nullopt;
}

}  // namespace ropewalk
