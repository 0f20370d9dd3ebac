// The rules: every kind of defect that the suite can report.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

enum class Rule : u8 {
  OutOfBoundsRead, OutOfBoundsWrite, IndexOutOfField, MisalignedAccess, UninitializedRead, UseAfterFree, SharedRace,
  GlobalRace, BarrierDivergence, InactiveLaneRead, IndexOverflow, NonfiniteOrigin, Hang, LaunchLimit, OutputMismatch,
  OutputNotWritten, NondeterministicOutput, BadArgumentAccepted, GoodArgumentRejected, CacheMismatch, RankMismatch,
  InitOrder, SignatureMismatch, DeviceAssert, IllegalAddress, LaunchFailed
};

struct RuleInfo {
  Rule rule;
  std::string_view name;    // "out-of-bounds-read"
  std::string_view title;   // a few words for headings
  std::string_view means;   // three sentences: what it means,
  std::string_view hurts;   // why it hurts,
  std::string_view causes;  // what usually causes it
};

const std::vector<RuleInfo>& all_rules();
const RuleInfo& info_of(Rule rule);
inline std::string_view name_of(Rule rule) { return info_of(rule).name; }
std::optional<Rule> rule_named(std::string_view name);

}  // namespace ropewalk
