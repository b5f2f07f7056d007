#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One search of GSoFa on several hosts with several GPUs each, as a Slurm job: a rank for each host,
# with all GPUs of it. Adapt the lines #SBATCH and the paths, then
#   sbatch scripts/examples/slurm-ranks.sh matrices/audikw_1.mtx
# lufact itself runs once, on the first host, and starts lufact-rank on all of them. The matrix is
# read there. Slurm must know the MPI that lufact-rank was built with (srun --mpi=list); with
# LAUNCHER='mpirun -n {ranks} --map-by ppr:1:node' Open MPI starts the ranks in place of srun.
#SBATCH --job-name=lufact-ranks
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=32
#SBATCH --exclusive
#SBATCH --time=00:30:00
#SBATCH --signal=B:INT@60
set -euo pipefail

matrix=${1:?usage: sbatch slurm-ranks.sh MATRIX.mtx}
lufact=${LUFACT:-build/app/lufact}
default_launcher='srun --mpi=pmix --ntasks={ranks} --ntasks-per-node=1'
launcher=${LAUNCHER:-$default_launcher}
ranks=$SLURM_JOB_NUM_NODES
devices=$(seq -s, 0 $((${SLURM_GPUS_ON_NODE:?the job has no GPUs} - 1)))

# exec, so that the signal a minute before the time limit reaches lufact, which then leaves a valid
# file.
exec "$lufact" run --matrix "$matrix" --mode gsofa --until symbolic --repetitions 3 \
  --ranks "$ranks" --launcher "$launcher" --devices "$devices" \
  --output "ranks-$(basename "${matrix%%.*}")-$ranks.json"
