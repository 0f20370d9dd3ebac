// Values that a source's conditions compare: versions above all, and what they are made of.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/types.h"
#include "lib/compat/python_node.h"
#include "lib/compat/version.h"

namespace ropewalk::compat {

struct PythonConstant {
  enum class Kind : u8 {
    None,
    Truth,
    Number,
    Real,
    Text,
    Version,
    Sequence,
    Set,
    Mapping,     // its items: sequences of a key and a value
    Member,      // of an enumeration: "Mode.NEW" with its value; or an object that is equal to itself alone
    Operation,   // of the module operator: ast's word for it
    Signature,   // of a function: the names of its parameters, and its own as the text
    Parameter,   // of a signature: its name, and its default
    Unread,      // an object of which the text alone is known; as the default of a parameter without one: ""
    Specifiers,  // a set of versions: its text
    Pattern,     // a regular expression: its text
    Match        // of one: its groups, the whole first, and a mapping of those that have names
  };
  // What members of an enumeration are beside themselves: their values (IntEnum), sets of them (Flag), or both.
  enum class Likeness : u8 { None, Value, Flag, Both };
  Kind kind = Kind::None;
  i64 number = 0;  // of Truth 0 or 1; of Signature 1: it takes other arguments as well
  std::string text;
  PackageVersion version;
  std::vector<PythonConstant> items;
  double real = 0;
  Likeness like = Likeness::None;  // of a Member

  static PythonConstant of_truth(bool truth) { return {Kind::Truth, truth}; }
  static PythonConstant of_number(i64 number) { return {Kind::Number, number}; }
  static PythonConstant of_text(std::string text) { return {Kind::Text, 0, std::move(text)}; }
  static PythonConstant of_version(PackageVersion version) { return {Kind::Version, 0, {}, std::move(version)}; }
  static PythonConstant of_items(std::vector<PythonConstant> items) {
    return {Kind::Sequence, 0, {}, {}, std::move(items)};
  }
  // Equal items are one; of equal keys the last one counts.
  static PythonConstant of_set(const std::vector<PythonConstant>& items);
  static PythonConstant of_mapping(const std::vector<std::pair<PythonConstant, PythonConstant>>& pairs);
  static PythonConstant of_member(std::string name, PythonConstant value, Likeness like) {
    return {Kind::Member, 0, std::move(name), {}, {std::move(value)}, 0, like};
  }
  static PythonConstant of_operation(std::string word) { return {Kind::Operation, 0, std::move(word)}; }
  // What int and float make of a text; nullopt where they refuse it.
  static std::optional<PythonConstant> integer(const std::string& text);
  static std::optional<PythonConstant> decimal(const std::string& text);
  static PythonConstant of_real(double real) { return {Kind::Real, 0, {}, {}, {}, real}; }
  static PythonConstant of_signature(std::vector<PythonConstant> names) {
    return {Kind::Signature, 0, {}, {}, std::move(names)};
  }
  // A literal, or else an object that is known by its text.
  static PythonConstant written(const std::string& text);
  // How a source may write the value; "..." where it is none that is known.
  std::string as_written() const;
  double as_real() const { return kind == Kind::Real ? real : double(number); }
  bool operator==(const PythonConstant&) const = default;
  // What `if` makes of it.
  bool truth() const;
  // What a loop goes through; nullopt: nothing that is known.
  std::optional<std::vector<PythonConstant>> elements() const;
  // Of a mapping; null: it has no such key.
  const PythonConstant* value_of(const PythonConstant& key) const;
};

// What `a, *b, c = whole` gives its targets; nullopt where it does not fit, or is no sequence.
std::optional<std::vector<PythonConstant>> taken_apart(const PythonConstant& whole,
                                                       const std::vector<PythonNode>& targets);

// `left word right` as Python computes it, for ast's names of the operators ("LtE", "NotIn"); nullopt where Python
// raises a TypeError.
std::optional<bool> compare(const PythonConstant& left, const std::string& word, const PythonConstant& right);

// `left word right` for ast's names of the other operators ("Add", "BitAnd"); nullopt where it is not known.
std::optional<PythonConstant> operate(const PythonConstant& left, const std::string& word, const PythonConstant& right);

// The whole number that is written out, also with a minus before it; nullopt: the node is none.
std::optional<i64> written_number(const PythonNode& node);

}  // namespace ropewalk::compat
