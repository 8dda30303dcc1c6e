"""Variables that surroundings set without anybody's doing: a login, a scheduler, a launcher, a container. What nobody sets is not empty
for them, it is not known."""

from __future__ import annotations

_NAMES = frozenset((
    "BASH", "BASHPID", "COLUMNS", "DISPLAY", "EUID", "GROUPS", "HOME", "HOSTNAME", "HOSTTYPE", "IFS", "LANG", "LD_LIBRARY_PATH", "LINES",
    "LOGNAME", "MACHTYPE", "MAIL", "OLDPWD", "OPTARG", "OPTIND", "OSTYPE", "PATH", "PPID", "PWD", "PYTHONPATH", "RANDOM", "SECONDS",
    "SHELL", "SHLVL", "TERM", "TMPDIR", "TZ", "UID", "USER", "VIRTUAL_ENV",
    "CI", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT", "NNODES",
    "NPROC_PER_NODE", "GPU_NUM_DEVICES", "HOSTFILE", "JOB_ID", "TASK_ID", "SGE_TASK_ID", "AWS_BATCH_JOB_NODE_INDEX",
))  # fmt: skip
_BEGINNINGS = (
    "SLURM_", "SLURMD_", "SBATCH_", "PBS_", "LSB_", "OMPI_", "PMI_", "MPI_", "MLP_", "PET_", "CUDA_", "NVIDIA_", "ROCR_", "HIP_", "CONDA_",
    "BASH_", "KUBERNETES_", "SM_", "SKYPILOT_", "GITHUB_", "RUNPOD_", "ARNOLD_", "VC_", "COLAB_", "AZUREML_", "XDG_", "SSH_",
)  # fmt: skip


def is_surroundings(name: str) -> bool:
    """May a machine, a scheduler or a launcher have set it?"""
    return name in _NAMES or name.startswith(_BEGINNINGS)
