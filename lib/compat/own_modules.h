// The modules of the caller's own package: what their names stand for once they have been imported, for one version of
// the provider.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/read_python.h"
#include "lib/compat/state.h"

namespace ropewalk::compat {

class VersionTests;

// The file of a module of the caller's own package, as `from` asks for it; null where it has none such.
using FindModule = std::function<const PythonFile*(const PythonFile& from, const std::string& module)>;

// Whether another file of the package gives the name of the file's module, or the attribute of its class, something
// else, or puts something into it: `flags.HAS_SOFTCAP = ..`, `CAPS["softcap"] = ..`. By its words alone.
using IsWrittenElsewhere = std::function<bool(const PythonFile& file, const std::string& name)>;

// "a.b.utils" of "..utils" in a module of the package a.b.c.
std::string absolute_module(const std::string& module, const PythonFile& file);

class OwnModules {
 public:
  // `other`: of another version, which knows the version tests already.
  OwnModules(FindModule find_module, const ProviderView& provider, const OwnModules* other = nullptr,
             IsWrittenElsewhere is_written_elsewhere = {});
  ~OwnModules();

  const ProviderView& provider() const { return provider_; }
  // Of an Imported value what its module has given the name, on all ways through it alike, or the module itself.
  // Unknown: it has no such name, it gives it several values, or the modules import each other in a circle. Any other
  // value is what it is.
  AbstractValue resolved(const AbstractValue& value) const { return resolved(value, 0); }
  // What `from module import *` gives.
  std::map<std::string, AbstractValue> all_of(const PythonFile& from, const std::string& module) const;
  // The values of the file's names that are the same on all ways on which its own statements come to an end; null while
  // they are walked.
  const SharedMap<AbstractValue>* values_of(const PythonFile& file) const;
  // Whether the value is imported from a module of the package.
  bool has(const AbstractValue& value) const;
  // That module's file; null: it is no imported value, or there is none.
  const PythonFile* file_of(const AbstractValue& value) const;
  // Whether the file gives the name, or the attribute, what compares with other versions than the release alone.
  bool denies(const PythonFile& file, const std::string& name, const PackageVersion& release) const;
  // Attributes of modules and classes that the file gives something, "flags.HAS_SOFTCAP", and names of collections that
  // it puts something into. Those of self are left out.
  const std::set<std::string>& given_in(const PythonFile& file) const;

  // Whether the imported name is made of the provider's version, or may be: nothing is known of where it comes from.
  enum class Origin : u8 { Other, Version, NotThere };
  Origin origin_of(const AbstractValue& imported) const;
  // The same of an attribute or a method of an object that is imported: as its module's classes make it.
  Origin origin_of_attribute(const AbstractValue& object, const std::string& attribute, int depth) const;
  // The module that is imported, by its own name; Unknown: it is no module.
  AbstractValue module_of(const AbstractValue& imported) const;
  // Of the file's own names; null while they are collected.
  const VersionTests* tests_of(const PythonFile& file) const;

 private:
  AbstractValue resolved(const AbstractValue& value, int depth) const;
  bool is_written_elsewhere(const PythonFile& file, const std::string& name) const {
    return is_written_elsewhere_ && is_written_elsewhere_(file, name);
  }
  // Whether the value is what the file itself imports by that name from its own package, and not from a submodule:
  // `from . import name` in an __init__.py.
  bool is_itself(const AbstractValue& value, const PythonFile& file, const std::string& name) const;

  FindModule find_module_;
  IsWrittenElsewhere is_written_elsewhere_;
  const ProviderView& provider_;
  const OwnModules* const other_;
  mutable std::map<const PythonFile*, SharedMap<AbstractValue>> values_;
  mutable std::map<const PythonFile*, std::unique_ptr<VersionTests>> tests_;
  mutable std::map<std::pair<const PythonFile*, std::string>, bool> denied_;
  mutable std::map<const PythonFile*, std::set<std::string>> given_;
  mutable std::set<const PythonFile*> walked_, collected_;  // at the moment
  mutable std::set<std::pair<const PythonFile*, std::string>>
      asked_names_;  // the same: names whose origin is asked for
};

}  // namespace ropewalk::compat
