// .npy files put together by hand, for tests.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace ropewalk {

// A version 1 file with this header text and these data bytes.
inline std::string npy_file(const std::string& header, const std::string& data, int version = 1) {
  std::string file("\x93NUMPY", 6);
  file += {char(version), '\0', char(header.size() & 0xff), char(header.size() >> 8)};
  if (version > 1) file += {'\0', '\0'};
  return file + header + data;
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace ropewalk
