// A finding: one defect with its location, its evidence, its cause and the command that shows it again.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/rule.h"

namespace ropewalk {

enum class Severity : u8 { Error, Warning, Note };
std::string_view name_of(Severity severity);

struct SourcePosition {
  std::string file;  // as the PTX names it, in the form of SourcePaths
  u64 line = 0, column = 0;
  std::string function;
};

// Where the defect shows. file is empty where the PTX has no source lines.
struct FindingLocation {
  std::string file;
  u64 line = 0, column = 0;
  std::vector<SourcePosition> inlined;  // the chain of calls, innermost first
  std::string ptx_file;
  u64 ptx_line = 0;
  std::string instruction;  // the PTX instruction's text
};

struct Access {
  std::string space;                      // "global", "shared", "local", "const", "param"
  u64 bytes = 0;                          // of this access
  std::string tensor;                     // or the name of a variable; empty: none known
  std::optional<i64> argument;            // number of the kernel argument that the address came by
  std::optional<std::vector<i64>> index;  // element; runs past the shape where the access is outside
  std::vector<i64> shape;
  std::string dtype;                  // of the tensor
  std::optional<i64> byte_offset;     // from the tensor's start
  std::optional<i64> bytes_past_end;  // of the access's first byte beyond the end: 0 is the first byte outside
  std::optional<i64> bytes_before_start;
  std::string region;  // the declared region or index statement that was left
};

// Of a race: what would order its two sides. An instruction that hands a value from one thread to another, and what it
// is not, though all that is missing is that it were.
struct MissingOrder {
  enum class Is : u8 { Release, Acquire, OfDevice };  // OfDevice: its scope includes threads of other blocks
  Is is = Is::Release;
  FindingLocation location;
};

// A barrier of the block that a launch was run with once more, and that ended a race, or a read of what nobody had
// written.
struct TriedBarrier {
  enum class Where : u8 { Before, BeforeLoop, EndOfLoop };  // of the location: of its loop
  Where where = Where::Before;
  FindingLocation location;
  std::optional<FindingLocation> branch_back;  // of the loop
};

struct ThreadId {
  u32 block[3] = {0, 0, 0};
  u32 thread[3] = {0, 0, 0};
};
// "thread (1, 0, 0) of block (0, 0, 0)".
std::string text_of(const ThreadId& id);

struct Occurrences {
  u64 accesses = 0, threads = 0, blocks = 0, cases = 1;
  bool at_least = false;   // there were more, which nobody counted
  std::vector<u32> ranks;  // ascending: of a program's processes, those that met it; empty: it has no ranks
};

struct Numbers {
  std::optional<double> got, expected, bound;
  std::optional<std::vector<i64>> index;
};

struct Cause {
  std::string id;    // one of design's stable names
  std::string text;  // what happened, with the figures of this case
  std::vector<std::string> evidence;
  std::string advice;
};

// Why a finding does not fail the run: it was known before, or somebody suppressed it.
struct Waiver {
  enum class By : u8 { Baseline, Suppression };
  By by = By::Baseline;
  std::string reason;  // as the report says it: the suppression's reason, or which report knew it
};
// "baseline", "suppression".
std::string_view name_of(Waiver::By by);

// Which elements of a tensor were hit, for pictures: element offsets in row-major order of the declared shape, or
// beyond it. A bounded sample: `complete` says whether all are there.
struct Footprint {
  std::string tensor;
  std::vector<i64> shape;
  std::vector<i64> elements;  // sorted, unique
  bool complete = true;
  std::vector<float> errors;  // by element, over what is allowed; empty: the hits are no numbers that differ
};

struct Finding {
  std::string
      id;  // 8 hex digits of (rule, kernel by name, location, tensor): the same defect has the same id in every run
  // The id of another finding of the report that differs in its cause alone, from which `id` was made; empty: there is
  // none.
  std::string shared_id;
  Rule rule = Rule::OutOfBoundsRead;
  Severity severity = Severity::Error;
  std::string message;
  std::string kernel_name, kernel_entry;
  std::string
      ptx_hash;  // 16 hex digits of the PTX that ran, so that a replay can tell that it changed; empty: not given
  std::optional<FindingLocation> location;
  std::optional<Access> access;
  std::optional<u64> address;  // of an access that is in nothing known, where there is no `access`; not in reports
  std::optional<ThreadId> thread;
  std::optional<ThreadId> other_thread;  // the other side of a race
  std::optional<FindingLocation> other_location;
  bool across_blocks = false;                 // of a race: threads of two blocks were seen to race; not in reports
  std::vector<MissingOrder> missing_orders;   // of a race: together they would end it; not in reports
  std::vector<TriedBarrier> tried_barriers;   // together they end it; not in reports,
  std::optional<TriedBarrier> other_barrier;  // nor this one, that does it in place of the last of them
  Occurrences occurrences;
  std::optional<Numbers> numbers;
  std::optional<Cause> cause;
  std::string case_text, minimal_case, replay;
  std::optional<u64> case_number;     // of that case in a campaign: of equal findings the first is the example
  std::vector<std::string> related;   // "fla-org/flash-linear-attention#180"
  std::vector<std::string> evidence;  // further facts a person wants to see (candidates where no cause is claimed)
  Footprint footprint;
  std::optional<Waiver> waiver;  // set: it does not fail the run
};

// A finding that was met once, of a kernel (or a call of the driver) as a whole.
Finding finding_once(Rule rule, std::string message, std::string kernel_name, std::string kernel_entry);

// Fills in the id from what identifies the defect. Of an absolute path in it counts what travels (travelling_name).
void identify(Finding& finding);
// The id that all findings of this rule, kernel, location and tensor have, whatever their cause.
inline const std::string& defect_id(const Finding& finding) {
  return finding.shared_id.empty() ? finding.id : finding.shared_id;
}
// The id of the n-th finding of that defect_id with this cause, where another finding has the defect_id itself.
std::string own_id(const Finding& finding, u64 n = 0);

}  // namespace ropewalk
