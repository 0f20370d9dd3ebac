#!/bin/sh
# Rebuilds the checked-in PTX: kernels/build_ptx.sh [--into FOLDER] [FILE.cu...]
#
# Without files: every kernel of kernels/ and tests/ that is not part of a program (as all of tests/tools/run is). The PTX of
# kernels/rotary/apply.cu is kept as kernels/ptx/rotary_apply.ptx, that of kernels/faulty/Y.cu as kernels/ptx/Y.ptx, that of
# tests/X/Y.cu as tests/X/Y.ptx. With --into the tree is left alone and the same paths are made below FOLDER (a test compares
# them). Paths in .file are those from the root of the repository; headers of the toolkit are under cuda/include. NVCC names
# the compiler.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd -P)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
into=.
if [ "${1:-}" = "--into" ]; then
  into=$2
  shift 2
fi
[ $# -gt 0 ] || set -- $(find kernels tests -path tests/tools/run -prune -o -name '*.cu' -exec grep -L '^int main(' {} + | LC_ALL=C sort)
if [ $# -gt 1 ]; then
  printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 kernels/build_ptx.sh --into "$into"
  exit
fi
for source in "$@"; do
  source=${source#./}
  case $source in
    kernels/*)
      stem=${source#kernels/}
      stem=${stem#faulty/}
      target=kernels/ptx/$(echo "${stem%.cu}" | tr / _).ptx
      ;;
    *) target=${source%.cu}.ptx ;;
  esac
  mkdir -p "$into/$(dirname "$target")"
  "$nvcc" -ptx -arch=sm_80 -lineinfo -O3 -I . "$source" -o "$into/$target.new"
  # Names of the toolkit's static functions have a number from the folder's path in them, in the debug section byte by
  # byte: _INTERNAL_3a4ca52b_ becomes _INTERNAL_00000000_. So have names of unnamed namespaces (_GLOBAL__N__).
  sed -E -e "s|\"$root/\./|\"|; s|\"$root/|\"|" \
    -e 's|^([[:space:]]*\.file[[:space:]]*[0-9]*[[:space:]]*)"/[^"]*/include/|\1"cuda/include/|' \
    -e 's|(95,73,78,84,69,82,78,65,76,95,)([0-9]+,){8}95,|\148,48,48,48,48,48,48,48,95,|g' \
    -e 's/(_INTERNAL|_GLOBAL__N_)_[0-9a-f]{8}_/\1_00000000_/g' \
    "$into/$target.new" >"$into/$target.rewritten"
  rm "$into/$target.new"
  mv "$into/$target.rewritten" "$into/$target"
done
