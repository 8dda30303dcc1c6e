"""The built-in rules: one module each, listed in `RULES`."""

RULES: tuple[object, ...] = ()
