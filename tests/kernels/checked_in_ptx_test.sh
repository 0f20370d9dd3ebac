#!/bin/sh
# checked_in_ptx_test.sh ROOT FOLDER: builds all checked-in PTX into FOLDER and compares it with what the repository keeps.
# Exit 77 (skipped) where there is no nvcc, or another release of it than the one that made the checked-in PTX.
set -eu
root=$1
folder=$2
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [ ! -x "$nvcc" ]; then
  echo "skipped: no nvcc, so nothing says whether the checked-in PTX is stale"
  exit 77
fi
cd "$root"
release=$(sed -n 's/^.*release \([0-9.]*\),.*$/\1/p' kernels/ptx/rotary_apply.ptx)
if ! "$nvcc" --version | grep -q "release $release,"; then
  echo "skipped: the checked-in PTX was made by nvcc $release, and this one is $("$nvcc" --version | sed -n 's/^.*release \([0-9.]*\),.*$/\1/p')"
  exit 77
fi
# What was found current and has not changed since is current.
sources=$(find kernels tests \( -name '*.cu' -o -name '*.cuh' -o -name '*.ptx' -o -path 'kernels/*.h' \) | LC_ALL=C sort)
state=$(cat $sources kernels/build_ptx.sh "$0" | cksum)
if [ "$(cat "$folder/current" 2>/dev/null)" = "$state" ]; then
  echo "unchanged since the last comparison"
  exit 0
fi
rm -rf "$folder"
NVCC=$nvcc kernels/build_ptx.sh --into "$folder"
status=0
for made in $(cd "$folder" && find . -name '*.ptx' | LC_ALL=C sort); do
  if ! cmp -s "$folder/$made" "$made"; then
    echo "stale: $made, rebuild it with kernels/build_ptx.sh"
    status=1
  fi
done
for kept in $(find kernels tests -name '*.ptx' | LC_ALL=C sort); do
  source=${kept%.ptx}.cu
  if [ ! -e "$folder/$kept" ] && { [ -e "$source" ] || [ "${kept#kernels/}" != "$kept" ]; }; then
    echo "without a source: $kept"
    status=1
  fi
done
[ $status -ne 0 ] || echo "$state" >"$folder/current"
exit $status
