"""Objects that a walked function makes: sections of a config, members of enumerations, dataclasses that check what they are given."""

from __future__ import annotations

import ast

from .code import Class
from .core import Core, is_enumeration
from .formulas import constant, is_opaque, literal, opaque
from .state import State, Thing, Value


class Making(Core):
    """What a constructor refuses."""

    def make(self, section: Thing, state: State) -> Value:
        """The object of a section: those of the sections in it are made first, and each class checks what it is given."""
        for name, one in self.sections.items():
            if one.classes and (name + ".").startswith(section.prefix):
                method = next(((each, each.methods["__post_init__"]) for each in one.classes if "__post_init__" in each.methods), None)
                if method is not None:
                    self.run(method[0].module, method[1], {method[1].args.args[0].arg: one}, state, method[0].name)
        return section

    def modelled(self, section: Thing, state: State) -> Thing:
        """``Model(**block)``: what its validators check of it, those of the blocks in it first."""
        made = Thing(section.prefix, section.classes)
        for name, one in self.sections.items():
            if one.classes and (name + ".").startswith(section.prefix):
                self.validated(self, Thing(one.prefix, one.classes), state)
        return made

    def constructed(self, found: Class, arguments: list[Value], node: ast.Call, state: State) -> None:
        """``Plugin(backend=backend)`` of a dataclass: what its ``__post_init__`` checks of what it is given. The object is not followed."""
        lineage = self.release.lineage(found)
        method = next(((each, each.methods["__post_init__"]) for each in lineage if "__post_init__" in each.methods), None)
        is_data = any(ast.unparse(one).rpartition(".")[2].startswith("dataclass") for one in found.node.decorator_list)
        if method is None or not is_data or any(one.arg is None for one in node.keywords):
            return
        fields = [one for each in reversed(lineage) for one in each.node.body if isinstance(one, ast.AnnAssign)]
        named = {ast.unparse(one.target): one.value for one in fields}
        prefix = f"_made{len(self.stack)}."
        values: dict[str, ast.expr] = {
            name: value if value is not None and literal(value)[0] else opaque() for name, value in named.items()
        }
        given = {one.arg: self.value(one.value, state) for one in node.keywords if one.arg}
        for name, value in {**dict(zip(named, arguments, strict=False)), **given}.items():
            values[name] = value if isinstance(value, ast.expr) else opaque()
        inside = state.copy()
        inside.fields.update({prefix + name: value for name, value in values.items()})
        self.run(method[0].module, method[1], {method[1].args.args[0].arg: Thing(prefix, lineage)}, inside, method[0].name)

    def coerced(self, found: Class, plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        """``IntervalStrategy(self.eval_strategy)``: the value, and a refusal of what the enumeration has not."""
        if not is_enumeration(self.release, found) or len(plain) != 1:
            return opaque()
        members = [plain_value for value in found.members.values() for known, plain_value in [literal(value)] if known]
        if members and (isinstance(plain[0], ast.IfExp) or not is_opaque(plain[0])):
            strange = ast.Compare(plain[0], [ast.NotIn()], [constant(members)])
            self.emit("choice", node, [*state.path, strange], "ValueError")
        return plain[0]
