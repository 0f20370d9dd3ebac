#!/bin/sh
# Merges the reports of a campaign's shards: merge.sh FOLDER [options of rope-check merge]
# Reads FOLDER/shard-*.json, writes FOLDER/report.json, and ends as the campaign does: 0 clean, 1 findings, 3 where a
# shard is missing. ROPE_CHECK names the program where it is not in PATH.
set -u

if [ $# -lt 1 ]; then
  echo "usage: merge.sh FOLDER [options of rope-check merge]" >&2
  exit 2
fi
folder=$1
shift
set -- "$folder"/shard-*.json --report "$folder/report.json" "$@"
if [ ! -e "$1" ]; then
  echo "merge.sh: no shard left a report in $folder" >&2
  exit 3
fi
exec "${ROPE_CHECK:-rope-check}" merge "$@"
