"""Stages of a DVC pipeline: what their ``cmd`` starts, with values of ``params.yaml`` where it has ``${name}``.

Sources: DVC 3 *dvc.yaml Files* (``stages.<name>.cmd`` is a text or a list of them; ``foreach`` with ``do``, and ``matrix``, give ``item``;
what is ``frozen`` is not run) and *Templating* (``${a.b}`` is a value of ``params.yaml``, which lies beside).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import Span
from budgetlint.documents import Document, Mapping, Node, Scalar, Sequence
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.launch.blocks import places, word_of_scalar
from budgetlint.launch.services import Service

VALUES = "params.yaml"
PARAMS = "params of a pipeline"
"""The fact of a pipeline's text that holds the document of its values."""
_ASKED = expression(r"\$\{\s*([A-Za-z_][\w.-]*)\s*\}")
_OF_ROUNDS = ("item", "key")


def stages(document: Document) -> Iterator[Service]:
    node = document.get("stages")
    for entry in node.entries if isinstance(node, Mapping) else ():
        stage = entry.value
        inner = stage.get("do") if isinstance(stage, Mapping) else None
        stage = inner if isinstance(inner, Mapping) else stage
        if isinstance(stage, Mapping) and not _is_frozen(stage):
            yield from (Service(_filled(one, document), (), {}) for one in _commands(stage.get("cmd")))


def _is_frozen(stage: Mapping) -> bool:
    frozen = stage.get("frozen")
    return isinstance(frozen, Scalar) and frozen.text.lower() == "true"


def _commands(node: Node | None) -> Iterator[Scalar]:
    for one in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(one, Scalar) and one.text:
            yield one


def _filled(scalar: Scalar, document: Document) -> Word:
    """The command with the values that are known; each is shown where the command asks for it."""
    word, values = word_of_scalar(scalar, document.source.text), document.source.facts.get(PARAMS)
    found = [(one, _value(values, one[1])) for one in _ASKED.finditer(word.text)] if isinstance(values, Document) else []
    told = [(one, value) for one, value in found if value is not None]
    if not told:
        return word
    where, at, atoms = places(word), 0, list[Atom]()
    for one, value in told:
        atoms.extend(Atom(sign, where[at + index]) for index, sign in enumerate(word.text[at : one.start()]))
        atoms.append(Atom(value, where[one.start()], known=False, told=True))
        at = one.end()
    atoms.extend(Atom(sign, where[at + index]) for index, sign in enumerate(word.text[at:]))
    return Word("".join(atom.text for atom in atoms), Span(word.span.start, word.span.end), False, tuple(atoms))


def _value(values: Document, name: str) -> str | None:
    node = values.get(name) if name.partition(".")[0] not in _OF_ROUNDS else None
    return node.text if isinstance(node, Scalar) and node.text and "\n" not in node.text else None
