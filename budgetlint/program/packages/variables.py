"""The environment that a program is started in: what the launch exports, and what nobody says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.noted import UNKNOWN
from budgetlint.program.objects import Handler
from budgetlint.program.packages.plain import unknown
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.values import ABSENT, NONE, Absent, Choice, Key, Known, Map, Open, Unset, Value, Way

ENVIRONMENT = "environment"
"""The loader of a mapping that is ``os.environ`` or a copy of it."""

_SET_BY_OTHERS = re.compile(
    r"(?:LOCAL_|GROUP_|NODE_|GLOBAL_|ROLE_)?(?:RANK|WORLD_SIZE)|MASTER_|TORCH_NCCL|TORCHELASTIC_|TORCHRUN_|NCCL_|GLOO_|CUDA_|CUBLAS_|NVIDIA_"
    r"|\w+_VISIBLE_|ROLE_|KMP_|XLA_|ZE_|AWS_|FORK_LAUNCHED|SLURM|PBS_|LSB_|OMPI_|PMI_|NODE|NNODES|NPROC|NUM_NODES|NUM_GPUS|OMP_NUM"
    r"|ACCELERATE_|FSDP_|DEEPSPEED_|DYNAMO_"
    r"|PARALLELISM_CONFIG_|MIXED_PRECISION|HOME$|USER$|PATH$|PWD$|SHELL$|LANG$|TMP(?:DIR)?$|TEMP(?:DIR)?$|HOST|LOGNAME$|LD_LIBRARY_PATH|PYTHONPATH|CONDA_"
    r"|VIRTUAL_ENV|HF_|HUGGING|TRANSFORMERS_|XDG_|SM_|KUBERNETES_|AZUREML_|RAY_|COLAB_|KAGGLE_|JUPYTER"
    r"|.*(?:TOKEN|API_KEY|SECRET|PASSWORD|CREDENTIALS|_CACHE|CACHE_DIR)"
)
"""Variables that are set where no command of the repository sets them: by launchers, Slurm, MPI, the container, the shell, the machine.

Sources: torch 2.13 ``distributed/elastic/agent/server/local_elastic_agent.py`` ``_start_workers``; accelerate 1.15 ``utils/launch.py``.
Those of batch systems, containers and shells go by their usual names: one that is left open costs a default.
"""


def unset(it: Interpreter, base: Map, key: Value, default: Value | None, call: Call) -> Value:
    """``os.environ.get(NAME, default)``: what the launch or the program set; else the default.

    A call without a default, and a variable that launchers or machines set, stays open.
    """
    name = text_of(key)
    if name is None:
        return unknown("a variable of a name that is not known", [key])
    value = base.items.get(name, ABSENT)
    if not isinstance(value, Absent) and not any(way.value is ABSENT for way in alternatives(value)):
        return value
    otherwise = _by_nobody(it, name, default, call) if base.rest is not None else NONE if default is None else default
    if isinstance(value, Choice):
        return choice(way if way.value is not ABSENT else Way(way.when, otherwise) for way in value.ways)
    return otherwise


def _by_nobody(it: Interpreter, name: str, default: Value | None, call: Call) -> Value:
    origin = Origin("environment", it.place(call.node, call.frame), name)
    if any(one.kind == UNKNOWN for one in it.doubts):  # code that nobody knows may have set it
        return Open("environment", name, (origin,))
    if name not in it.launched.unset and _SET_BY_OTHERS.match(name):
        return Open("environment", name, (origin,))
    if default is None or (isinstance(default, Known) and default.value is None):
        return Unset("environment", name, (origin,))
    return Known(default.value, (origin, *default.origins)) if isinstance(default, Known) else default


def _environ(started: Launched) -> Value:
    """``os.environ``: a variable that is not there is somebody's to set."""
    made = Map(dict[Key, Value](started.environment.items()), Open("environment", ""))
    made.loader = ENVIRONMENT
    return made


def environ(it: Interpreter) -> Map | None:
    """The environment of this program."""
    found = it.parts.constants.get("os.environ")
    return found if isinstance(found, Map) else None


def _getenv(it: Interpreter, call: Call) -> Value:
    base, key = environ(it), call.get("key", 0)
    if base is None or key is None or call.rest is not None:
        return unknown("os.getenv", call.given(), "os")
    return it.each(key, lambda one: unset(it, base, one, call.get("default", 1), call))


def _putenv(it: Interpreter, call: Call) -> Value:
    """``os.putenv`` is not seen in ``os.environ``; what the program starts sees it."""
    return NONE


FUNCTIONS: dict[str, Handler] = {"os.getenv": _getenv, "os.putenv": _putenv}
MADE: Mapping[str, Callable[[Launched], Value]] = {"os.environ": _environ}
"""What each program has of its own, by the qualified name of the constant."""
