// The signature of a Python function: what it can be called with, and what it gives back.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/compat/read_python.h"

namespace ropewalk::compat {

// What the values of a parameter are, or an argument that is a literal.
enum class ValueKind : u8 { Any, Pair, Number, Truth, Text, None, Tensor };
// Of an expression's text: "(-1, -1)", "0.0", "True"; Any: no literal.
ValueKind value_kind_of(const std::string& text);

struct SignatureParameter {
  enum class Kind : u8 { PositionalOnly, Either, KeywordOnly, AnyPositional, AnyKeyword };
  std::string name;
  Kind kind = Kind::Either;
  std::optional<std::string> default_text;  // none: the argument is required
  ValueKind values = ValueKind::Any;        // as far as the table tells: Pair, Number, Truth or Tensor
  // In another version a parameter that is True or False stands at this position, and this one never is.
  bool takes_place_of_truth = false;
};

struct Signature {
  std::string name;    // "_flash_attn_forward"
  std::string module;  // "flash_attn.flash_attn_interface"; empty: not known
  std::vector<SignatureParameter> parameters;
  std::vector<std::string> returns;  // names of what it returns, one: that value itself; empty: not known
  std::string flag;                  // the parameter that asks for more results; empty: none is known
  std::vector<std::string> flagged;  // what it returns where the flag is true
  std::string lse_layout;            // dimensions of the returned log-sum-exp; empty: not known
  std::string file;                  // where it was read; empty: the shipped table
  u64 line = 0;
};

// Names that parameters of a function have, and the positions that they have among positional arguments.
using Vocabulary = std::map<std::string, std::set<size_t>>;
void add_names(const Signature& signature, Vocabulary& names);

// Every function that the file's module has by name (those in classes and functions are not).
std::vector<Signature> read_signatures(const PythonFile& file);
// "_flash_attn_forward(q, k, v, dropout_p=0.0)".
std::string text_of(const Signature& signature);

}  // namespace ropewalk::compat
