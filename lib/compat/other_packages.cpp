#include "lib/compat/other_packages.h"

#include "lib/compat/state.h"

namespace ropewalk::compat {
namespace {

bool is_in(const std::set<std::string>& packages, const std::string& module) {
  return packages.count(module.substr(0, module.find('.'))) > 0;
}

}  // namespace

bool is_always_there(const std::string& module) {
  static const std::set<std::string> packages = names_of_words(
      "torch einops packaging os sys math typing re json logging time functools itertools dataclasses enum warnings "
      "platform pathlib contextlib copy collections abc random shutil operator inspect types builtins importlib "
      "__future__ ast argparse asyncio base64 bisect csv ctypes datetime decimal fractions gc glob hashlib heapq io "
      "multiprocessing numbers pickle pprint queue signal socket statistics string struct subprocess tempfile textwrap "
      "threading traceback unittest uuid weakref");
  return is_in(packages, module);
}

bool knows_no_version(const std::string& module) {
  static const std::set<std::string> packages = names_of_words("triton numpy pkg_resources typing_extensions pytest");
  return is_always_there(module) || is_in(packages, module);
}

}  // namespace ropewalk::compat
