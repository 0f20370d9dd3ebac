// What is known of a caller's variables at one location of its source, on one way through it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/constant.h"
#include "lib/compat/read_python.h"
#include "lib/compat/shared_map.h"
#include "lib/compat/version.h"

namespace ropewalk::compat {

// A value as far as it bears on calls: anything else is Unknown.
struct AbstractValue {
  enum class Kind : u8 {
    Unknown,
    Function,  // the provider's
    Module,    // the provider's
    Imported,  // from elsewhere: what it is, its module says (see own_modules.h)
    Defined,   // a function that a source defines
    Class,     // that a source defines
    Keywords,
    Positionals,
    Constant,
    Result
  };
  Kind kind = Kind::Unknown;
  std::string name;    // of the function or the provider's module; Imported: what is imported, empty: the module itself
  std::string module;  // of the function; Imported: that it comes from
  const PythonFile* file = nullptr;        // that imports or defines it
  const PythonNode* definition = nullptr;  // of a function or class that a source defines
  // Keywords: name and text; Positionals: texts; Function: of partial(f, ..); Result: names of all results, where they
  // are known.
  std::vector<NamedText> items;
  bool open = false;                       // there may be more items
  size_t call = 0;                         // Result: number of the call
  std::optional<PythonConstant> constant;  // of a Constant, and of Positionals that are made of some

  bool operator==(const AbstractValue&) const = default;
  static AbstractValue of(PythonConstant constant);
  // A collection of which nothing is known yet.
  static AbstractValue of_more(Kind kind);
  // Whether it is a mapping or a sequence of arguments.
  bool is_collection() const { return kind == Kind::Keywords || kind == Kind::Positionals; }
  // What `if` makes of a collection, and whether a mapping has the key; nullopt: not all items are known.
  std::optional<bool> has_items() const;
  std::optional<bool> has_key(const std::string& key) const;
  // There may be more items, and of a mapping other values for these keys.
  void blur();
  // Of a mapping: sets or replaces a key, and takes one away.
  void put(const std::string& key, const std::string& text);
  void erase_key(const std::string& key);
  // Adds the items of another one of the kind; there may be more where it is none.
  void join(const AbstractValue& other, Kind of_kind);
};

// What a comparison with texts has shown of an expression: `format == "thd"`.
struct TextDomain {
  std::optional<std::set<std::string>> among;
  std::set<std::string> excluded;
  bool operator==(const TextDomain&) const = default;
};

struct PythonState {
  SharedMap<AbstractValue> values;
  SharedMap<AbstractValue> globals;  // inside a function: the module's names
  bool in_function = false;
  SharedMap<bool> decided;  // conditions that cannot be computed, and what this way took them for
  SharedMap<TextDomain> domains;
  std::set<std::string> unclear;      // version tests that cannot be computed, on whose outcome this way depends
  std::set<std::string> at_run_time;  // names whose truth no version decides on this way, though one has a part in it
  bool operator==(const PythonState&) const = default;
  // See Call::unclear.
  std::string why_unclear() const;

  const AbstractValue* find(const std::string& name) const;
  const SharedMap<AbstractValue>& module_values() const { return in_function ? globals : values; }
  // Gives the name a value; what was decided about the name no longer holds.
  void set(const std::string& name, AbstractValue value);
  // What was true of these names and attributes may be so no longer; mappings and functions are what they were.
  void doubt(const std::set<std::string>& names);
  // These collections of arguments may have got others.
  void open_items(const std::set<std::string>& assigned, const std::set<std::string>& changed);
  // What is known of the items of these collections may be so no longer.
  void forget_items(const std::set<std::string>& names);
  // The same for equal states.
  size_t hash() const;
};

// The provider as a caller's source sees it.
struct ProviderView {
  std::string package;                                         // "flash-attn"
  std::optional<PackageVersion> version;                       // none: not known, and no version test can be computed
  std::map<std::string, std::set<std::string>> modules;        // functions that there are, by module
  std::map<std::string, std::vector<std::string>> parameters;  // names, by "module.function"
  std::map<std::string, std::vector<std::optional<std::string>>> defaults;  // of these, as texts; none: it is required
  std::set<std::string> takes_any;  // of these, the functions that take *args or **kwargs
  // Names of the results of these functions that return several, and always the same ones.
  std::map<std::string, std::vector<std::string>> returns;
  std::set<std::string> other_names;  // functions that other versions have and this one has not; of the table alone
  std::map<std::string, std::set<std::string>> names;  // of sources: see module_names.h
  std::optional<PackageVersion> stated;                // what its __version__ is, where that is another one
};

// Whether the text of an expression has the name in it, as a name of its own.
bool mentions(const std::string& text, const std::string& name);
// The text with another name, or attribute, in its place.
std::string renamed(std::string text, const std::string& name, const std::string& as);

// "a b" as a set of names.
std::set<std::string> names_of_words(const std::string& words);

bool same_package(const std::string& a, const std::string& b);

// The version that a flag's name states: 2.6.0 of _flash_attn_2_6_0_plus and v2_6_0_plus.
std::optional<PackageVersion> version_in_name(const std::string& name);

}  // namespace ropewalk::compat
