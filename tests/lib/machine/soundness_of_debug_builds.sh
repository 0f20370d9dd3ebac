#!/bin/sh
# The pairs of tests/data/machine/soundness, compiled for a debugger (nvcc -G): locals live in local memory, functions are
# called, loops test their condition first. Skipped where there is no nvcc.
#   soundness_of_debug_builds.sh SOURCE_FOLDER TEST_PROGRAM FOLDER
set -eu
source=$1 program=$2 folder=$3
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
pairs=tests/data/machine/soundness
mkdir -p "$folder/$pairs"
for file in "$source/$pairs"/*.cu; do
  name=$(basename "$file" .cu)
  cp "$file" "$folder/$pairs/"
  (cd "$source" && "$nvcc" -G -ptx -arch=sm_80 -I . -o "$folder/$pairs/$name.ptx" "$pairs/$name.cu")
done
cd "$folder"
# Not run: two pairs whose address is chosen by an if with two ways here, in place of a select. Of a number that these give
# the range is not known, and the store is reported at once. One whose delays keep the time in local memory, where it is not
# told from a count: after 64 of them the wait is a hang. Two whose updates go by way of a local variable, and one by a call
# of max.
left=put_into_a_sorted_list,stored_at_one_of_two_pointers,delays_without_a_flag,queue_of_items,relaxed_blocks_count
left=$left,most_of_a_constant
"$program" --gtest_filter="-*$(echo "$left" | sed 's/,/*:*/g')*"
