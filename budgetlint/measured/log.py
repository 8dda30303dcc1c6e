"""Memory figures in the log of a training run: which quantity each trainer prints, in which unit it really is.

Trainers mean other things by one word: ``memory`` is the allocator's pool to some and what tensors hold to others, and ``GB`` is 2^30
bytes to most. Each wording has its source beside it. The most over the whole log counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from budgetlint.base import numerals
from budgetlint.base.record import record
from budgetlint.base.units import GB, GIB, KIB, MIB

NUMBER = r"(?P<number>[0-9][0-9,]*(?:\.[0-9]+)?)"
LONGEST = 8_192
"""Characters of a line that are looked at."""


@record
class Wording:
    """``metric``: which total it is; ``unit``: bytes of one."""

    metric: str
    pattern: re.Pattern[str]
    unit: int


@record
class LoggedPeaks:
    """The most of each metric, bytes, with the line that says it; ``device`` and ``torch`` where the log names them."""

    figures: dict[str, int]
    lines: dict[str, int]
    device: str = ""
    torch: str = ""


def _wording(metric: str, text: str, unit: int) -> Wording:
    return Wording(metric, re.compile(text.replace("NUMBER", NUMBER), re.IGNORECASE), unit)


WORDINGS = (
    # budgetlint.probe.callback
    _wording("allocated", r"\bmeasured peak=NUMBERB metric=\"?allocated", 1),
    _wording("reserved", r"\bmeasured peak=.* reserved=NUMBERB", 1),
    # axolotl 0.18 utils/callbacks and core/trainers: torch.cuda.max_memory_{allocated,reserved} / 2**30
    _wording("allocated", r"memory/max_(?:mem_|memory_)?alloc(?:ated)?\s*\(gib\)['\"]?\s*[:=]\s*NUMBER", GIB),
    _wording("reserved", r"memory/device_(?:mem|memory)_reserved\s*\(gib\)['\"]?\s*[:=]\s*NUMBER", GIB),
    # torchtitan 0.2 components/metrics.py: reserved_bytes.all.peak / 2**30
    _wording("reserved", r"memory/max_reserved\(gib\)['\"]?\s*[:=]\s*NUMBER", GIB),
    _wording("reserved", r"\bmemory:\s*NUMBERGiB\(", GIB),
    # torchtune 0.6 training/memory.py get_memory_stats: GiB
    _wording("allocated", r"\bpeak_memory_alloc['\"]?\s*[:=]\s*NUMBER", GIB),
    _wording("reserved", r"\bpeak_memory_reserved['\"]?\s*[:=]\s*NUMBER", GIB),
    # LitGPT 0.5 finetune/lora.py: torch.cuda.max_memory_allocated() / 1e9
    _wording("allocated", r"\bmemory used:\s*NUMBER\s*GB", GB),
    # ms-swift 3 trainers/mixin.py get_max_cuda_memory: max_memory_reserved / 2**30
    _wording("reserved", r"['\"]?memory\(GiB\)['\"]?\s*:\s*NUMBER", GIB),
    # Unsloth's notebooks: torch.cuda.max_memory_reserved() / 1024 / 1024 / 1024, printed as GB
    _wording("reserved", r"\bpeak reserved memory = NUMBER\s*GB", GIB),
    # Megatron-LM megatron/training/utils.py report_memory: MB is 2**20
    _wording("allocated", r"\bmemory \(MB\) \|.*\bmax allocated:\s*NUMBER", MIB),
    _wording("reserved", r"\bmemory \(MB\) \|.*\bmax reserved:\s*NUMBER", MIB),
    # DeepSpeed runtime/utils.py see_memory_usage: GB is 2**30
    _wording("allocated", r"\bMax_MA NUMBER\s*GB", GIB),
    _wording("reserved", r"\bMax_CA NUMBER\s*GB", GIB),
    # nvidia-smi's table, and --query-gpu=memory.used,memory.total --format=csv
    _wording("device_total", r"\|\s*NUMBERMiB\s*/\s*\d+MiB\s*\|", MIB),
    _wording("device_total", r"^\s*NUMBER MiB,\s*\d+ MiB\s*$", MIB),
)

UNITS = {"": 1, "b": 1, "bytes": 1, "kib": KIB, "mib": MIB, "gib": GIB, "kb": 1000, "mb": 10**6, "gb": GB}
_NAMED = re.compile(
    rf"max_memory_(?P<metric>allocated|reserved)(?:\(\))?['\"]?\s*(?:is|[:=])?\s*{NUMBER}\s*(?P<unit>bytes|[KMG]i?B|B)?\b", re.IGNORECASE
)
"""torch's own function and a figure behind it, in the unit that is written; bytes where none is."""

_TELLING = ("emory", "EMORY", "MiB", "Max_MA", "measured")
_DEVICE = re.compile(r"\bmeasured peak=.*\bdevice=\"([^\"]+)\"|\|\s*\d+\s+((?:NVIDIA|Tesla|GeForce|Quadro|AMD)[\w \-]*?)\s{2,}")
_TORCH = re.compile(r"\bmeasured peak=.*\btorch=\"([\d.]+)|\b(?:py)?torch(?: version)?\s*[:=]+\s*v?(\d+\.\d+(?:\.\d+)?)", re.IGNORECASE)


def read_log(lines: Iterable[str]) -> LoggedPeaks:
    """Every figure of a known wording. Lines are looked at once, a log of any length takes no memory."""
    figures: dict[str, int] = {}
    where: dict[str, int] = {}
    device = torch = ""
    for number, line in enumerate(lines, 1):
        line = line[:LONGEST]
        device, torch = device or _first(_DEVICE, line), torch or _first(_TORCH, line)
        if not any(word in line for word in _TELLING):
            continue
        for metric, size in _found(line):
            if size > figures.get(metric, 0):
                figures[metric], where[metric] = size, number
    return LoggedPeaks(figures, where, device, torch)


def _first(pattern: re.Pattern[str], line: str) -> str:
    found = pattern.search(line)
    return next((group.strip() for group in found.groups() if group), "") if found else ""


def _found(line: str) -> Iterable[tuple[str, int]]:
    for wording in WORDINGS:
        for found in wording.pattern.finditer(line):
            yield wording.metric, _bytes(found["number"], wording.unit)
    for found in _NAMED.finditer(line):
        yield found["metric"].lower(), _bytes(found["number"], UNITS[(found["unit"] or "").lower()])


def _bytes(number: str, unit: int) -> int:
    """Exact: the digits as a fraction of the unit; 0 for more digits than a figure has."""
    if len(number) > numerals.LONGEST:
        return 0
    whole, _, part = number.replace(",", "").partition(".")
    scale: int = 10 ** len(part)
    return int(whole + part) * unit // scale
