#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A sweep as a Slurm array: each task runs one segment of the matrices on a GPU of its own and can
# be submitted again until all is done. Adapt the lines #SBATCH and the paths, then
#   sbatch --array=0-7 scripts/examples/slurm-array.sh configs/e2e-symbolic.json
# The array must begin at 0 without gaps. Figure scripts read the segments' files together:
#   scripts/figures/symbolic_page results-symbolic/e2e-symbolic.segment-*.json --output pages
#SBATCH --job-name=lufact-sweep
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=16
#SBATCH --mem=64G
#SBATCH --time=04:00:00
#SBATCH --signal=INT@120
#SBATCH --requeue
set -euo pipefail

config=${1:?usage: sbatch --array=0-N slurm-array.sh CONFIG.json}
lufact=${LUFACT:-build/app/lufact}
matrices=${MATRICES:-matrices}
name=$(basename "$config" .json)

# exec, so that the signal two minutes before the time limit reaches lufact, which then leaves a
# valid file to go on from.
exec "$lufact" sweep --config "$config" --matrix-dir "$matrices" --output-dir "results-$name" \
  --segments "$SLURM_ARRAY_TASK_COUNT" --segment "$SLURM_ARRAY_TASK_ID" --resume
