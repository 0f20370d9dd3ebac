// Names of compilers made readable.
#pragma once
#include <string>
#include <string_view>

namespace ropewalk::reports {

// The text with every word that is a mangled C++ name (Itanium ABI, "_ZZ13reverse_partsE4part") replaced by what it
// stands for, without parameters: "reverse_parts::part", "rotate<float, false>".
std::string readable(std::string_view text);

}  // namespace ropewalk::reports
