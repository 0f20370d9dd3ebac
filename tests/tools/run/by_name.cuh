// Programs of which NAME does wrong what NAME-right does right.
#pragma once
#include <cstddef>
#include <cstring>

struct NamedProgram {
  const char* name;
  void (*run)(bool is_right);
};

// What main returns.
template <std::size_t count>
int run_by_name(const NamedProgram (&programs)[count], const char* word) {
  const std::size_t length = std::strlen(word);
  const bool is_right = length > 6 && !std::strcmp(word + length - 6, "-right");
  for (const NamedProgram& program : programs) {
    if (std::strlen(program.name) != length - 6 * is_right ||
        std::strncmp(program.name, word, std::strlen(program.name)))
      continue;
    program.run(is_right);
    return 0;
  }
  return 2;
}
