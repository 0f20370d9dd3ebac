#!/bin/sh
# Runs a campaign with GNU parallel: parallel.sh SHARDS FOLDER [options of rope-check fuzz]
# HOSTS="a,b,4/c" names the hosts as --sshlogin of parallel does (with ssh keys; the repository's folder and FOLDER must
# be seen by all of them under the same path); without it all shards run here, as many at once as there are cores. A
# shard that fails is tried once more. Then merges, and ends as the campaign does: 0 clean, 1 findings, 3 where a shard
# is missing. ROPE_CHECK names the program where it is not in PATH.
set -eu

if [ $# -lt 2 ]; then
  echo "usage: parallel.sh SHARDS FOLDER [options of rope-check fuzz]" >&2
  exit 2
fi
shards=$1 folder=$2
shift 2
case $shards in
'' | *[!0-9]* | 0*) echo "parallel.sh: expected a number of shards of at least 1, found \"$shards\"" >&2; exit 2 ;;
esac
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
ROPE_CHECK=$(command -v "${ROPE_CHECK:-rope-check}") || { echo "parallel.sh: there is no program rope-check" >&2; exit 2; }
export ROPE_CHECK

# parallel's own exit code counts failed shards; which are missing, merge.sh says.
seq 0 "$((shards - 1))" |
  parallel ${HOSTS:+--sshlogin "$HOSTS"} --workdir "$PWD" --env ROPE_CHECK --retries 2 --quote --will-cite \
    "$here/shard.sh" {} "$shards" "$folder" "$@" || true
exec "$here/merge.sh" "$folder"
