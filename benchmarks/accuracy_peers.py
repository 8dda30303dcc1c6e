"""The estimators on PyPI, each in a virtual environment of its own, asked for the rows that its interface can express.

The rows are single-GPU runs of Hugging Face code without fused kernels, for which all of them are meant, measured and simulated.
Every peer is given the exact parameter counts and sizes, and its own overheads (context, safety margins) are taken off, for the
figures are allocated memory.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from accuracy_score import DATA, Outcome
from rows import Row, architecture_of_name, model_of

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "budgetlint-peers"
INSTALL_S, ASK_S = 300, 120
FLOOR = 1e-4
"""A ratio of medians takes budgetlint's for at least this: below lies the rounding of blocks."""

# Recipes that every peer can be told: autocast over fp32 weights and over a trained 16-bit base is left out.
MODES = {"bf16": "bf16", "fp32": "fp32", "lora_bf16_autocast": "bf16"}
ALL_LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@dataclass(frozen=True, slots=True)
class Peer:
    """``probe`` is a script in `peers/`; without one, ``note`` says why the peer is not asked."""

    package: str
    probe: str = ""
    note: str = ""


PEERS = (
    Peer("vramcalc", "ask_vramcalc.py", "full and LoRA; five model families"),
    Peer("torch-preflight", "ask_torch_preflight.py", "full and LoRA as a frozen fraction"),
    Peer("peft-doctor", "ask_peft_doctor.py", "formula over parameters, width and depth"),
    Peer("fitcheck-llm", "ask_fitcheck.py", "full, LoRA and QLoRA"),
    Peer("canifinetune", "ask_canifinetune.py", "full, LoRA and QLoRA; aims at reserved memory"),
    Peer("fitscout", "ask_fitscout.py", "full, LoRA and QLoRA"),
    Peer("accelerate", note="`estimate-memory` loads the model from the Hub by name and prints multiples of its size: no batch, no length"),
    Peer("deepspeed", note="its estimators count model states only, for ZeRO, and building it asks for torch: no activations to compare"),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """A peer's errors on the rows it took, and budgetlint's on the same rows. Shares."""

    name: str
    on: str = ""
    version: str = ""
    rows: int = 0
    median: float = 0
    p90: float = 0
    ours_median: float = 0
    ours_p90: float = 0
    ratio: float = 0
    refused: int = 0
    note: str = ""


def peers(outcomes: Sequence[Outcome], only: str | None = None, *, keep: bool = False) -> str:
    """Ask, and say how they stand; ``keep`` writes `data/peers.jsonl`, which the page shows."""
    asked = [one for one in outcomes if _askable(one)]
    found = [standing for peer in PEERS if only in (None, peer.package) for standing in _stand(peer, asked)]
    if keep:
        lines = (json.dumps(asdict(one)) for one in found)
        (DATA / "peers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "\n".join(map(_line, found))


def _line(one: Standing) -> str:
    if not one.rows:
        return f"{one.name:<18}{one.note}"
    ours = f"budgetlint {one.ours_median:.2%} and {one.ours_p90:.1%}, ratio {one.ratio:,.0f}"
    theirs = f"median {one.median:.1%}, p90 {one.p90:.1%}"
    return f"{one.name:<18}{one.version:<8}{one.rows:>4} {one.on:<10}{theirs}; {ours} ({one.refused} refused)"


def _askable(one: Outcome) -> bool:
    """No peer can be told of fused kernels or of a GPTQ base."""
    row = one.row
    if "case" in row:
        return bool(one.comparisons) and row["method"] in MODES and row["model"] != "bert-large" and row["case"].get("opt") is None
    plain = not row.get("kernels") and str(row.get("loss")).startswith("HF standard") and "gptq" not in row["method"]
    return plain and one.family.startswith("fms-") and one.world == 1 and one.of("allocated") is not None


def _run(one: Outcome) -> dict[str, Any]:
    """A row in words that every probe understands: the config.json fields and the knobs."""
    estimate = one.estimate
    arch = architecture_of_name(one.row["model"] if "case" in one.row else model_of(one.row))
    assert arch is not None and estimate is not None
    config = {
        "model_type": arch.family, "hidden_size": arch.hidden, "num_hidden_layers": arch.layers, "num_attention_heads": arch.heads,
        "num_key_value_heads": arch.kv_heads, "head_dim": arch.head_dim, "intermediate_size": arch.moe_intermediate or arch.intermediate,
        "vocab_size": arch.vocab, "tie_word_embeddings": arch.tied,
    }  # fmt: skip
    base = {
        "id": one.id, "model": one.row["model"], "config": config, "params": estimate.params, "trainable": estimate.trainable_params,
        "gated": arch.glu, "experts": arch.experts or 1, "experts_per_token": arch.experts_per_token or 1,
    }  # fmt: skip
    return base | (_simulated(one.row["case"]) if "case" in one.row else _measured(one.row))


def _measured(row: Row) -> dict[str, Any]:
    lora: Row = row.get("lora") or {}
    return {
        "method": row["method"], "rank": lora.get("rank"), "targets": [name for name in lora.get("targets", ()) if name != "c_attn"],
        "double": "double" in str(row.get("quant")), "dtype": "fp16" if "fp16" in str(row.get("weights")) else "bf16",
        "batch": row["batch"], "seq": row["seq"], "checkpointing": not str(row["recompute"]).startswith("none"), "attention": "flash",
    }  # fmt: skip


def _simulated(case: Row) -> dict[str, Any]:
    lora: Row = case.get("lora") or {}
    named = lora.get("targets", [])
    return {
        "method": "lora" if lora else "full", "rank": lora.get("r"), "targets": ALL_LINEAR if named == ["all-linear"] else named,
        "double": False, "dtype": MODES[case["mode"]], "batch": case["batch"], "seq": case["seq"],
        "checkpointing": case["checkpointing"] != "none", "attention": case["attention"],
    }  # fmt: skip


def _stand(peer: Peer, asked: Sequence[Outcome]) -> list[Standing]:
    """How it stands on measured and on simulated rows; one line with the reason where it cannot be asked."""
    if not peer.probe:
        return [Standing(peer.package, note=peer.note)]
    python = _installed(peer.package)
    said = python if isinstance(python, str) else _said(python, peer.probe, [_run(one) for one in asked])
    if isinstance(said, str) or isinstance(python, str):
        return [Standing(peer.package, note=str(said))]
    version = _version(python, peer.package)
    groups = {"measured": [one for one in asked if "case" not in one.row], "simulated": [one for one in asked if "case" in one.row]}
    return [_standing(peer, version, name, rows, said) for name, rows in groups.items()]


def _standing(peer: Peer, version: str, name: str, asked: Sequence[Outcome], said: Mapping[str, int]) -> Standing:
    pairs = [(one, figure) for one in asked if (figure := one.of("allocated")) and one.id in said]
    if not pairs:
        return Standing(peer.package, name, version, note="took no row")
    theirs = [abs(said[one.id] / figure.bytes - 1) for one, figure in pairs]
    ours = [abs(figure.error) for _, figure in pairs]
    mine = median(ours)
    return Standing(
        peer.package, name, version, len(theirs), median(theirs), _p90(theirs), mine, _p90(ours),
        median(theirs) / max(mine, FLOOR), len(asked) - len(theirs), peer.note,
    )  # fmt: skip


def _p90(errors: Sequence[float]) -> float:
    return sorted(errors)[math.ceil(0.9 * len(errors)) - 1]


def _installed(package: str) -> Path | str:
    """The interpreter of the peer's environment, made on the first call; else why there is none."""
    folder = CACHE / package
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "ready").exists():
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True, timeout=INSTALL_S)
        subprocess.run([str(python), "-m", "pip", "install", "-q", package], check=True, capture_output=True, timeout=INSTALL_S)
    except (subprocess.SubprocessError, OSError) as error:
        return f"not installable here ({type(error).__name__})"
    (folder / "ready").touch()
    return python


def _said(python: Path, probe: str, runs: Sequence[dict[str, Any]]) -> dict[str, int] | str:
    text = "\n".join(map(json.dumps, runs))
    try:
        done = subprocess.run(
            [str(python), str(HERE / "peers" / probe)], input=text, capture_output=True, text=True, timeout=ASK_S, check=True
        )
    except subprocess.SubprocessError as error:
        told = (getattr(error, "stderr", "") or type(error).__name__).strip().splitlines()
        return f"its interface has changed ({told[-1][:120]})"
    answers = map(json.loads, done.stdout.splitlines())
    return {answer["id"]: answer["bytes"] for answer in answers if "bytes" in answer}


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False).stdout.strip()
