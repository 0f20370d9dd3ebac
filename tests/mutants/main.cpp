// Makes mutants of our kernels and tells which of them the checks, the reference and the relations find.
#include <fmt/format.h>

#include <cstdio>

#include "lib/base/error.h"
#include "tests/mutants/options.h"
#include "tests/mutants/run.h"

int main(int count, char** words) {
  using namespace ropewalk;
  try {
    const mutants::Options options = mutants::parse_options({words + 1, words + count});
    if (options.help) {
      fmt::print("{}", mutants::help_text());
      return 0;
    }
    return mutants::run(options);
  } catch (const InputError& error) {
    fmt::print(stderr, "mutants: {}\n", error.what());
    return 2;
  }
}
