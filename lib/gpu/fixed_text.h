// Text in memory that processes share.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace ropewalk::gpu {

// As much of the text as there is room for, and a zero behind it.
template <std::size_t bytes>
void copy_text(char (&to)[bytes], std::string_view text) {
  const std::size_t count = std::min(text.size(), bytes - 1);
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

}  // namespace ropewalk::gpu
