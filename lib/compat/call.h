// A call that a caller's source makes of a provider's function, as it is for one version of the provider.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::compat {

// An argument or a result's use: its text, and what the text says it is ("rng_state" of "ctx.rng_state").
struct NamedText {
  std::string name;
  std::string text;
  bool operator==(const NamedText&) const = default;
};

// The name that a plain expression ends with: "dropout_p" of "ctx.dropout_p", "q" of "q_", "softmax_lse_per_step" of
// "softmax_lse_per_step[i]" with `subscripts`. Empty where the expression is none.
std::string name_in(const std::string& text, bool subscripts);

// How "whether this is reached" goes on where a test decides that cannot be computed; empty for none.
std::string depends_on(const std::string& test);

// `name = outputs[index]`; below 0 from the end.
struct ResultUse {
  i64 index = 0;
  std::string name;
  u64 line = 0;
  bool operator==(const ResultUse&) const = default;
};

struct Call {
  std::string function;  // the provider's name for it
  std::string module;    // that it was imported from; empty: not known
  std::string file;
  u64 line = 0;
  std::string scope;                    // "Attention.forward"; empty: the module itself
  std::vector<std::string> positional;  // texts
  std::vector<NamedText> keywords;
  bool more_positional = false;  // a *sequence that cannot be read off the source
  bool more_keywords = false;    // a **mapping that cannot be read off the source
  std::vector<ResultUse> uses;
  std::optional<u64> unpacked;  // number of targets of `a, b = f()`
  bool unpacks_rest = false;    // one of them has a star
  std::string lse_layout;       // dimensions that the caller takes log-sum-exp to have; empty: it does not say
  std::string lse_text;         // the caller's line that shows it
  std::string lse_unclear;      // why whether that is so is not known
  std::string unclear;          // why whether it is made so is not known: how "whether this is reached" goes on
  bool refusal_caught = false;  // a TypeError is caught, and something else is done
};

// A name that a source imports from the provider, or uses of one of its modules, and that this version does not have.
struct MissingName {
  std::string module, name;
  std::string file;
  u64 line = 0;
  std::string scope;
  bool imported = false;  // else used as an attribute
  std::string unclear;    // as of a call
};

// A function of the provider that is handed on, so that its calls are not followed from there.
struct LostFunction {
  std::string function;  // empty: it is looked up by a name that cannot be computed
  std::string file;
  u64 line = 0;
  std::string text;  // of the expression that hands it on
  bool operator==(const LostFunction&) const = default;
};

}  // namespace ropewalk::compat
