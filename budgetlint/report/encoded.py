"""Text that every consumer can read: no half characters, and JSON that survives any output encoding."""

from __future__ import annotations


def sound(text: str) -> str:
    """The text without lone surrogates, which file names that are no UTF-8 bring in."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if 0xD800 <= ord(character) <= 0xDFFF else character for character in text)
    return text


def ascii_json(value: object, indent: int | None = None) -> str:
    """JSON in ASCII; on one line unless ``indent`` is given, which takes four times as long. `json.dumps` alone would write a lone
    surrogate as an escape that strict parsers refuse."""
    import json  # a check that writes no JSON does without
    import re

    text = sound(json.dumps(value, indent=indent, ensure_ascii=False))
    return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text) + "\n"
