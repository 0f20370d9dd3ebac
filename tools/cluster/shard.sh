#!/bin/sh
# Runs one shard of a campaign: shard.sh INDEX COUNT FOLDER [options of rope-check fuzz]
# Leaves FOLDER/shard-INDEX.json. Run again, it does nothing where that report is whole; a shard that was stopped before
# its end (a signal, a requeued job) is run again. Ends with 0 where there is a whole report, whatever it says: the
# verdict is that of `rope-check merge`. ROPE_CHECK names the program where it is not in PATH.
set -u

if [ $# -lt 3 ]; then
  echo "usage: shard.sh INDEX COUNT FOLDER [options of rope-check fuzz]" >&2
  exit 2
fi
index=$1 count=$2 folder=$3
shift 3
report="$folder/shard-$index.json"

is_whole() { [ -s "$report" ] && ! grep -q '"stopped": true' "$report"; }

if is_whole; then
  echo "shard $index of $count: $report is there"
  exit 0
fi
mkdir -p "$folder" || exit 2
rm -f "$report"
"${ROPE_CHECK:-rope-check}" fuzz "$@" --shard "$index/$count" --report "$report" --quiet
code=$?
if is_whole; then exit 0; fi
echo "shard $index of $count: no whole report (exit code $code)" >&2
[ "$code" -ne 0 ] || code=1
exit "$code"
