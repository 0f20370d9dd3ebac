// Python sources of a package, from wherever it lies: a file, a folder, a wheel or zip, or a source archive.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/compat/read_python.h"

namespace ropewalk::compat {

struct SourceTree {
  std::string path;
  std::string package;                // as its metadata or its topmost folder says; empty: not known
  std::string version;                // as its metadata or __version__ says; empty: not known
  std::string stated;                 // as __version__ of its own says; empty: it does not
  std::vector<SourceText> files;      // .py, sorted by path
  std::vector<std::string> compiled;  // paths of modules that are no Python; of archives of sources none are known
};

// The file of a module of the package that a file alone is in, or beside it; nullopt where there is none such.
std::optional<SourceText> read_neighbour(const SourceText& file, const std::string& module);
// The folder that the module's name counts from.
std::string root_of(const std::string& path, const std::string& module);

// Nothing is executed. Throws InputError where the path cannot be read, is no such thing or holds no Python.
SourceTree read_source_tree(const std::string& path);

}  // namespace ropewalk::compat
