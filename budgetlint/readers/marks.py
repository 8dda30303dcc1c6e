"""Which readers a document is worth showing to: by keys without which a recogniser always gives 0.

Twenty recognisers cost more than the rest of a small file's way, and their modules more than a small process. So a reader is
imported and asked only where one of the marks of its manifest stands in the document. A mark is no verdict: it may be too wide, and is
never too narrow (`tests/readers/test_marks.py` tries each recogniser's own words). A reader without marks is always asked.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from budgetlint.documents import Document
from budgetlint.frameworks import Manifest, manifests


def candidates(document: Document) -> tuple[Manifest, ...]:
    """Those that may claim the document, in their order. Scripts and most commands are told by more than keys."""
    of_format = _of_format(document.format)
    if document.format == "python":
        return of_format
    marked, shell = _marked(document), document.format == "shell"
    return tuple(
        [manifest for manifest in of_format if manifest.name in marked or not manifest.is_marked or (shell and not manifest.marks_flags)]
    )


def _marked(document: Document) -> set[str]:
    """The readers with a mark in the document."""
    by_key = _by_key()
    # hyphens are underscores to some recognisers, and blanks part words; no mark holds either
    keys = frozenset(" ".join(document.mapping.keys()).replace("-", "_").split()) if document.mapping is not None else frozenset()
    found: set[str] = set()
    for key in keys & by_key.keys():
        found.update(by_key[key])
    for manifest in _with_more():
        if (manifest.text and document.source.mentions(manifest.text)) or (manifest.asked and _is_asked(manifest.asked, document)):
            found.add(manifest.name)
    return found


def _is_asked(function: str, document: Document) -> bool:
    """A recogniser that looks into sections stands in a module of its own, and is asked itself."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(document) is not None


@cache
def _of_format(format: str) -> tuple[Manifest, ...]:
    return tuple(manifest for manifest in manifests() if not manifest.documents or format in manifest.documents)


@cache
def _with_more() -> tuple[Manifest, ...]:
    """Those with marks that are no keys at the top."""
    return tuple(manifest for manifest in manifests() if manifest.text or manifest.asked)


@cache
def _by_key() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for manifest in manifests():
        for key in manifest.top:
            found[key] = (*found.get(key, ()), manifest.name)
    return found
