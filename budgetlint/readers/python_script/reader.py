"""Training scripts in Python: ``TrainingArguments(...)`` or a TRL config, the model that is loaded, its adapter.

One run for each file that makes exactly one kind of training arguments. The arguments mean what they mean in a YAML file of the
same family (`budgetlint.readers.hf`); what the text does not tell is unsettled, never a default. Flags of a launch command are
not joined: a script that takes them has no literal in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from budgetlint.base import numerals
from budgetlint.base.expression import expression
from budgetlint.documents import Document, Loader, Mapping, Scalar
from budgetlint.documents.python_marks import FACTS, FOLLOWED, is_open
from budgetlint.readers.base import Reader, Reading, read_keys
from budgetlint.readers.deepspeed.auto import engine_over_trainer
from budgetlint.readers.deepspeed.reader import read_section
from budgetlint.readers.hf.checkpointing import read_checkpointing
from budgetlint.readers.hf.defaults import packed_dtype, plain_defaults, weights_dtype
from budgetlint.readers.hf.fsdp import fsdp_reference, read_fsdp
from budgetlint.readers.hf.kernels import read_kernels
from budgetlint.readers.hf.keys import TRAINING, truthy, unparsed
from budgetlint.readers.hf.length import read_length
from budgetlint.readers.hf.own_script import is_own_script, own_script_defaults, reserved
from budgetlint.readers.hf.precision import read_autocast
from budgetlint.readers.hf.settle import settle, settle_trl
from budgetlint.readers.hf.trained import of_task, read_trained
from budgetlint.readers.hf.trl_defaults import trl_defaults
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.python_script import classes, loop
from budgetlint.readers.python_script.adapter import read_lora
from budgetlint.readers.python_script.around import ready, with_own_modules
from budgetlint.readers.python_script.beside import read_beside
from budgetlint.readers.python_script.metrics import with_metrics
from budgetlint.readers.python_script.model import is_loaded, read_model
from budgetlint.readers.python_script.spans import elsewhere, open_model, spread
from budgetlint.readers.python_script.unsloth import settled, with_models_length
from budgetlint.readers.python_script.unsloth_config import config_defaults, doubted, reentrant, unpacked
from budgetlint.settings.run import Origin, Reference, Role, Setting, Settings, Stack, over

PLAIN, TRL = "python_script", "python_trl_script"
_KEYS = unparsed(TRAINING)
RLOO_TASK = "rloo"
_WRITTEN = 2
_TRAINS = expression(r"^(?:\w+\.|\w+\(.*\)\.)train\(", re.MULTILINE)
"""The body of the file trains: ``trainer.train()``."""
_ASKED = expression(r"parse_args|parse_known_args|\bargv\b|\b(?:fire|click|typer|tyro|hydra|environ|getenv)\b|safe_load|json\.load")
"""What it trains with may come from its command, or from a file."""
"""Literal training arguments that make a file worth a run."""


def score(document: Document, flavour: str) -> float:
    """1 for a script with literal training arguments of the flavour's classes."""
    section = classes.arguments_of(document)
    found = classes.block(document, section)
    if found is None or (section in classes.TRL_ARGUMENTS) is not (flavour == TRL):
        return 0.0
    if document.facts.get(FOLLOWED):
        return 1.0
    literal = [entry for entry in found.entries if not is_open(entry.value) and not numerals.is_digits(entry.key.text)]
    trains = literal and classes.trainer_of(document) and _TRAINS.search(text := document.source.text) and not _ASKED.search(text)
    return 1.0 if len(literal) >= _WRITTEN or trains else 0.0


def read(document: Document, flavour: str) -> Reading:
    section, trainer = classes.arguments_of(document), classes.trainer_of(document)
    look = Lookup(document, Loader.PYTHON, section, flag=truthy)
    top = Lookup(document, Loader.PYTHON, "", look.misreads, truthy)
    written = [*_arguments(look, section), *_model(top, trainer), *ready(top), *_task(top, section, trainer), *elsewhere(look, trainer)]
    settings = _merged(with_metrics(written, top, trainer))
    settings = with_models_length(settings, top, trainer)
    if (packing := unpacked(top, trainer, settings.get("packing"))) is not None:
        settings = settings.having(packing)
    if section in classes.TRL_ARGUMENTS:
        settings = settings.filled(doubted(top, settings))
    if "seq_len" not in settings and section not in classes.TRL_ARGUMENTS and trainer not in classes.TRL_TRAINERS:
        settings = settings.filled(read_beside(top, FACTS))
    settings = engine_over_trainer(Settings(spread(settings.values())), _inline_engine(look))
    if classes.is_partial(classes.block(document, section)):
        settings = reserved(settings)
    return Reading(flavour, Role.TRAINER, document, settings, tuple(_references(look)), tuple(look.misreads))


def _arguments(look: Lookup, section: str) -> list[Setting]:
    settings, misreads = read_keys(look.document, look.loader, _KEYS, look.prefix)
    look.misreads.extend(misreads)
    optim = look.raw("optim")
    return [
        *settings,
        *(read_optimizer(optim, "hf", look.misreads) if optim else ()),
        *read_autocast(look, bf16_by_default=section in classes.TRL_ARGUMENTS),
        *read_length(look),
        *read_checkpointing(look),
        *read_kernels(look),
        *read_fsdp(look),
    ]


def _model(top: Lookup, trainer: str) -> list[Setting]:
    """An adapter of the script is one on a model that the script loads; else the model comes with whatever it has."""
    found = [*with_own_modules(read_model(top, classes.model_of(top.document), trainer), top)]
    cache = top.setting("use_cache", truthy, "model_config.use_cache")
    adapter = read_lora(top, trainer)
    if is_loaded(found):
        return [*found, *adapter, *([cache] if cache else [])]
    return [*open_model(), *(adapter if any(not one.is_default for one in adapter) else ()), *([cache] if cache else [])]


def _task(top: Lookup, section: str, trainer: str) -> list[Setting]:
    """The class tells what is trained. TRL's trainers of old took the length and the packing themselves."""
    where = section if section in classes.TRL_ARGUMENTS else trainer
    task = classes.TRL_ARGUMENTS.get(section) or classes.TRL_TRAINERS.get(trainer)
    raw = top.raw(where) if task else None
    inner = top.under(trainer)
    packing = inner.setting("packing", truthy, "packing") if trainer else None
    look = top.under(section)
    return [
        *(_trained(look, task, raw.origin, where) if raw and task else ()),
        *(read_length(inner) if trainer else ()),
        *([packing] if packing else []),
    ]


def _trained(look: Lookup, task: str, origin: Origin, where: str) -> Iterable[Setting]:
    """The task of the class, and what its own fields say; RLOO's class tells it by its fields, or by its version."""
    if task == RLOO_TASK:
        return read_trained(look, task)
    return [Setting("task", task, origin, where), *of_task(look, task)]


def _merged(settings: list[Setting]) -> Settings:
    """By name; a later one wins, the loser stays in sight."""
    by_name: dict[str, Setting] = {}
    for setting in settings:
        by_name[setting.name] = over(setting, by_name.get(setting.name))
    return Settings(by_name.values())


def _inline_engine(look: Lookup) -> Settings:
    """``deepspeed={...}`` holds the engine's configuration itself."""
    raw = look.raw("deepspeed")
    if raw is None or not isinstance(raw.node, Mapping):
        return Settings()
    settings, misreads = read_section(look.document, look.loader, raw.path)
    look.misreads.extend(misreads)
    return settings


def _references(look: Lookup) -> list[Reference]:
    raw = look.raw("deepspeed")
    named = raw is not None and isinstance(raw.node, Scalar) and not is_open(raw.node)
    engine = [Reference(Role.ENGINE, raw.text, raw.origin)] if raw and named else []
    return [*engine, *fsdp_reference(look)]


def _defaults(settings: Settings, stack: Stack, flavour: str) -> Iterable[Setting]:
    """Those of the family, save that the script itself loads the model: ``from_pretrained`` decides its dtype, no ModelConfig."""
    if is_own_script(settings):
        yield from own_script_defaults(settings)
        return
    model = settings.get("model")
    if model is not None and "Trainer" not in model.origin.key:
        packed = settings.value("quant") in ("int8", "nf4", "fp4")
        yield packed_dtype(stack) if packed else weights_dtype(stack)
    if flavour == TRL:
        yield from config_defaults(settings, stack)
    yield from reentrant(settings)
    yield from trl_defaults(settings, stack) if flavour == TRL else plain_defaults(settings, stack)


def _settle(settings: Settings, stack: Stack, flavour: str) -> Settings:
    return settled(settle_trl(settings, stack) if flavour == TRL else settle(settings, stack), stack)


def _reader(flavour: str, package: str) -> Reader:
    return Reader(
        flavour,
        Role.TRAINER,
        Loader.PYTHON,
        partial(score, flavour=flavour),
        partial(read, flavour=flavour),
        partial(_defaults, flavour=flavour),
        package,
        partial(_settle, flavour=flavour),
    )


_LOOP = Reader(loop.FORMAT, Role.TRAINER, Loader.PYTHON, loop.score, loop.read, loop.defaults, "transformers")

READERS = (_reader(PLAIN, "transformers"), _reader(TRL, "trl"), _LOOP)
