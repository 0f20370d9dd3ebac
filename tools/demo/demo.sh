#!/bin/sh
# The founding bug and a healthy case. Usage: demo.sh BUILD_FOLDER; leaves BUILD_FOLDER/demo/report.json and ends with 0
# when both came out as they should.
set -u
program="$1/bin/rope-check"
folder="$1/demo"
mkdir -p "$folder"
rm -f "$folder/report.json"

echo "1. rotary_dim = H*D = 512 given where head_dim = 64 was meant, to a kernel without the precondition:"
echo
echo "\$ rope-check case faulty/rotary-apply-unguarded --shape 2,128,8,64 --rotary-dim 512"
"$program" case faulty/rotary-apply-unguarded --shape 2,128,8,64 --rotary-dim 512 --report "$folder/report.json"
faulty=$?

echo
echo "2. The same kernel with its precondition, and a rotary_dim that fits:"
echo
echo "\$ rope-check case rotary/apply --shape 2,128,8,64 --rotary-dim 64"
"$program" case rotary/apply --shape 2,128,8,64 --rotary-dim 64
healthy=$?

echo
if [ "$faulty" != 1 ]; then
  echo "demo failed: the founding bug ended with exit code $faulty, expected 1" >&2
  exit 1
fi
if ! grep -q '"model-width-for-head-dim"' "$folder/report.json"; then
  echo "demo failed: $folder/report.json does not name the cause model-width-for-head-dim" >&2
  exit 1
fi
if [ "$healthy" != 0 ]; then
  echo "demo failed: the healthy case ended with exit code $healthy, expected 0" >&2
  exit 1
fi
echo "The bug is found, the healthy kernel is silent. The report is $folder/report.json."
