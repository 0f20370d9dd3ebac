// What a finding says in words beside its message. Every format for people shows the same words.
#pragma once
#include <string>
#include <vector>

#include "reports/report.h"

namespace ropewalk::reports {

// A labelled line. Names in it come from files: a writer escapes it.
struct Fact {
  std::string label;   // "tensor": at most nine letters
  std::string text;    // "out (argument 0), bf16[2, 128, 8, 64]"
  std::string remark;  // of less weight: "(PTX line 212)"; may be empty
};

// The instruction, the tensor, the element, the threads, how often it was seen, and the numbers; what is not known is
// left out.
std::vector<Fact> facts_of(const Finding& finding);

// "kernels/rotary/apply.cu:41:5"; where the PTX has no source lines the PTX file and its line.
std::string location_text(const FindingLocation& location);
std::string location_text(const SourcePosition& position);

// The calls that the location was inlined by, innermost first: "rotate<float>, inlined at apply.cu:77:3".
std::vector<std::string> inlining_of(const FindingLocation& location);

// The kernel's name, or where it has none its entry in the PTX.
const std::string& kernel_of(const Finding& finding);

// The message, the cause, what to do, and how to see it again, for pages that have one text for a finding.
std::string sentences_of(const Finding& finding);

// "1 case", "3 cases", "2 launches".
std::string counted(u64 count, std::string_view word);

// What a finding was met in: "launch" or "case".
std::string_view case_noun(const Finding& finding);

}  // namespace ropewalk::reports
