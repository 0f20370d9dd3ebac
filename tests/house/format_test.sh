#!/bin/sh
# C++ sources are as clang-format 14 (Debian 12's) leaves them by .clang-format; `make format` makes them so. Data of tests is
# left as it is: checked-in PTX names its lines.
set -eu
if ! clang-format --version 2>/dev/null | grep -q "version 14"; then
  echo "skipped: clang-format 14 is not installed"
  exit 77
fi
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  echo "skipped: this is no git checkout"
  exit 77
fi
files=$(git ls-files '*.h' '*.cpp' | grep -v '^tests/data/')
# shellcheck disable=SC2086  # names without spaces
[ "$(echo "$files" | wc -l)" -gt 1000 ] && clang-format --dry-run -Werror $files
