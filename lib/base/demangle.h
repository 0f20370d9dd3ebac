// Names of C++ functions as people write them.
#pragma once
#include <string>
#include <string_view>

namespace ropewalk {

// "void rotate<float>(float*, int)" of "_Z6rotateIfEvPT_i" (Itanium ABI); a name that is not mangled stays.
// ABI tags are left out: Numba's have a kernel's types once more.
std::string demangled(const std::string& name);

// What is demangled without parameters, returned type and unnamed namespaces: "rotate<float>".
std::string without_parameters(std::string_view demangled);

// The same without the template arguments at its end: "ns::rotate".
std::string without_template_arguments(std::string_view name);

}  // namespace ropewalk
