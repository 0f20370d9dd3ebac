// Values that a source's conditions compare: versions above all, and what they are made of.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/compat/python_node.h"
#include "lib/compat/version.h"

namespace ropewalk {

struct PythonConstant {
  enum class Kind : u8 {
    None,
    Truth,
    Number,
    Real,
    Text,
    Version,
    Sequence,
    Signature  // of a function: the names of its parameters
  };
  Kind kind = Kind::None;
  i64 number = 0;  // of Truth 0 or 1
  std::string text;
  PackageVersion version;
  std::vector<PythonConstant> items;
  double real = 0;

  static PythonConstant of_truth(bool truth) { return {Kind::Truth, truth, {}, {}, {}, 0}; }
  static PythonConstant of_number(i64 number) { return {Kind::Number, number, {}, {}, {}, 0}; }
  static PythonConstant of_text(std::string text) { return {Kind::Text, 0, std::move(text), {}, {}, 0}; }
  static PythonConstant of_version(PackageVersion version) { return {Kind::Version, 0, {}, std::move(version), {}, 0}; }
  static PythonConstant of_items(std::vector<PythonConstant> items) {
    return {Kind::Sequence, 0, {}, {}, std::move(items), 0};
  }
  // What int and float make of a text; nullopt where they refuse it.
  static std::optional<PythonConstant> integer(const std::string& text);
  static std::optional<PythonConstant> decimal(const std::string& text);
  static PythonConstant of_real(double real) { return {Kind::Real, 0, {}, {}, {}, real}; }
  static PythonConstant of_signature(std::vector<PythonConstant> names) {
    return {Kind::Signature, 0, {}, {}, std::move(names), 0};
  }
  double as_real() const { return kind == Kind::Real ? real : double(number); }
  bool operator==(const PythonConstant&) const = default;
  // What `if` makes of it.
  bool truth() const;
};

// What `a, *b, c = whole` gives its targets; nullopt where it does not fit, or is no sequence.
std::optional<std::vector<PythonConstant>> taken_apart(const PythonConstant& whole,
                                                       const std::vector<PythonNode>& targets);

// `left word right` as Python computes it, for ast's names of the operators ("LtE", "NotIn"); nullopt where Python
// raises a TypeError.
std::optional<bool> compare(const PythonConstant& left, const std::string& word, const PythonConstant& right);

}  // namespace ropewalk
