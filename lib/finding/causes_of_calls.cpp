// The pages of causes that speak of calls from one package into another.
#include "lib/finding/cause_info.h"

namespace ropewalk {

std::vector<CauseInfo> causes_of_calls() {
  return {
      {"required-parameter-added", "A required parameter that the call does not know",
       "The provider's function has a parameter without a default that this call does not give: Python raises a "
       "TypeError when the call is reached, which may be the first backward pass.",
       "The signature of this version, every argument of the call, of which none is for that parameter, and the "
       "versions that take this very call.",
       "Give the argument by name where the version has it, or keep to a version that the caller was written for."},
      {"parameter-removed", "A keyword that the function does not have",
       "The call gives a keyword that the function has no longer in this version: a TypeError.",
       "The signature of this version has no such parameter and takes no further keywords; an earlier version has it.",
       "Pass the keyword only to versions that have it."},
      {"keyword-unknown", "A keyword that this version does not have yet",
       "The call gives a keyword that the function got in a later version: a TypeError.",
       "The signature of this version has no such parameter, no earlier version has one, and it takes no further "
       "keywords. Of sources whose version is not known, or is another one than they say: another version has it.",
       "Give the keyword from the version on that has it."},
      {"name-missing", "A name that the provider does not have",
       "The source imports or uses a name that this version of the provider does not have: an ImportError or an "
       "AttributeError when the line is reached.",
       "The table of this version's functions, which another version's has the name in, or the sources of the module, "
       "which give no such name; no handler of an ImportError or an AttributeError stands around the line.",
       "Import the name where the version has it, or keep to a version that has it."},
      {"too-many-positionals", "More positional arguments than parameters",
       "The call gives more positional arguments than this version of the function has: a TypeError.",
       "The number of arguments in the call and of positional parameters in the signature, and the versions that take "
       "this very call.",
       "Give arguments by name; a private function's order is no promise."},
      {"parameter-inserted", "A parameter inserted before others",
       "The function got a parameter in the middle, so that positional arguments after it land one position on: the "
       "call "
       "binds, and means something else.",
       "An argument that has the name of one parameter lands in another, and the one of its name goes without it; or a "
       "literal lands in a parameter that has no such values. Another version takes this very call.",
       "Give the arguments from there on by name."},
      {"result-tuple-changed", "Results in another order or number",
       "The function returns another tuple than the caller takes apart: an index is out of range, or another tensor "
       "comes under the old index.",
       "What the function returns in this version, the indices that the caller uses, and the versions whose results "
       "they fit.",
       "Choose the indices by the version, or take the results by name where there are names."},
      {"wrong-call", "A call that no known version takes",
       "The call does not fit the function's signature in this version, nor in another one that is known: an argument "
       "is missing, there are too many, one is given twice, or one is none of the parameter's values.",
       "The signature of this version, and every argument of the call; the table has no version that takes the call.",
       "Give the arguments that the function has."},
      {"lse-layout-changed", "log-sum-exp in another shape",
       "The function returns softmax_lse with other dimensions than the caller computes with.",
       "The layout of this version, and a use of the shape that serves versions on both sides of the change alike.",
       "Tell the two shapes apart by the version."},
  };
}

}  // namespace ropewalk
