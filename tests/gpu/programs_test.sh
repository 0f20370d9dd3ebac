#!/bin/sh
# The command line on the stand-in driver: programs_test.sh PROGRAM FOLDER, in the root of the repository.
program=$1
report=$2/programs.json
export ROPEWALK_CUDA_DRIVER=self

# expect EXIT_CODE PATTERN WORDS...: what the program ends with, and what its report holds.
expect() {
  wanted=$1
  pattern=$2
  shift 2
  "$program" "$@" --report "$report" --quiet > /dev/null 2>&1
  code=$?
  if [ $code -ne "$wanted" ] || ! grep -q -- "$pattern" "$report"; then
    echo "$* ended with $code, expected $wanted and \"$pattern\":"
    cat "$report"
    exit 1
  fi
}

expect 0 "each tensor ended at an unmapped page" kernel --executor gpu
expect 0 "each tensor started behind an unmapped page" kernel --executor gpu --guards start
expect 0 "tensors lay between guard zones" kernel --executor gpu --guards zones
expect 0 "nothing was put around the tensors" fuzz rotary/apply --executor gpu --guards none --budget 5
expect 0 "each tensor ended at an unmapped page" fuzz rotary/qk --executor instrumented --budget 5
expect 3 "no device 1: there are 1" launch tests/tools/launches/gather_on_another_device.json --executor gpu
export ROPEWALK_STAND_IN_DEVICES=2
expect 1 '"illegal-address"' launch tests/tools/launches/gather_on_another_device.json --executor gpu
expect 1 '"out-of-bounds-write"' kernel faulty/rotary-apply-unguarded --rotary-dim 96 --executor instrumented
