#!/bin/sh
# Runs a campaign as a Slurm job array: slurm.sh SHARDS FOLDER [options of rope-check fuzz]
# Submits one task a shard and, after them all, a job that merges their reports into FOLDER/report.json, and prints the
# numbers of both jobs. FOLDER must be one that all nodes see. A task that dies with its node is requeued; a shard
# without a report is named by the merge, whose exit code is the campaign's. sbatch reads the partition, the time limit
# and the like from its own variables (SBATCH_PARTITION, SBATCH_TIMELIMIT ...). ROPE_CHECK names the program where it
# is not in PATH.
set -eu

if [ $# -lt 2 ]; then
  echo "usage: slurm.sh SHARDS FOLDER [options of rope-check fuzz]" >&2
  exit 2
fi
shards=$1 folder=$2
shift 2
case $shards in
'' | *[!0-9]* | 0*) echo "slurm.sh: expected a number of shards of at least 1, found \"$shards\"" >&2; exit 2 ;;
esac
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)

# The words as a shell reads them back.
quoted() {
  for word in "$@"; do
    printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
  done
}

array=$(sbatch --parsable --requeue --job-name=rope-check --array="0-$((shards - 1))" --output="$folder/shard-%a.log" \
  --open-mode=append --wrap "exec$(quoted "$here/shard.sh") \$SLURM_ARRAY_TASK_ID$(quoted "$shards" "$folder" "$@")")
merge=$(sbatch --parsable --job-name=rope-check-merge --dependency="afterany:$array" --output="$folder/merge.log" \
  --wrap "exec$(quoted "$here/merge.sh" "$folder")")
echo "shards: job $array, merge: job $merge, report: $folder/report.json"
