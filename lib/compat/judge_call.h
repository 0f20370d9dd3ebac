// One call compared with one signature: does it bind, and does it mean the same?
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/signature.h"

namespace ropewalk::compat {

struct CallProblem {
  enum class Kind : u8 {
    MissingArgument,
    UnknownKeyword,
    TooManyPositionals,
    GivenTwice,    // Python refuses the call
    OtherMeaning,  // it binds, shifted
    ResultIndex,
    ResultMeaning,
    ResultCount,
    ResultIsNoTuple,  // the results are other ones
    LseLayout,        // the same result in another shape
    WrongValue        // it binds, and a literal is none of the parameter's values
  };
  Kind kind = Kind::MissingArgument;
  std::string subject;          // the parameter, keyword or result
  std::string text;             // what is wrong, as the end of a sentence about the call
  u64 line = 0;                 // where it shows; 0: at the call
  std::optional<u64> position;  // of an argument that is given by position

  bool operator==(const CallProblem&) const = default;
};
// Whether Python itself refuses the call with a TypeError.
bool is_refused(CallProblem::Kind kind);

// vocabulary: the names that parameters of this function have in any version; an argument of such a name that lands in
// another parameter, while the one of its name is given something else or once stood at this position, has another
// meaning.
std::vector<CallProblem> judge_call(const Call& call, const Signature& signature, const Vocabulary& vocabulary);

}  // namespace ropewalk::compat
