"""Who starts what: launchers and wrappers are peeled off a command until the training program is left.

Sources of the option tables: accelerate 1.15 ``commands/launch.py``, torch 2.13 ``distributed/run.py``, deepspeed 0.19
``launcher/runner.py``, composer 0.32 ``cli/launcher.py``, CPython 3.13 ``python --help``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from budgetlint.base.record import replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_words import Word, joined
from budgetlint.files.wanted import SHELL_SUFFIXES
from budgetlint.frameworks import manifests
from budgetlint.frameworks.manifest import Tool
from budgetlint.launch.console import named_in
from budgetlint.launch.launch import Layer, Started
from budgetlint.launch.sbatch import job_script
from budgetlint.launch.wrappers import (
    COUNTED,
    HANDED,
    MODULE_WRAPPERS,
    SHELLS,
    WRAPPERS,
    base,
    is_script_of_somebody,
    starts_files,
    starts_modules,
    variables,
    with_gaps,
)
from budgetlint.readers.base import names

ACCELERATE, TORCHRUN, DEEPSPEED, COMPOSER = "accelerate launch", "torchrun", "deepspeed", "composer"
OUMI = "oumi distributed"
"""oumi 0.7 ``core/cli/distributed_run.py`` fills in the counts of the job around it."""

_BARE = {
    ACCELERATE: names(
        """--cpu --debug --downcast_bf16 --dynamo_use_dynamic --dynamo_use_fullgraph --dynamo_use_regional_compilation
        --enable_cpu_affinity --fp8_use_autocast_during_eval --module --multi_gpu --no_python --no_tpu_cluster --quiet
        --same_network --tpu --tpu_cluster --tpu_use_sudo --use_deepspeed --use_fsdp --use_megatron_lm
        --use_parallelism_config --use_xpu --use_mps_device --use_cpu --ipex --mps -m -q"""
    ),
    TORCHRUN: names(
        """-m --module --no-python --no_python --run-path --run_path --standalone --virtual-local-rank --virtual_local_rank
        --use_env --use-env -h"""
    ),
    DEEPSPEED: names(
        """--bind_cores_to_rank --force_multi --module --no_local_rank --no_python --no_ssh --no_ssh_check --quiet --save_pid
        --elastic_training -q"""
    ),
    COMPOSER: names("""-v --verbose -m --module_mode --module-mode -c --command_mode --command-mode"""),
}
"""Launcher flags that take no value; every other flag takes one."""
_MODULE_FLAGS = frozenset(("-m", "--module", "--module_mode", "--module-mode"))

_MODULES = {
    "torch.distributed.run": TORCHRUN,
    "torch.distributed.launch": TORCHRUN,
    "torch.distributed.torchrun": TORCHRUN,
    "accelerate.commands.launch": ACCELERATE,
    "deepspeed.launcher.runner": DEEPSPEED,
    "deepspeed.launcher.launch": DEEPSPEED,
    "composer.cli.launcher": COMPOSER,
    "determined.launch.deepspeed": DEEPSPEED,
    "determined.launch.torch_distributed": DEEPSPEED,
}
_OTHER_TOOLS = (Tool("alto", ("train",)), Tool("modelopt", ()))
"""Programs that train by a subcommand, and whose files no reader knows."""


@cache
def _tools() -> Mapping[str, Tool]:
    """By each of their names."""
    every = (*(tool for manifest in manifests() for tool in manifest.tools), *_OTHER_TOOLS)
    return {name: tool for tool in every for name in (tool.name, *tool.also)}


@cache
def _module_tools() -> Mapping[str, tuple[str, str]]:
    """Module -> the tool that it is, and its subcommand."""
    return {module: (tool.name, trains) for tool in _tools().values() for module, trains in tool.modules.items()}


@cache
def _script_tools() -> Mapping[str, str]:
    """Scripts of these names in their repositories are the tool itself, with its subcommand."""
    return {script: f"{tool.name} {trains}" for tool in _tools().values() for script, trains in tool.scripts.items()}


_PYTHON = re.compile(r"(?:.*[/}])?(?:python|pypy)[0-9.]*t?(?:\.exe)?|\$\{[A-Z_]*PYTHON[A-Z_]*\}", re.IGNORECASE)
_PYTHON_VALUED = frozenset(("-W", "-X", "--check-hash-based-pycs"))
_SCRIPT = re.compile(r".*\.pyc?$")
_SHELL_SCRIPT = re.compile(r".*\.(?:sh|bash|slurm|sbatch)")
"""It starts what it says itself: programs among its arguments are arguments."""
MAX_LAYERS = 6


def started(words: Sequence[Word], depth: int = 0) -> Started | None:
    """The program that a command starts, or None where it starts no program that could train. ``depth`` counts the programs around it."""
    layers: list[Layer] = []
    held: dict[str, Word] = {}
    rest = tuple(words)
    while rest and depth < MAX_LAYERS and len(layers) < MAX_LAYERS:
        found = _step(rest, depth)
        if found is None:
            return None
        if isinstance(found, Started):
            return replace(found, layers=(*layers, *found.layers), environment={**held, **found.environment})
        layer, inner = found
        held.update(variables(rest[: len(rest) - len(inner)]))
        rest = inner
        if layer is not None:
            layers.append(layer)
    return None


def shell_text(words: Sequence[Word]) -> tuple[tuple[Word, ...], tuple[Layer, ...]]:
    """The words that are shell text themselves (``bash -c TEXT``, ``eval TEXT``), and the layers around; else nothing."""
    for index, word in enumerate(words):
        name = base(word)
        if name == "eval":
            return ((joined(words[index + 1 :]),) if len(words) > index + 1 else ()), ()
        if name in SHELLS and index + 1 < len(words):
            following = words[index + 1 : index + 4]
            at = next((i for i, one in enumerate(following) if re.fullmatch(r"-[a-z]*c", one.text)), None)
            if at is not None:
                return tuple(words[index + 2 + at : index + 3 + at]), outer_layers(words[:index])
            return (), ()
        if index == 0 and name not in WRAPPERS:
            return (), ()
    return (), ()


def script_named(words: Sequence[Word]) -> Word | None:
    """The script that ``bash run.sh``, ``sbatch job.slurm`` or ``source env.sh`` runs."""
    if len(words) > 1 and base(words[0]) == "sbatch":
        return job_script(words)
    if len(words) > 1 and base(words[0]) in (*SHELLS, "source", "."):
        return next((word for word in words[1:] if not word.text.startswith("-")), None)
    return words[0] if words and words[0].text.endswith(SHELL_SUFFIXES) else None


def outer_layers(words: Sequence[Word]) -> tuple[Layer, ...]:
    """``srun`` and the like in front of a shell."""
    if not words or base(words[0]) not in COUNTED:
        return ()
    return (Layer(COUNTED[base(words[0])], tuple(words[1:]), _span(words)),)


def console_started(words: Sequence[Word], scripts: Mapping[str, str]) -> Started | None:
    """The console script of the project that a command starts, bare, behind wrappers, or as a launcher's program."""
    at = named_in(words, scripts, WRAPPERS)
    if at is None:
        return None
    name = base(words[at])
    return Started(name, tuple(words[at + 1 :]), outer_layers(words[:at]), scripts[name])


def _step(words: tuple[Word, ...], depth: int) -> Started | tuple[Layer | None, tuple[Word, ...]] | None:
    """One layer off: the layer (None where it says nothing) and the rest, the program itself, or nothing to start."""
    name = base(words[0])
    if name == "accelerate":
        return _launcher(ACCELERATE, words, 2, depth) if len(words) > 1 and words[1].text == "launch" else None
    if name in (TORCHRUN, DEEPSPEED, COMPOSER, "accelerate-launch"):
        return _launcher(ACCELERATE if name == "accelerate-launch" else name, words, 1, depth)
    if name == "tune":
        return _tune(words, depth)
    if name in _tools():
        return _tool(name, words[1:], depth)
    if _PYTHON.fullmatch(words[0].text):
        return _python(words, depth)
    if _SCRIPT.fullmatch(words[0].text):
        return _program(words, depth)
    if name in WRAPPERS or not (words[0].is_told or _SHELL_SCRIPT.fullmatch(name)):
        return _wrapped(words, depth)
    return _behind_script(words)


def _behind_script(words: tuple[Word, ...]) -> tuple[None, tuple[Word, ...]] | None:
    """``./with_env.sh python train.py``: a script of somebody's own that is given a whole command, and nothing in front of it."""
    at = 1 if base(words[0]) in SHELLS else 0
    given = len(words) > at + 1 and is_script_of_somebody(words[at]) and _starts(words, at + 1)
    return (None, words[at + 1 :]) if given else None


def _wrapped(words: tuple[Word, ...], depth: int) -> tuple[Layer | None, tuple[Word, ...]] | Started | None:
    """Behind a wrapper with its options stands the next launcher; behind an unknown word, possibly a script."""
    files, modules = starts_files(words), starts_modules(words)
    for index, word in enumerate(words[1:], 1):
        if modules and word.text == "-m" and index + 1 < len(words):
            return _module(words[index + 1], words[index + 2 :], depth)
        if _starts(words, index) or (files and word.known and _SCRIPT.fullmatch(word.text)):
            if base(words[0]) in HANDED:
                return None, with_gaps(words, index)
            name = COUNTED.get(base(words[0]))
            layer = Layer(name, words[1:index], _span(words[:index])) if name else None
            return layer, words[index:]
        if not words[0].is_told and _SCRIPT.fullmatch(word.text):
            return Layer("unknown", (), words[0].span), words[index:]
    return None


def _starts(words: tuple[Word, ...], index: int) -> bool:
    name = base(words[index])
    following = words[index + 1].text if index + 1 < len(words) else ""
    if name == "accelerate":
        return following == "launch"
    if name in _tools():
        return following in _tools()[name].trains
    if name == "tune":
        return following == "run"
    behind_launcher = name in (TORCHRUN, COMPOSER) or (name == DEEPSPEED and not words[index].text.startswith("-"))
    return behind_launcher or name in COUNTED or _PYTHON.fullmatch(words[index].text) is not None


def _launcher(name: str, words: tuple[Word, ...], at: int, depth: int) -> tuple[Layer | None, tuple[Word, ...]] | Started | None:
    """The launcher's own flags end where the program starts."""
    begin = at
    module = False
    while at < len(words) and (words[at].text.startswith("-") or _is_gap(name, words, at)):
        module = module or words[at].text in _MODULE_FLAGS
        at = _behind(name, words, at)
    if at >= len(words):
        return None
    layer = Layer(name, words[begin:at], _span(words[:begin]))
    if not module:
        return (layer, words[at:]) if _SCRIPT.fullmatch(words[at].text) else _as_program(layer, words[at:], depth)
    found = _module(words[at], words[at + 1 :], depth)
    return replace(found, layers=(layer, *found.layers)) if isinstance(found, Started) else (layer, found[1]) if found else None


def _behind(name: str, words: tuple[Word, ...], at: int) -> int:
    """Where the next word is, behind a flag with its value or behind an unknown word."""
    flag = words[at].text
    return at + (1 if not flag.startswith("-") or "=" in flag or flag in _BARE[name] else 2)


def _is_gap(name: str, words: tuple[Word, ...], at: int) -> bool:
    """An unknown word in front of a script, or of the launcher's flags before one, is launcher flags nobody can know."""
    if words[at].known or not words[at].text.startswith("$"):
        return False
    if any(_SCRIPT.fullmatch(word.text) or word.text in _MODULE_FLAGS for word in words[at + 1 : at + 3]):
        return True
    at += 1
    while at < len(words) and (words[at].text.startswith("-") or not words[at].known):
        if words[at].text in _MODULE_FLAGS:
            return True
        at = _behind(name, words, at)
    return at < len(words) and _SCRIPT.fullmatch(words[at].text) is not None


def _as_program(layer: Layer, words: tuple[Word, ...], depth: int) -> Started | None:
    """A launcher's program that is no ``.py`` file: a tool, a python behind ``--no_python``, or something unknown."""
    name = base(words[0])
    if name in _tools() or name == "tune" or _PYTHON.fullmatch(words[0].text):
        inner = started(words, depth + 1)
        return replace(inner, layers=(layer, *inner.layers)) if inner else None
    return Started(words[0].text, words[1:], (layer,))


def _python(words: tuple[Word, ...], depth: int) -> tuple[Layer | None, tuple[Word, ...]] | Started | None:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        option = words[at].text
        if option in ("-m", "-c"):
            return _module(words[at + 1], words[at + 2 :], depth) if option == "-m" and at + 1 < len(words) else None
        at += 2 if option in _PYTHON_VALUED else 1
    return _program(words[at:], depth) if at < len(words) else None


def _module(module: Word, rest: tuple[Word, ...], depth: int) -> tuple[Layer | None, tuple[Word, ...]] | Started | None:
    name = module.text
    if name in MODULE_WRAPPERS:
        at = next((index for index, word in enumerate(rest) if word.text == "-m" or _SCRIPT.fullmatch(word.text)), len(rest))
        is_module = at + 1 < len(rest) and rest[at].text == "-m"
        return _module(rest[at + 1], rest[at + 2 :], depth) if is_module else _program(rest[at:], depth) if at < len(rest) else None
    if name in _MODULES:
        return _launcher(_MODULES[name], (module, *rest), 1, depth)
    if name in _module_tools():
        tool, subcommand = _module_tools()[name]
        return Started(f"{tool} {subcommand}", rest) if subcommand else _tool(tool, rest, depth)
    return _inner(Started(name, rest), depth)


def _program(words: tuple[Word, ...], depth: int) -> Started | None:
    path = words[0].text
    tool = next((tool for script, tool in _script_tools().items() if path.endswith(script)), path)
    return _inner(Started(tool, words[1:]), depth)


def _inner(outer: Started, depth: int) -> Started:
    """``python submit.py --image X -- accelerate launch ...``: the command behind the dashes is what trains. It may be a chain
    whose ``&&`` is quoted."""
    at = next((index for index, word in enumerate(outer.arguments) if word.text == "--"), len(outer.arguments))
    for words in _chain(outer.arguments[at + 1 :]):
        inner = started(words, depth + 1)
        if inner is not None:
            return inner
    return outer


def _chain(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    begin = 0
    for index, word in enumerate(words):
        if word.text in ("&&", ";", "||"):
            yield words[begin:index]
            begin = index + 1
    yield words[begin:]


def _tool(name: str, rest: tuple[Word, ...], depth: int) -> Started | None:
    if not rest:
        return None
    if name == "oumi" and rest[0].text == "distributed":
        inner = started(rest[1:], depth + 1)
        return replace(inner, layers=tuple(replace(one, name=OUMI) for one in inner.layers)) if inner else None
    tool = _tools()[name]
    return Started(f"{tool.name} {rest[0].text}", rest[1:]) if rest[0].text in tool.trains else None


def _tune(words: tuple[Word, ...], depth: int) -> Started | None:
    """``tune run [torchrun flags] RECIPE --config NAME key=value`` (torchtune 0.6 ``_cli/run.py``)."""
    if len(words) < 3 or words[1].text != "run":
        return None
    found = _launcher(TORCHRUN, words, 2, depth)
    if not isinstance(found, Started):
        layer, rest = found or (None, ())
        return Started(f"tune run {rest[0].text}", rest[1:], (layer,) if layer and layer.words else ()) if rest else None
    layers = tuple(layer for layer in found.layers if layer.words)
    return Started(f"tune run {found.program}", found.arguments, layers)


def _span(words: Sequence[Word]) -> Span:
    start, end = words[0].span.start, words[-1].span.end
    return Span(start, max(start, end))
