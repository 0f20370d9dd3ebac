#include "lib/compat/python_errors.h"

#include <map>
#include <set>

namespace ropewalk::compat {

bool catches(const PythonNode& handler, const std::string& error) {
  static const std::map<std::string, std::set<std::string>> above = {
      {"ModuleNotFoundError", {"ImportError"}},
      {"PackageNotFoundError", {"ModuleNotFoundError", "ImportError"}},
      {"IndexError", {"LookupError"}},
      {"KeyError", {"LookupError"}},
      {"NotImplementedError", {"RuntimeError"}}};
  const auto found = above.find(error);
  bool fits = !handler.one("type");
  visit_nodes(handler.one("type"), [&](const PythonNode& one) {
    const bool is_any = one.word == "BaseException" || (one.word == "Exception" && error != "SystemExit");
    fits = fits || is_any || one.word == error || (found != above.end() && found->second.count(one.word));
  });
  return fits;
}

}  // namespace ropewalk::compat
