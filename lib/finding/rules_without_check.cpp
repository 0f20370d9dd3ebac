#include "lib/finding/rule.h"

namespace ropewalk {

const std::vector<RuleInfo>& rules_without_check() {
  static const std::vector<RuleInfo> rules{
      {Rule::NondeterministicOutput, "Output that depends on the order of blocks",
       "The same launch gave different bits when its blocks ran in another order.",
       "Results cannot be repeated, so a training run cannot be compared with itself and a bug comes and goes.",
       "Usually floating-point sums are made by atomics in the order of arrival, or there is a race that no test has "
       "hit yet."},
      {Rule::BadArgumentAccepted, "Argument that should have been rejected",
       "The kernel took arguments that its preconditions say it must refuse.",
       "The caller's mistake then shows as a wrong result or an illegal access, far from where it was made.",
       "Usually a check is missing on the width against head_dim, on the length against the rows of the cache, or on "
       "the order of cu_seqlens."},
      {Rule::GoodArgumentRejected, "Argument that should have been accepted",
       "The kernel refused arguments that its preconditions allow.",
       "A correct model cannot be run, or falls back to a slow path without a word.",
       "Usually a comparison is off by one, or a check demands a multiple that the kernel does not need."},
      {Rule::CacheMismatch, "Rope cache that differs from its formula",
       "Values of a dumped cache differ from its formula, the configuration's or the recognised one, by more than "
       "float32 and the cache's own format explain, or it has fewer rows than the model has positions.",
       "Tokens at the wrong rows are rotated by wrong angles.",
       "Usually scaling parameters were lost or doubled, the angles were computed in a short format, the buffer was "
       "never filled on this device, or single elements were overwritten later."},
      {Rule::RankMismatch, "Caches of two ranks that differ",
       "The same cache is not the same on two ranks that should hold equal or adjoining parts of it.",
       "Parts of one model rotate by different angles, and the loss or the text goes wrong in a way that no single "
       "rank shows.",
       "Usually one rank computed it before the configuration was complete, or took another rank's shard."},
      {Rule::InitOrder, "Initialisation that depends on the order of events",
       "An order of the initialisation's events that the program allows leaves a rope buffer wrong.",
       "It works on the machine where it was written and fails where ranks or streams are faster or slower.",
       "Usually a buffer is built on the meta device and not reset, broadcast before it is filled, or read by a stream "
       "that did not wait."},
      {Rule::SignatureMismatch, "A call that does not fit the function that it calls",
       "The arguments or results of a call, or the name that it calls, differ from what this version of the called "
       "package defines: in number, order, name or meaning.",
       "Python raises a TypeError or an ImportError when the line is reached, or the call binds and computes something "
       "else.",
       "Usually the caller was written for another version of the package, and nothing in it asks for the version."},
      {Rule::DeviceAssert, "Assertion of the kernel that failed",
       "The kernel itself found a condition false that its author had asserted, and stopped, or it executed a trap.",
       "On a GPU the context is lost and every later call fails with the same error.",
       "Usually an argument is outside of what the kernel is written for: the asserted condition and its line say "
       "which."},
      {Rule::IllegalAddress, "Address that a device could not reach",
       "A device ended the launch because it touched an address that is not mapped there; it does not say which "
       "instruction, and not whether it read or wrote.",
       "The context is lost, every later call fails with the same error, and the one that tells is seldom the one that "
       "was wrong.",
       "Usually an access runs past the end of a tensor, or a tensor lies on another device than the one that runs the "
       "kernel."},
      {Rule::LaunchFailed, "Launch that a device or its driver gave up",
       "The launch, or the process that waited for it, came to no end that says what the kernel did wrong: the "
       "driver's error, as it reported it, is all that is known.",
       "The context is lost with every result in it, and the error's name says little of its cause.",
       "Usually the kernel executed a trap or jumped astray, its stack ran over, or it was launched with a stream or a "
       "context of another device."},
      {Rule::InvalidFree, "Free of what is no allocation",
       "The program gave back an address that is not the start of memory of that kind.",
       "The call fails with an error that is easily overlooked, and the memory that was meant stays taken.",
       "Usually a pointer was moved on before it was freed, or memory is given to the free function of another kind."},
      {Rule::DoubleFree, "Memory that is freed twice", "The program gave back memory that it had given back before.",
       "Between the two calls somebody else may have been given the same address, and then loses what is theirs.",
       "Usually two owners of one buffer both free it, or an error path frees what the normal path frees, too."},
      {Rule::MemoryLeak, "Memory that is never freed", "The program ended without giving back memory of the device.",
       "A long-lived process that does the same runs out of memory.",
       "Usually an early return passes the call that frees, or a buffer is replaced without freeing the old one."},
      {Rule::OverlappingCopy, "Copy that reads what it writes",
       "A copy on the device has its source and its destination in the same bytes.",
       "CUDA promises nothing for such a copy: many threads copy at once, so some of what arrives is the old value and "
       "some the new one, by size and by device.",
       "Usually rows are moved up or down within one buffer, as memmove would do, or a pitch or a length is too "
       "large."},
      {Rule::StreamRace, "Operations of two streams that nothing orders",
       "A kernel, copy or fill of one stream writes bytes that one of another stream reads or writes, and no event, "
       "synchronisation or rule of the default stream says which comes first.",
       "The result depends on how busy the device is, so that the program is right on one device and wrong on another, "
       "or wrong once in a thousand runs.",
       "Usually a stream does not wait for the event that another one records, the event is recorded before the work "
       "that it should stand for, or a stream was made with cudaStreamNonBlocking while the default stream is relied "
       "on."},
  };
  return rules;
}

}  // namespace ropewalk
