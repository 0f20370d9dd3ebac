// What a fuzz harness demands of a reader.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace ropewalk {

inline void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

// A refusal is one line that begins with the file's name.
inline void require_message(const std::string& message, const std::string& path) {
  require(message.rfind(path, 0) == 0 && message.find('\n') == std::string::npos,
          "a message without a location or with more than one line", message);
}

}  // namespace ropewalk
