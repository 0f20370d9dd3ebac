#!/bin/sh
# Compiles every header alone. Usage: headers_test.sh COMPILER, in the root of the repository. Kernel headers (.cuh) are
# nvcc's.
set -u
headers=$(find lib kernels reference reports tools -name '*.h' | LC_ALL=C sort)
[ -n "$headers" ] || { echo "no headers found"; exit 1; }
# The header comes by -include into an empty file, so that #pragma once is no main file's.
echo "$headers" | xargs -P "$(nproc)" -I HEADER sh -c '
  "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Wno-missing-field-initializers -Werror -DRW_INSTRUCTION_SET=generic -I. -include "$2" -x c++ /dev/null ||
    { echo "$2 does not compile alone"; exit 1; }' sh "$1" HEADER
