// The side that is called: a package's functions, from the shipped table or from its Python sources.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/signature.h"
#include "lib/compat/state.h"
#include "lib/compat/version.h"

namespace ropewalk::compat {

struct Provider {
  std::string name;     // as it is reported: "flash-attn 2.6.3"
  std::string package;  // "flash-attn"
  std::optional<PackageVersion> version;
  // What its __version__ is where that is another one: `version` is what its metadata says.
  std::optional<PackageVersion> stated;
  std::vector<Signature> signatures;
  std::string sources;                                 // their path; empty: the table
  std::vector<std::string> notes;                      // for the reader
  std::map<std::string, std::set<std::string>> names;  // of sources: see module_names.h
  bool from_table = false;

  // The function of this module and name; of this name alone where `module` is empty. nullptr: there is none.
  const Signature* find(const std::string& module, const std::string& function) const;
  ProviderView view() const;
};

// What the shipped table tells of one package.
struct SignatureTable {
  std::string package, module;
  std::vector<PackageVersion> versions;  // ascending

  struct Change {
    PackageVersion from;
    Signature signature;
  };
  std::vector<std::vector<Change>> functions;  // each ascending

  // Throws InputError, with the nearest version that there is, where the table does not know this one.
  Provider at(const std::string& version) const;
  Provider at(const PackageVersion& version) const;
  // The names that the function's parameters have in any version.
  Vocabulary vocabulary(const std::string& function) const;
  // What values a parameter of this name has, as the defaults of all versions agree on it.
  ValueKind values_of(const std::string& parameter) const;
  std::map<std::string, ValueKind> values;
};

const SignatureTable& shipped_signatures();
// Functions of flash-attn 1, which the table does not have, and what 2.0 calls them.
const std::map<std::string, std::string>& renamed_by_flash_attn_2();

// `spec`: "flash-attn==2.6.3" (the shipped table), or the path of Python sources (see source_tree.h). `version` says
// what sources do not tell of themselves, or is empty. Throws InputError.
Provider load_provider(const std::string& spec, const std::string& version);

}  // namespace ropewalk::compat
