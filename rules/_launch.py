"""What the command that starts a run says beside the settings: was there a launcher at all?"""

from __future__ import annotations

import re

from budgetlint.base.expression import expression
from budgetlint.base.numerals import small
from budgetlint.rule import OriginKind, RunContext, Scalar, Setting, Span

_PYTHON = expression(r"(?:^|[\s/=;&|(\"'])python(?:\d(?:\.\d+)?)?\s")
_SRUN = expression(r"\bsrun\b(?!.*\s(?:-n|--ntasks|--ntasks-per-node)\b)", re.DOTALL)
_LAUNCHER = expression(
    r"\b(?:accelerate|torchrun|deepspeed\s|torch\.distributed|composer|mpirun|mpiexec|srun|horovodrun|torch_xla|xtuner|FORCE_TORCHRUN)\b"
)


def command_text(run: RunContext) -> str:
    """The command as written; empty where none starts the run, or all that it says stands in files."""
    for reading in run.run.readings:
        document, root = reading.document, reading.document.mapping
        if document.is_command and root is not None and document.program not in ("job", ""):  # a job spans its script
            span: Span = root.span
            return document.source.text[span.start : span.end]
    return ""


def is_alone(run: RunContext) -> bool:
    """A bare ``python train.py`` starts the run: one process, whatever the machine has."""
    devices = run.setting("devices")
    if devices is not None and devices.origin.kind is OriginKind.DERIVED and devices.origin.note.endswith("python starts one process"):
        return True
    head, script, _ = command_text(run).partition(".py")
    return bool(script and _PYTHON.search(head)) and not _LAUNCHER.search(head)


def visible(run: RunContext) -> Setting | None:
    """``CUDA_VISIBLE_DEVICES`` of the command or the script around it, as the number of devices it names."""
    for reading in run.run.readings:
        if reading.document.is_command and reading.document.program == "environment":
            setting = reading.settings.get("devices_per_node")
            for one in (setting, *setting.overrode) if setting is not None else ():
                if one.origin.key == "CUDA_VISIBLE_DEVICES" and one.known:
                    return one
    return None


def asked_of_slurm(run: RunContext) -> tuple[Setting, int] | None:
    """The GPUs of each machine that the ``#SBATCH`` lines of the script around the command ask for, and how often ``srun`` starts the
    command there: ``--ntasks-per-node``, where ``srun`` has no number of its own."""
    from budgetlint.launch.slurm import is_slurm, read_slurm  # most commands stand in no job script

    for reading in run.run.readings:
        if reading.document.is_command and is_slurm(reading.document.source):
            request, job, _ = read_slurm(reading.document.source)
            if request.gpus is not None and request.origin is not None:
                tasks = job.get("ntasks_per_node")
                times = small(tasks.text) if isinstance(tasks, Scalar) and _SRUN.search(command_line(run)) else None
                return Setting("gres", request.gpus, request.origin, str(request.gpus)), times or 1
    return None


def command_line(run: RunContext) -> str:
    """The whole line of the command, what stands before its launcher too."""
    for reading in run.run.readings:
        document, root = reading.document, reading.document.mapping
        if document.is_command and root is not None and document.program not in ("job", "environment", ""):
            text: str = document.source.text
            start = text.rfind("\n", 0, root.span.start)
            while start > 0 and text[start - 1] == "\\":  # the line before goes on
                start = text.rfind("\n", 0, start)
            return text[start + 1 : root.span.end]
    return ""
