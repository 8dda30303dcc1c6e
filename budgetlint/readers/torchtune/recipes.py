"""Recipes of a project's own: programs that torchtune's parser hands a config, and that build what this config names.

torchtune 0.6.1 ``config/_parse.py`` ``parse`` wraps the function that is given the config; each recipe builds its components from
``cfg.model``, ``cfg.optimizer`` and so on (``config/_instantiate.py``).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Mapping
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.readers.torchtune.defaults import STOCK

_PARSED, _STEPS = expression(r"^@(?:\w+\.)*config\.parse\b|^@parse\b", re.MULTILINE), ".backward()"
_SEVERAL = expression(r"\b(?:init_process_group|DistributedDataParallel|DDP|FSDP|FullyShardedDataParallel|fully_shard|shard_model)\b *\(")
_ASKED = expression(r"\bcfg(?:\.|\[[\"']|\.get\([\"'])(\w+)")


def own_recipes(document: Document, scripts: Iterable[SourceFile]) -> Iterator[tuple[str, bool]]:
    """The programs that train and ask for every component of the config, each with whether it runs in several processes. A copy of
    torchtune's own (``tune cp``) is none."""
    wanted = _components(document)
    for source in scripts if wanted else ():
        name = posixpath.basename(source.path)
        if not name.endswith(PYTHON_SUFFIX) or name.removesuffix(PYTHON_SUFFIX) in STOCK or _STEPS not in source.text:
            continue
        if _PARSED.search(source.text) is not None and wanted <= {found[1] for found in _ASKED.finditer(source.text)}:
            yield source.path, _SEVERAL.search(source.text) is not None


def _components(document: Document) -> frozenset[str]:
    """The keys at the top that name a class to build."""
    entries = document.mapping.entries if document.mapping is not None else ()
    return frozenset(one.key.text for one in entries if isinstance(one.value, Mapping) and "_component_" in one.value)
