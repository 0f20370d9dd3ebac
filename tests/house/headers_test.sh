#!/bin/sh
# Every header compiles alone. Usage: headers_test.sh COMPILER, in the root of the repository.
#
# A header that is the first include of a .cpp is compiled alone whenever that file is built. What is left is compiled
# here, by -include into an empty file. Kernel headers (.cuh) are nvcc's.
set -u
folders="lib kernels reference reports tools"
all=$(find $folders -name '*.h' | LC_ALL=C sort)
[ -n "$all" ] || { echo "no headers found"; exit 1; }
first=$(find $folders tests -name '*.cpp' ! -path '*/fuzz/*' -exec awk '/^#include/ { print $2; exit }' {} ';' | tr -d '"<>' | LC_ALL=C sort -u)
left=$(printf '%s\n' "$all" | grep -Fxv "$first")
[ -n "$left" ] || exit 0
echo "$(echo "$left" | wc -l) of $(echo "$all" | wc -l) headers are compiled here"
echo "$left" | xargs -P "$(nproc)" -I HEADER sh -c '
  "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Wno-missing-field-initializers -Wno-psabi -Werror \
       -DRW_INSTRUCTION_SET=generic -I. -include "$2" -x c++ /dev/null ||
    { echo "$2 does not compile alone"; exit 1; }' sh "$1" HEADER
