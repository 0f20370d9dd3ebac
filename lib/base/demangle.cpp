#include "lib/base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ropewalk {

namespace {

// Without the "_$_0" that nvcc puts behind the name of a variable whose type has constructors.
std::string without_number(const std::string& name) {
  const std::size_t at = name.rfind("_$_");
  const bool has_number = at != std::string::npos && at + 3 < name.size() &&
                          name.find_first_not_of("0123456789", at + 3) == std::string::npos;
  return has_number ? name.substr(0, at) : name;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(without_number(name).c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return name;
  std::string out = text.get();
  for (std::size_t at; (at = out.find("[abi:")) != std::string::npos;) out.erase(at, out.find(']', at) - at + 1);
  return out;
}

std::string without_parameters(std::string_view demangled) {
  for (const std::string_view qualifier : {" const", " volatile", " &&", " &"}) {
    if (demangled.ends_with(qualifier))
      return without_parameters(demangled.substr(0, demangled.size() - qualifier.size()));
  }
  std::string out;
  int parentheses = 0, angles = 0;
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (size_t at = 0; at < demangled.size(); ++at) {
    if (demangled.substr(at).starts_with(unnamed)) {
      at += unnamed.size() - 1;
      continue;
    }
    const char letter = demangled[at];
    if (letter == '<') ++angles;
    if (letter == '>') --angles;
    if (letter == '(' && angles == 0) ++parentheses;
    if (parentheses == 0) {
      if (letter == ' ' && angles == 0) {
        out.clear();  // what stood before was a returned type
      } else {
        out += letter;
      }
    }
    if (letter == ')' && angles == 0) --parentheses;
  }
  return out;
}

std::string without_template_arguments(std::string_view name) {
  if (!name.ends_with('>')) return std::string(name);
  int angles = 0;
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>') ++angles;
    if (name[at] == '<' && --angles == 0) return std::string(name.substr(0, at));
  }
  return std::string(name);
}

}  // namespace ropewalk
