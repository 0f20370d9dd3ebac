// What is known of a caller's variables at one location of its source, on one way through it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/constant.h"
#include "lib/compat/python_node.h"
#include "lib/compat/shared_map.h"
#include "lib/compat/version.h"

namespace ropewalk {

// A value as far as it bears on calls: anything else is Unknown.
struct AbstractValue {
  enum class Kind : u8 { Unknown, Function, Module, Keywords, Positionals, Constant, Result };
  Kind kind = Kind::Unknown;
  std::string name;                        // of the function or the module
  std::string module;                      // of the function
  std::vector<NamedText> items;            // Keywords: name and text; Positionals: texts
  bool open = false;                       // there may be more items
  size_t call = 0;                         // Result: number of the call
  std::optional<PythonConstant> constant;  // of a Constant, and of Positionals that are made of some

  bool operator==(const AbstractValue&) const = default;
};

// What a comparison with texts has shown of an expression: `format == "thd"`.
struct TextDomain {
  std::optional<std::set<std::string>> among;
  std::set<std::string> excluded;
  bool operator==(const TextDomain&) const = default;
};

struct PythonState {
  SharedMap<AbstractValue> values;
  SharedMap<bool> decided;  // conditions that cannot be computed, and what this way took them for
  SharedMap<TextDomain> domains;
  std::set<std::string> unclear;  // version tests that cannot be computed, on whose outcome this way depends
  bool operator==(const PythonState&) const = default;

  const AbstractValue* find(const std::string& name) const;
  // Gives the name a value; what was decided about the name no longer holds.
  void set(const std::string& name, AbstractValue value);
  // What was true of these names and attributes may be so no longer; mappings and functions are what they were.
  void doubt(const std::set<std::string>& names);
  // The same for equal states.
  size_t hash() const;
};

// The provider as a caller's source sees it.
struct ProviderView {
  std::string package;                                         // "flash-attn"
  std::optional<PackageVersion> version;                       // none: not known, and no version test can be computed
  std::map<std::string, std::set<std::string>> modules;        // functions that there are, by module
  std::map<std::string, std::vector<std::string>> parameters;  // names, by "module.function"
  std::set<std::string> other_names;  // functions that other versions have and this one has not; of the table alone
};

bool same_package(const std::string& a, const std::string& b);

// The version that a flag's name states: 2.6.0 of _flash_attn_2_6_0_plus and v2_6_0_plus.
std::optional<PackageVersion> version_in_name(const std::string& name);

}  // namespace ropewalk
