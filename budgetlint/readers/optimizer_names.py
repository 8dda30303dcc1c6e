"""An optimizer's spelling in some ecosystem as settings: its canonical name, and the implementation it fixes."""

from __future__ import annotations

from budgetlint.readers.base import Misread, Raw, Unreadable, is_symbolic, to_text
from budgetlint.settings.run import Setting

_IMPLEMENTATIONS = ("foreach", "fused", "for-loop")


def read_optimizer(raw: Raw, ecosystem: str, misreads: list[Misread], spelling: str = "") -> list[Setting]:
    """``optimizer`` (its text is the spelling as written) and, where the spelling fixes it, ``optimizer_impl``.

    ``spelling`` is looked up in place of the text where other keys decide the class too. A null says nothing.
    """
    if raw.value is None or raw.value == "":
        return []
    if is_symbolic(raw.value) or raw.value == "auto":
        return [Setting("optimizer", None, raw.origin, raw.text, "auto" if raw.value == "auto" else "symbolic")]
    try:
        return _known(raw, spelling or to_text(raw.value), ecosystem)
    except Unreadable as wrong:
        misreads.append(Misread(f"{raw.path}: {wrong}", wrong.cure, raw.origin))
        return []


def decoupled(spelling: str, said: bool) -> str:
    """The spelling of the class that is built: ``Adam(decoupled_weight_decay=True)`` is AdamW (torch 2.13.0 ``optim/adamw.py`` is that
    very call; the argument is there since 2.6)."""
    return "torch.optim.AdamW" if said and spelling.rpartition(".")[2].lower() == "adam" else spelling


def _known(raw: Raw, spelling: str, ecosystem: str) -> list[Setting]:
    from budgetlint.catalog.names import NoMatch
    from budgetlint.catalog.optimizers import find_optimizer  # the catalog is read only where an optimizer is named

    found = find_optimizer(spelling, ecosystem)
    if isinstance(found, NoMatch):
        raise Unreadable(f"'{spelling}' is no optimizer known to {ecosystem}", "see `budgetlint optimizers` for the names")
    settings = [Setting("optimizer", found.name, raw.origin, raw.text)]
    if found.impl in _IMPLEMENTATIONS:
        settings.append(Setting("optimizer_impl", found.impl, raw.origin, raw.text))
    return settings
