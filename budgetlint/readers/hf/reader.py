"""Configs of Hugging Face trainers: TrainingArguments scripts, TRL, alignment-handbook and open-r1 recipes, open-instruct.

One family, four readers: the same keys, different defaults. YAML goes through PyYAML (TRL 1.16.0 ``scripts/utils.py``,
transformers 5.24.0 ``hf_argparser.py``), JSON through ``json``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from budgetlint.documents import Document, Loader, Mapping, Scalar
from budgetlint.readers.base import Key, Reader, Reading, loader_of, raw_at, read_keys, to_bool
from budgetlint.readers.deepspeed.auto import engine_over_trainer
from budgetlint.readers.deepspeed.reader import read_section
from budgetlint.readers.hf import keys as hf_keys
from budgetlint.readers.hf import recognise as hf_recognise
from budgetlint.readers.hf.adapters import read_adapter, read_quant
from budgetlint.readers.hf.checkpointing import read_checkpointing
from budgetlint.readers.hf.defaults import plain_defaults
from budgetlint.readers.hf.fsdp import fsdp_reference, read_fsdp
from budgetlint.readers.hf.kernels import read_kernels, read_loss
from budgetlint.readers.hf.length import read_length
from budgetlint.readers.hf.olmo_core import olmo_core_settings
from budgetlint.readers.hf.open_instruct_defaults import open_instruct_defaults
from budgetlint.readers.hf.own_script import is_own_script, own_script_defaults, reserved
from budgetlint.readers.hf.precision import read_autocast
from budgetlint.readers.hf.program_task import told
from budgetlint.readers.hf.settle import settle, settle_trl
from budgetlint.readers.hf.tasks import without_reference
from budgetlint.readers.hf.trained import read_trained
from budgetlint.readers.hf.trl_defaults import trl_defaults
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.settings.run import Reference, Role, Setting, Settings, Stack, over

_UNPARSED = hf_keys.unparsed(hf_keys.TRAINING)
_BY_TRL = (hf_recognise.TRL, hf_recognise.HANDBOOK)


def read(document: Document, flavour: str) -> Reading:
    """What one document of the family says. Unknown keys stay in the document, for the rules."""
    parsed = flavour in _BY_TRL or document.is_command
    home = hf_recognise.find_home(document) or hf_recognise.Home("")
    look = Lookup(document, loader_of(document, Loader.PYYAML), home.section, flag=to_bool if parsed else hf_keys.truthy)
    settings = _merged([*_model(look), *_training(look, parsed), *_switches(look, flavour, home.task), *olmo_core_settings(look)])
    settings = engine_over_trainer(settings, _inline_engine(look))
    settings = settings if home.literal else reserved(settings).filled(told(home.task))
    role = Role.INFERENCE if flavour == "hf_training_arguments" and _only_evaluates(look) else Role.TRAINER
    return Reading(flavour, role, document, settings, tuple(_references(look)), tuple(look.misreads))


def _model(look: Lookup) -> list[Setting]:
    """Model keys stand at the top, or in a ``model`` section beside a nested training section."""
    sections = ["", "model", "model_arguments", "model_args"] if look.prefix else [""]
    if look.prefix:
        sections.append(look.prefix)
    found: list[Setting] = []
    for section in sections:
        settings, misreads = read_keys(look.document, look.loader, _scalars_only(look, section), section)
        found.extend(settings)
        look.misreads.extend(misreads)
    return [*_loaded_with(look), *found]


def _loaded_with(look: Lookup) -> list[Setting]:
    """``model_init_kwargs`` that is no section (a variable, an answer of the shell, JSON in a text: training_args.py
    ``_VALID_DICT_FIELDS``) may hold a dtype, which no default of the loader stands for."""
    raw = look.raw("model_init_kwargs")
    if raw is None or not isinstance(raw.node, Scalar):
        return []
    return [Setting("weights_dtype", None, raw.origin, raw.text, "symbolic")]


def _scalars_only(look: Lookup, section: str) -> tuple[Key, ...]:
    """``model:`` may be a section of its own; then it is no name."""
    raw = raw_at(look.document, look.loader, f"{section}.model" if section else "model")
    return hf_keys.MODEL[1:] if raw is not None and not isinstance(raw.node, Scalar) else hf_keys.MODEL


def _training(look: Lookup, parsed: bool) -> list[Setting]:
    settings, misreads = read_keys(look.document, look.loader, hf_keys.TRAINING if parsed else _UNPARSED, look.prefix)
    look.misreads.extend(misreads)
    optim = look.raw("optim")
    return [*settings, *(read_optimizer(optim, "hf", look.misreads) if optim else ())]


_OF_DATA = ("tokenizer", "dataset", "data")
"""Sections beside a nested training section in which programs of their own keep the length of a row; the last is the strongest."""


def _switches(look: Lookup, flavour: str, task: str) -> list[Setting]:
    """What several keys decide together."""
    parsed = flavour in _BY_TRL
    top = Lookup(look.document, look.loader, "", look.misreads, look.flag)
    model = top.under("model") if look.prefix else top
    return [
        *read_autocast(look, bf16_by_default=parsed),
        *(one for section in _OF_DATA if look.prefix for one in read_length(top.under(section))),
        *read_length(model),
        *(read_length(look) if look.prefix else ()),
        *read_checkpointing(look),
        *read_adapter(top, needs_switch=parsed),
        *(read_adapter(model, needs_switch=parsed) if look.prefix else ()),
        *read_quant(model, "nf4"),
        *(read_quant(top, "nf4") if look.prefix else ()),
        *read_kernels(look),
        *read_loss(look),
        *read_fsdp(look),
        *without_reference(look),
        *(read_trained(look, task) if parsed or task or flavour == hf_recognise.OPEN_INSTRUCT else ()),
    ]


def _merged(settings: list[Setting]) -> Settings:
    """By name; a later one wins, the loser stays in sight."""
    by_name: dict[str, Setting] = {}
    for setting in settings:
        name = setting.name
        by_name[name] = over(setting, by_name[name]) if name in by_name else setting
    return Settings(by_name.values())


def _inline_engine(look: Lookup) -> Settings:
    """``deepspeed:`` may hold the engine's configuration itself."""
    raw = look.raw("deepspeed")
    if raw is None or not isinstance(raw.node, Mapping):
        return Settings()
    settings, misreads = read_section(look.document, look.loader, raw.path)
    look.misreads.extend(misreads)
    return settings


def _only_evaluates(look: Lookup) -> bool:
    """``do_train: false``: transformers' example scripts train under ``if training_args.do_train`` (4.57 ``examples/pytorch/*/run_*.py``);
    TRL's train whatever it says. Left out is not false here: many programs never ask."""
    switch = look.switch("do_train")
    return switch is not None and switch.known and switch.value is False


def _references(look: Lookup) -> list[Reference]:
    raw = look.raw("deepspeed")
    named = raw is not None and isinstance(raw.node, Scalar) and isinstance(raw.value, str) and raw.value
    engine = [Reference(Role.ENGINE, raw.text, raw.origin)] if raw and named else []
    return [*engine, *fsdp_reference(look)]


def _plain_defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    return own_script_defaults(settings) if is_own_script(settings) else plain_defaults(settings, stack)


def _reader(flavour: str, package: str) -> Reader:
    return Reader(
        flavour,
        Role.TRAINER,
        Loader.PYYAML,
        partial(hf_recognise.score, flavour=flavour),
        partial(read, flavour=flavour),
        _DEFAULTS[flavour],
        package,
        settle_trl if flavour in _BY_TRL else settle,
        "0.9" if package == "trl" else "",
    )


_DEFAULTS = {
    hf_recognise.PLAIN: _plain_defaults,
    hf_recognise.TRL: trl_defaults,
    hf_recognise.HANDBOOK: trl_defaults,
    hf_recognise.OPEN_INSTRUCT: open_instruct_defaults,
}

READER = _reader(hf_recognise.PLAIN, "transformers")
READERS = (
    READER,
    _reader(hf_recognise.TRL, "trl"),
    _reader(hf_recognise.HANDBOOK, "trl"),
    _reader(hf_recognise.OPEN_INSTRUCT, "transformers"),
)
