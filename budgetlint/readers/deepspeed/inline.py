"""An engine's configuration that stands inside the trainer's own: ``deepspeed: {...}`` of a config, ``deepspeed={...}`` of a call.

transformers 5.24 ``training_args.py`` and axolotl 0.19 ``utils/schemas/config.py`` take a path or the contents; ``deepspeed.initialize``
(0.18 ``__init__.py``) takes either as ``config``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.documents import Document, Loader, Mapping, Node, Sequence
from budgetlint.documents.python_marks import MORE
from budgetlint.readers.deepspeed.reader import read_section
from budgetlint.settings.run import Reading, Role


def engine_at(reading: Reading, root: Mapping, loader: Loader) -> Reading | None:
    """The block as a document of its own; None where more may stand in it than is seen."""
    if any(isinstance(node, Mapping) and MORE in node for node in _nodes(root)):
        return None
    document = reading.document
    part = Document(document.source, document.format, root, below=document.below, program=document.program)
    settings, _ = read_section(part, loader)
    return Reading("deepspeed", Role.ENGINE, part, settings, consumer=reading.consumer, loader=loader)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    inner = [entry.value for entry in node.entries] if isinstance(node, Mapping) else node.items if isinstance(node, Sequence) else ()
    for one in inner:
        yield from _nodes(one)
