"""The parsed budget as JSON, for machines: statements with typed values, lines and nested blocks; and back to text.

This module imports pydantic; import it only where JSON is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from budgetlint.base.plain_text import escaped_json
from budgetlint.base.source import SourceFile
from budgetlint.base.units import Amount, parse_amount
from budgetlint.language.format import format_text
from budgetlint.language.slices import COMMAND
from budgetlint.language.tree import Assert, Item, Keys, Let, ListValue, SumTerm, SyntaxTree, Value
from budgetlint.language.values import MAX_DIGITS


def _schema(pattern: str) -> Any:
    """A pattern of the grammar for a JSON Schema. ``\\w`` is another set to Python, to Rust, whose engine pydantic's is, and to
    ECMA-262: here it is the ASCII of it, and everything that is not ASCII."""
    in_class = re.sub(r"\[([^\]]*)\\w([^\]]*)\]", r"(?:[\g<1>0-9A-Za-z_\2]|[^\\x00-\\x7f])", pattern)
    return Field(pattern=f"^{in_class}$")


def _grammar(pattern: str) -> AfterValidator:
    """What the grammar itself takes."""

    def taken(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(f"the grammar has {pattern} here")
        return text

    return AfterValidator(taken)


_AMOUNT, _WORD = r"[0-9][0-9_]*(\.[0-9]+)?[A-Za-z][\w]*", r"[\w.~*/][\w./+:@~*?-]*"
_REFERENCE, _KEY = r"\$[A-Za-z_][\w-]*", r"[A-Za-z_][\w.-]*"
AmountText = Annotated[str, _schema(_AMOUNT), _grammar(_AMOUNT)]
WordText = Annotated[str, _schema(_WORD), _grammar(_WORD)]
ReferenceText = Annotated[str, _schema(_REFERENCE), _grammar(_REFERENCE)]
CommandText = Annotated[str, Field(min_length=1), _grammar(COMMAND)]
KeyText = Annotated[str, _schema(_KEY), _grammar(_KEY)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AmountValue(_Model):
    """``32GiB``: exact bytes, null where the unit is none of the language's."""

    type: Literal["amount"] = "amount"
    text: AmountText
    bytes: int | None = Field(default=None, ge=0)


class PercentValue(_Model):
    """``8%`` as parts per million."""

    type: Literal["percent"] = "percent"
    text: str = Field(pattern=r"^[0-9][0-9_]*(\.[0-9]+)?%$")
    ppm: int = Field(ge=0)


class NumberValue(_Model):
    type: Literal["number"] = "number"
    text: str = Field(pattern=r"^-?[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?$")
    value: int | float | None = None


class DateValue(_Model):
    type: Literal["date"] = "date"
    text: str = Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")


class StringValue(_Model):
    """A text in quotes: ``text`` as written, quotes included, ``value`` what it means."""

    type: Literal["string"] = "string"
    text: str = Field(pattern=r"""^("(\\["\\]|[^"\\\r\n])*"|'[^'\r\n]*')$""")
    value: str


class WordValue(_Model):
    type: Literal["word"] = "word"
    text: WordText


class ReferenceValue(_Model):
    type: Literal["reference"] = "reference"
    text: ReferenceText


class CommandValue(_Model):
    """The command of `launch`, as it is written."""

    type: Literal["command"] = "command"
    text: CommandText


class ListOfValues(_Model):
    type: Literal["list"] = "list"
    items: list[AnyValue]


AnyValue = Annotated[
    AmountValue | PercentValue | NumberValue | DateValue | StringValue | WordValue | ReferenceValue | CommandValue | ListOfValues,
    Field(discriminator="type"),
]


class OptionModel(_Model):
    key: KeyText
    value: AnyValue


class StatementModel(_Model):
    """``keyword values key=value { block }``. ``line`` counts from 1."""

    type: Literal["statement"] = "statement"
    keyword: WordText
    values: list[AnyValue] = []
    options: list[OptionModel] = []
    block: list[AnyItem] | None = None
    line: int = Field(default=1, ge=1)


class LetModel(_Model):
    type: Literal["let"] = "let"
    name: WordText
    value: AnyValue
    line: int = Field(default=1, ge=1)


class TermModel(_Model):
    """One term of a sum; ``share`` is the percentage in front of ``of``."""

    sign: Literal[1, -1] = 1
    share: PercentValue | None = None
    value: AnyValue


class AssertModel(_Model):
    type: Literal["assert"] = "assert"
    left: list[TermModel] = Field(min_length=1)
    comparison: Literal["<", "<=", ">", ">=", "==", "!="]
    right: list[TermModel] = Field(min_length=1)
    message: StringValue | None = None
    line: int = Field(default=1, ge=1)


class KeysModel(_Model):
    """``setting=key``: a line in the block of a ``reads``."""

    type: Literal["keys"] = "keys"
    options: list[OptionModel] = Field(min_length=1)
    line: int = Field(default=1, ge=1)


AnyItem = Annotated[StatementModel | LetModel | AssertModel | KeysModel, Field(discriminator="type")]
AnyModel = StatementModel | LetModel | AssertModel | KeysModel


class BudgetDocument(_Model):
    """A parsed budget, version 1 of the export. Fields may be added, never renamed."""

    version: Literal[1] = 1
    statements: list[AnyItem]


for _model in (ListOfValues, OptionModel, StatementModel, LetModel, TermModel, AssertModel, KeysModel, BudgetDocument):
    _model.model_rebuild()


# -- tree to models ------------------------------------------------------------------------------------------------------


def export(tree: SyntaxTree) -> BudgetDocument:
    """The statements of a tree, in order; comments and grouping on lines are not part of it."""
    return BudgetDocument(statements=[_item(item, tree.source) for item in tree.items])


def export_text(tree: SyntaxTree) -> str:
    return escaped_json(export(tree).model_dump_json(indent=2)) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the export."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **BudgetDocument.model_json_schema()}


def _item(item: Item, source: SourceFile) -> AnyModel:
    line, _ = source.position(item.span.start)
    if isinstance(item, Let):
        return LetModel(name=item.name, value=_value(item.value), line=line)
    if isinstance(item, Assert):
        message = _value(item.message) if item.message else None
        assert message is None or isinstance(message, StringValue)
        return AssertModel(left=_terms(item.left), comparison=item.comparison, right=_terms(item.right), message=message, line=line)  # type: ignore[arg-type]
    options = [OptionModel(key=option.key, value=_value(option.value)) for option in item.options]
    if isinstance(item, Keys):
        return KeysModel(options=options, line=line)
    return StatementModel(
        keyword=item.keyword,
        values=[_value(value) for value in item.values],
        options=options,
        block=None if item.block is None else [_item(inner, source) for inner in item.block],
        line=line,
    )


def _terms(terms: tuple[SumTerm, ...]) -> list[TermModel]:
    return [
        TermModel(sign=1 if term.sign > 0 else -1, share=_percent(term.share.text) if term.share else None, value=_value(term.value))
        for term in terms
    ]


def _value(value: Value | ListValue) -> Any:
    if isinstance(value, ListValue):
        return ListOfValues(items=[_value(item) for item in value.items])
    return _MODELS[value.kind](value)


def _amount(value: Value) -> AmountValue:
    amount = parse_amount(value.text) if len(value.text) <= MAX_DIGITS else None
    return AmountValue(text=value.text, bytes=amount.bytes if isinstance(amount, Amount) else None)


def _percent(text: str) -> PercentValue:
    digits = text[:-1].replace("_", "")
    return PercentValue(text=text, ppm=int(Fraction(digits) * 10**4) if len(digits) <= MAX_DIGITS else 0)


def _number(value: Value) -> NumberValue:
    text = value.text.replace("_", "")
    if len(text) > MAX_DIGITS:
        return NumberValue(text=value.text)
    number = int(text) if re.fullmatch(r"-?[0-9]+", text) else float(text)
    return NumberValue(text=value.text, value=number if abs(number) < 1e300 else None)


_MODELS: dict[str, Callable[[Value], Any]] = {
    "quantity": _amount,
    "percent": lambda value: _percent(value.text),
    "number": _number,
    "date": lambda value: DateValue(text=value.text),
    "string": lambda value: StringValue(text=value.text, value=value.content),
    "word": lambda value: WordValue(text=value.text),
    "ref": lambda value: ReferenceValue(text=value.text),
    "command": lambda value: CommandValue(text=value.text),
}


# -- models to text ------------------------------------------------------------------------------------------------------


def from_json(text: str | bytes) -> str:
    """The canonical budget text of an export. Raises pydantic's ``ValidationError`` where the JSON is no export.

    Texts decide; ``bytes``, ``ppm`` and ``line`` are read from them again and need not be given right.
    """
    document = BudgetDocument.model_validate(json.loads(text))
    return format_text("\n".join(_text(item) for item in document.statements))


def _text(item: AnyModel) -> str:
    if isinstance(item, LetModel):
        return f"let {item.name} = {_shown(item.value)}"
    if isinstance(item, AssertModel):
        why = f", {item.message.text}" if item.message else ""
        return f"assert {_sum(item.left)} {item.comparison} {_sum(item.right)}{why}"
    options = [f"{option.key}={_shown(option.value)}" for option in item.options]
    if isinstance(item, KeysModel):
        return " ".join(options)
    words = [item.keyword, *(_shown(value) for value in item.values), *options]
    if item.block is not None:
        inner = "".join(f"{_text(inner)}\n" for inner in item.block)
        words.append(f"{{\n{inner}}}" if inner else "{ }")
    return " ".join(words)


def _sum(terms: list[TermModel]) -> str:
    signs = ["", *(" + " if term.sign > 0 else " - " for term in terms[1:])]
    return "".join(f"{sign}{_term(term)}" for sign, term in zip(signs, terms, strict=True))


def _term(term: TermModel) -> str:
    return f"{term.share.text} of {_shown(term.value)}" if term.share else _shown(term.value)


def _shown(value: Any) -> str:
    if isinstance(value, ListOfValues):
        return f"[{', '.join(_shown(item) for item in value.items)}]"
    return str(value.text)
