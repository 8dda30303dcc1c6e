"""Lists by their keys: ``${LIST[1]}``, ``${SIZES[large]}``, ``${!LIST[@]}``. Source: bash 5.2 manual 6.7 (arrays)."""

from __future__ import annotations

from budgetlint.base.numerals import is_digits
from budgetlint.documents.shell_arithmetic import Value, computed
from budgetlint.documents.shell_assign import keyed
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_braces import alternatives
from budgetlint.documents.shell_held import MAX_DEPTH, HeldVariables, Lists, unsplit
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_words import SHIFTED_AWAY, Atom, Literal, RawWord, is_argument, moved_name

ItemsOf = dict[str, tuple[Atom, ...]]


class Items(HeldVariables):
    """Variables whose items have keys."""

    def _value(self, name: str) -> Lists | None:
        if not self._has_keys(name):
            return super()._value(name)
        held = self.items(name)
        return self._sorted(name, held) if held is not None else None

    def _sorted(self, name: str, held: ItemsOf) -> Lists:
        return tuple(held[key] for key in (held if self._is_map(name) else sorted(held, key=int)))

    def _has_keys(self, name: str) -> bool:
        written = self._by_name.get(name, ())[: self._seen(name)]
        return any(one.key is not None or (one.is_list and any(map(keyed, one.words or ()))) for one in written)

    def _is_map(self, name: str) -> bool:
        return any(one.is_map for one in self._by_name.get(name, ()))

    def items(self, name: str) -> ItemsOf | None:
        """The items by key, in the order in which they are set (bash tells those of a map in another); None where they are not known."""
        seen = self._seen(name)
        if not seen:
            return self._outside.items(name) if self._outside is not None and name not in self._given else None
        if len(self._open) >= MAX_DEPTH or (name in self._loops and self._in_loop(name) is not False):
            return None
        self._open.append(name)
        held: ItemsOf | None = {}
        for at, one in enumerate(self._by_name[name][:seen]):
            if self._ordered:
                self._standing.append(self._keys[name][at])
            held = self._with(one, held, is_map=self._is_map(name))
            if self._ordered:
                self._standing.pop()
        self._open.pop()
        return held

    def items_at(self, name: str, until: int | None) -> ItemsOf | None:
        """The same as it is there."""
        before, standing = self._until, self._standing
        self._until, self._standing = until, []
        found = self.items(name)
        self._until, self._standing = before, standing
        return found

    def _with(self, one: Assignment, held: ItemsOf | None, *, is_map: bool) -> ItemsOf | None:
        if one.conditional or one.words is None:
            return None
        starts = one.key is None and not one.appends
        if held is None and not starts:
            return None
        found: ItemsOf = {} if held is None or starts else held
        if one.key is not None:
            key = self.key(one.key, is_map=is_map)
            if key is None or one.appends or not self._work.expands(1, one.at):
                return None
            found[key] = self._text_of(one.words[0])
        elif not one.is_list:
            return None if one.appends else {"0": self._text_of(one.words[0])}
        else:
            return self._listed_items(one, found, is_map=is_map)
        return found

    def _listed_items(self, one: Assignment, found: ItemsOf, *, is_map: bool) -> ItemsOf | None:
        behind = max((int(key) for key in found if is_digits(key)), default=-1) + 1
        for raw in one.words or ():
            parts = keyed(raw)
            if parts is not None:
                key = self.key(parts[0], is_map=is_map)
                if key is None:
                    return None
                found[key] = self._text_of(parts[1])
                behind = int(key) + 1 if is_digits(key) else behind
            elif is_map:
                return None
            else:
                ways = alternatives(raw.parts)
                for atoms in (each for way in ways or () for each in self._fields(way)):
                    found[str(behind)] = atoms
                    behind += 1
                if ways is None:
                    return None
        return found

    def _text_of(self, raw: RawWord) -> tuple[Atom, ...]:
        return tuple(unsplit(self._atoms(raw.parts, splits=False)))

    def key(self, raw: RawWord, *, is_map: bool) -> str | None:
        """The key of an item: a number worked out, of a map a text; None where it is not known."""
        text = self.plain(raw)
        if is_map:
            return text
        written = text if text is not None else "".join(part.text for part in raw.parts if isinstance(part, Literal))
        number = text if text is not None and is_digits(text) else computed(f"$(({written}))", self.text_of_name)
        return number if number is not None and is_digits(number) else None

    def item(self, name: str, subscript: str) -> tuple[Atom, ...] | None:
        """``${NAME[subscript]}``; None where it is not known."""
        raw = Lexer(subscript).word()
        is_map = self._is_map(name) or (name not in self._by_name and self._outside is not None and self._outside.expander._is_map(name))
        key = self.key(raw, is_map=is_map) if raw.span.end == len(subscript) else None
        held = self.items(name) if key is not None else None
        atoms = held.get(key) if held is not None and key is not None else None
        return atoms if atoms is not None and all(atom.known or atom.told for atom in atoms) else None

    def plain(self, raw: RawWord) -> str | None:
        """A word as one text; None where it is not known."""
        atoms = tuple(self._atoms(raw.parts, splits=False))
        return "".join(atom.text for atom in atoms) if all(atom.known or atom.told for atom in atoms) else None

    def text_of_name(self, name: str) -> str | None:
        """The text of a variable, as arithmetic takes it; of an argument `behind` says it."""
        lists = self._value(name) if self._is_there(name) and not is_argument(name) else None
        return "".join(atom.text for atoms in lists for atom in atoms) if lists is not None and len(lists) == 1 else None

    def behind(self, shifts: int) -> Value:
        """The same, of arguments too, behind so many shifts."""

        def number(name: str) -> str | None:
            if not is_argument(name):
                return self.text_of_name(name)
            lists = self._value(moved_name(name, shifts)) if shifts < SHIFTED_AWAY else None
            return "".join(atom.text for atoms in lists for atom in atoms) if lists is not None and len(lists) == 1 else None

        return number
