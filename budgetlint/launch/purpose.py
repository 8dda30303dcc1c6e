"""What a launched program does that trains nothing: it evaluates, prepares data, merges, exports, serves. And what trains without torch."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from budgetlint.documents import Scalar
from budgetlint.frameworks.manifest import CONVERTS, EVALUATES, PREPARES, SERVES, Idle
from budgetlint.launch.launch import Launch
from budgetlint.launch.readings import format_of
from budgetlint.readers.base import names
from budgetlint.readers.known_programs import known_idle, known_program

Text = Callable[[str], str | None]
"""The text of a program of the project, by its name in a command; None where it is not here."""

IDLES = "is told not to train"

_OF_NO_READER = (
    Idle(r"lm_eval(\.\w+)*", EVALUATES, "lm-evaluation-harness 0.4 __main__.py"),
    Idle(r"lighteval(\.\w+)*", EVALUATES, "lighteval 0.11 __main__.py"),
    Idle(r".*\.evaluate", EVALUATES, "by its name"),
    Idle(r"optimum\.exporters\..*", CONVERTS, "optimum 1.27 exporters/onnx/__main__.py"),
    Idle(r"vllm(\.\w+)*", SERVES, "vLLM 0.11 entrypoints/"),
    Idle(r"sglang(\.\w+)*", SERVES, "SGLang 0.5 launch_server.py"),
)
"""Modules of packages that no reader is for; those of frameworks stand in their manifests."""

_WORDS = {
    **dict.fromkeys(names("eval evaluate evaluation evaluator"), EVALUATES),
    **dict.fromkeys(names("preprocess preprocessing tokenize tokenization prepare"), PREPARES),
    **dict.fromkeys(names("merge merger export exporter quantize"), CONVERTS),
    **dict.fromkeys(
        names("infer inference predict prediction generate generation serve server deploy transcription labelling labeling"), SERVES
    ),
}
"""Words in the name of a program of somebody's own."""
_OF_TRAINING = names("""train training trainer pretrain pretraining finetune finetuning tune tuning sft dpo grpo ppo orpo kto rl rlhf
    distill distillation fit""")
_FLAGS_OF_TRAINING = names("""do_train per_device_train_batch_size per_gpu_train_batch_size learning_rate num_train_epochs max_steps
    gradient_accumulation_steps""")
_STEPS = (".backward(", "rainer.train(", ".fit(", "value_and_grad(", "jax.grad(", "apply_gradients(", "optimizer.step(")
"""Calls without which a program trains nothing by itself."""
_JAX = re.compile(r"^\s*(?:import|from)\s+(?:flax|optax)\b", re.MULTILINE)
_OFF = frozenset(("false", "0", "no"))


def purpose(launch: Launch, text: Text) -> str:
    """What the program does instead of training; empty where it trains, or where that is not known."""
    name = launch.program.program
    rows = (*known_idle(name), *(one for one in _OF_NO_READER if re.fullmatch(one.pattern, name)))
    row = next((one for one in rows if _is_so(launch, one)), None)
    if row is not None or _converts(name):
        return row.does if row is not None else CONVERTS
    return IDLES if _told_not_to(launch) else _by_words(launch, text)


def _is_so(launch: Launch, row: Idle) -> bool:
    """Do the flags say what the row asks for?"""
    sure = all(_is_true(launch, flag) for flag in row.when)
    return sure and all(launch.program.entry(flag) is None or _is_true(launch, flag) for flag in row.but)


def _is_true(launch: Launch, flag: str) -> bool:
    entry = launch.program.entry(flag)
    return entry is not None and isinstance(entry.value, Scalar) and entry.value.text.lower() == "true"


def _words_of(program: str) -> list[str]:
    return [word for word in re.split(r"[^a-z]+", posixpath.basename(program).removesuffix(".py").lower()) if word]


def _converts(program: str) -> bool:
    """``litgpt.scripts.convert_hf_checkpoint``, ``checkpoint_convert.py``: of packages too, but not what trains by its name."""
    words = _words_of(program)
    return any(word in ("convert", "converter", "conversion") for word in words) and not _OF_TRAINING & set(words)


def _told_not_to(launch: Launch) -> bool:
    """``--do_train false``, or none at all for transformers' own examples, which train under ``if training_args.do_train`` (4.57
    ``examples/pytorch/*/run_*.py``; the default is false). TRL's programs train whatever it says."""
    switch = launch.program.entry("do_train")
    if switch is None:
        row = known_program(launch.program.program)
        only = any(launch.program.entry(flag) is not None for flag in ("do_eval", "do_predict"))
        return only and row is not None and row.format == "hf_training_arguments" and not launch.configs
    is_off = isinstance(switch.value, Scalar) and switch.value.text.lower() in _OFF
    return is_off and format_of(launch) in ("hf_training_arguments", "llamafactory")


def _by_words(launch: Launch, text: Text) -> str:
    """By the name of a script of somebody's own, unless its flags or its code are of a training."""
    program = launch.program.program
    if not program.endswith(".py") or known_program(program) is not None:
        return ""
    words = _words_of(program)
    told = next((_WORDS[word] for word in words if word in _WORDS), "")
    if not told or _OF_TRAINING & set(words) or any(launch.program.entry(flag) is not None for flag in _FLAGS_OF_TRAINING):
        return ""
    source = text(program)
    return told if source is None or not any(step in source for step in _STEPS) else ""


def runs_on_jax(launch: Launch, text: Text) -> bool:
    """Does the program compute with JAX: its code imports flax or optax, or it is one of transformers' ``run_*_flax.py``?"""
    program = launch.program.program
    if not program.endswith(".py"):
        return False
    source = text(program)
    if source is not None:
        return _JAX.search(source) is not None
    return program.endswith("_flax.py")
