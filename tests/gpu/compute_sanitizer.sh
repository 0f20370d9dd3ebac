#!/bin/sh
# Stands in for compute-sanitizer in tests: takes its options, runs the command, and counts a launch that failed as an error.
while [ "${1#--}" != "$1" ]; do
  shift 2
done
"$@"
code=$?
[ $code -eq 1 ] && echo "========= ERROR SUMMARY: 1 error" || echo "========= ERROR SUMMARY: 0 errors"
exit $code
