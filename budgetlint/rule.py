"""The door for rule authors, the built-in rules' too: `Rule`, what a rule is given, what a finding is made of, and the toolbox.

Everything a rule needs is imported from here. `budgetlint.rules_api.rule` and `.context` say what a rule is and is given;
`budgetlint.rules_api.toolbox` answers what most rules ask. A name of the toolbox or of the catalog is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.documents import Document, Entry, Loader, Mapping, Node, Scalar, Sequence, Style, plain, walk
from budgetlint.memory.estimate import Estimate, Range, Verdict
from budgetlint.memory.term import Bucket, Term
from budgetlint.rules_api.location import Elsewhere
from budgetlint.rules_api.rule import (
    SCOPES,
    BudgetContext,
    Confidence,
    DocumentContext,
    Edit,
    Finding,
    Fix,
    Related,
    Rule,
    RunContext,
    Safety,
    Severity,
    never,
)
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings

if TYPE_CHECKING:
    from budgetlint.base.units import gib
    from budgetlint.catalog.architecture import Architecture
    from budgetlint.catalog.device import Device
    from budgetlint.catalog.devices import all_devices
    from budgetlint.catalog.models import find_model
    from budgetlint.catalog.optimizer import Optimizer
    from budgetlint.catalog.optimizers import find_optimizer
    from budgetlint.readers.base import names
    from budgetlint.readers.hf.own_script import is_own_script
    from budgetlint.rules_api.toolbox.device import (
        bytes_at_peak,
        capability_of,
        card_words,
        decides,
        device_line,
        device_of,
        device_words,
        effect_words,
        figures,
        is_over,
        matters,
    )
    from budgetlint.rules_api.toolbox.documents import (
        HUGGING_FACE,
        PYTHON,
        SCRIPTS,
        TRAINER_RUNS,
        TRAINERS,
        TRAINERS_AND_AXOLOTL,
        TRAINING_ARGUMENTS,
        TRL_ARGUMENTS,
        TRL_FORMATS,
        argument_entries,
        arguments_home,
        loads_with,
        may_hide_arguments,
        written_in,
    )
    from budgetlint.rules_api.toolbox.runs import full_tuning, keys_under, optimizer_of, trainer_of, unsharded, written_by
    from budgetlint.rules_api.toolbox.values import (
        as_written,
        first_located,
        is_off,
        is_on,
        last_key,
        mentions,
        number_of,
        number_text,
        stated,
    )
    from budgetlint.settings.program import FollowedProgram, IdleObject, OriginStep, ProgramDoubt, ProgramRefusal, UnreadKey

__all__ = [
    "HUGGING_FACE",
    "PYTHON",
    "SCOPES",
    "SCRIPTS",
    "TRAINERS",
    "TRAINERS_AND_AXOLOTL",
    "TRAINER_RUNS",
    "TRAINING_ARGUMENTS",
    "TRL_ARGUMENTS",
    "TRL_FORMATS",
    "Architecture",
    "Bucket",
    "BudgetContext",
    "Confidence",
    "Device",
    "Document",
    "DocumentContext",
    "Edit",
    "Elsewhere",
    "Entry",
    "Estimate",
    "Finding",
    "Fix",
    "FollowedProgram",
    "IdleObject",
    "Loader",
    "Location",
    "Mapping",
    "Node",
    "Optimizer",
    "Origin",
    "OriginKind",
    "OriginStep",
    "ProgramDoubt",
    "ProgramRefusal",
    "Range",
    "Reading",
    "Related",
    "Role",
    "Rule",
    "RunContext",
    "Safety",
    "Scalar",
    "Sequence",
    "Setting",
    "Settings",
    "Severity",
    "SourceFile",
    "Span",
    "Style",
    "Term",
    "UnreadKey",
    "Verdict",
    "all_devices",
    "argument_entries",
    "arguments_home",
    "as_written",
    "bytes_at_peak",
    "capability_of",
    "card_words",
    "decides",
    "device_line",
    "device_of",
    "device_words",
    "effect_words",
    "figures",
    "find_model",
    "find_optimizer",
    "first_located",
    "full_tuning",
    "gib",
    "is_off",
    "is_on",
    "is_over",
    "is_own_script",
    "keys_under",
    "last_key",
    "loads_with",
    "matters",
    "may_hide_arguments",
    "mentions",
    "names",
    "never",
    "number_of",
    "number_text",
    "optimizer_of",
    "plain",
    "stated",
    "trainer_of",
    "unsharded",
    "walk",
    "written_by",
    "written_in",
]

_ON_FIRST_USE = {
    "budgetlint.base.units": "gib",
    "budgetlint.catalog.architecture": "Architecture",
    "budgetlint.catalog.device": "Device",
    "budgetlint.catalog.devices": "all_devices",
    "budgetlint.catalog.models": "find_model",
    "budgetlint.catalog.optimizer": "Optimizer",
    "budgetlint.catalog.optimizers": "find_optimizer",
    "budgetlint.readers.base": "names",
    "budgetlint.readers.hf.own_script": "is_own_script",
    "budgetlint.rules_api.toolbox.device": (
        "bytes_at_peak capability_of card_words decides device_line device_of device_words effect_words figures is_over matters"
    ),
    "budgetlint.rules_api.toolbox.documents": (
        "HUGGING_FACE PYTHON SCRIPTS TRAINER_RUNS TRAINERS TRAINERS_AND_AXOLOTL TRAINING_ARGUMENTS TRL_ARGUMENTS TRL_FORMATS "
        "argument_entries arguments_home loads_with may_hide_arguments written_in"
    ),
    "budgetlint.rules_api.toolbox.runs": "full_tuning keys_under optimizer_of trainer_of unsharded written_by",
    "budgetlint.rules_api.toolbox.values": "as_written first_located is_off is_on last_key mentions number_of number_text stated",
    "budgetlint.settings.program": "IdleObject OriginStep FollowedProgram ProgramDoubt ProgramRefusal UnreadKey",
}
_HOMES = {name: module for module, told in _ON_FIRST_USE.items() for name in told.split()}

if not TYPE_CHECKING:  # a type checker reads the imports above: of this it would conclude that any name is there

    def __getattr__(name: str) -> Any:
        """A name of `_ON_FIRST_USE` (PEP 562). What no rule asks for stays on the disk."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES})
