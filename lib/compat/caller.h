// The side that calls: a package's calls, from the shipped table, from JSON, or from its Python sources.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/provider.h"
#include "lib/compat/read_python.h"

namespace ropewalk::compat {

// What a caller does with one version of a provider.
struct CallerCalls {
  std::vector<Call> calls;
  std::vector<MissingName> missing;
  std::vector<LostFunction> lost;
  std::vector<std::pair<std::string, std::string>> unreadable;  // files, and why; the others were read
  std::vector<std::string> notes;
};

class Caller {
 public:
  virtual ~Caller() = default;
  virtual std::string name() const = 0;  // as it is reported: "transformer-engine 1.13"
  // No calls: the caller does not use this version.
  virtual CallerCalls calls_of(const Provider& provider) const = 0;
};

// `spec`: "transformer-engine==1.13" (the shipped table), the path of a .json file (schema ropewalk.calls/1), or the
// path of Python sources; of those only files that name one of the provider's modules are read. Throws InputError.
std::unique_ptr<Caller> load_caller(const std::string& spec, const Provider& provider);

// "transformer-engine==1.11" and its like, of every release that the shipped table knows, ascending.
std::vector<std::string> shipped_callers();

}  // namespace ropewalk::compat
