// Reads Python sources by Python's own parser: python3's ast, handed over as JSON. Nothing of them is executed.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/compat/python_node.h"

namespace ropewalk::compat {

// A Python file that was read.
struct PythonFile {
  std::string path;    // as it is reported: inside an archive its member's path
  std::string module;  // "flash_attn.flash_attn_interface"
  std::vector<PythonNode> statements;
};

struct SourceText {
  std::string path;    // as it is reported: the file's, or the archive's member
  std::string module;  // from the topmost folder that is a package
  std::string text;
};

// There is no python3 that could read sources, or it failed: nothing can be reported of them.
class NoPython : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A text that is no Python that python3 knows, with Python's own words.
struct UnreadablePython {
  size_t source;  // its number among those that were to be read
  InputLocation location;
  std::string why;
};

// The others are read. Throws NoPython.
std::vector<PythonFile> read_python(const std::vector<const SourceText*>& sources,
                                    std::vector<UnreadablePython>& unreadable);
// Throws InputError "path:line:column: ..." with Python's own words where a text is no Python that it knows; NoPython.
std::vector<PythonFile> read_python(const std::vector<const SourceText*>& sources);
PythonFile read_python(std::string path, std::string text);

}  // namespace ropewalk::compat
