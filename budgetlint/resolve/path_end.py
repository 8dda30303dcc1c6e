"""A model that lies in a folder which nobody knows, under its own name: ``${MODELS}/Qwen2.5-7B``, ``os.path.join(root, "Qwen2.5-7B")``.

As a hub id and a known path it is judged by its last part (`budgetlint.catalog.models`); one that no row names stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.documents.python_marks import OF_WHICH_THE_END
from budgetlint.settings.run import Settings

_NAME = r"([\w.+-]+)"
_OF_WORDS = expression(rf"^(?=.*\$)[^<>|'\"\s`]*/{_NAME}/?$")
_OF_PROGRAM = expression(rf"^<.*{re.escape(OF_WHICH_THE_END)}{_NAME}>$")


def with_path_end(settings: Settings) -> Settings:
    """The settings with the model that the end of such a path names."""
    model = settings.get("model")
    if model is None or model.state != "symbolic" or model.readings:
        return settings
    found = _OF_WORDS.match(model.text) or _OF_PROGRAM.match(model.text)
    if found is None:
        return settings
    from budgetlint.catalog.models import known_model  # most runs name theirs

    if known_model(found[1]) is None:
        return settings
    return settings.having(replace(model, value=found[1], state="known"))


def is_one_model(names: Iterable[str]) -> bool:
    """Do all of them name one model that is known, here or there (``local if os.path.isdir(local) else "Qwen/Qwen2.5-7B"``)?"""
    from budgetlint.catalog.models import known_model

    ends = {name.rstrip("/").rpartition("/")[2] for name in names}
    return len(ends) == 1 and known_model(*ends) is not None
