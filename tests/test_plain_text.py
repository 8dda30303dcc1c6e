"""What is printed of a checked file: nothing hidden, nothing that anybody obeys, and all that people write for people."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.base.plain_text import ascii_json, one_line, page, visible

Faults = Callable[..., set[str]]

NASTY = (
    "\n", "\r", "\r\n", "\t", "\x00", "\x07", "\x08", "\x0b", "\x0c", "\x1b[31m", "\x1b]8;;http://e.x\x1b\\", "\x7f", "\x85", "\x9b2J",
    "\xad", "\u034f", "\u061c", "\u200b", "\u200d", "\u200f", "\u2028", "\u2029", "\u202e", "\u2060", "\u2066", "\u3164", "\ufe0f",
    "\ufeff", "\ufff9", "\U000e0001", "\U000e0041", "\U000e0100", "\ud800", "\udcff", "::", "::error::", "##[", "##[error]", "##vso[",
    "#", "[", "vso", "👩", "💻", "❤", "é", "日本", " ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=()), max_size=3), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\r\nthree\rfour", "two\\nlines\\r\\nthree\\rfour"),
        ("a\tb", "a b"),
        ("\x1b[31mred\x07", "�[31mred�"),
        ("é 日本語 ñ €  “q”", "é 日本語 ñ €  “q”"),
        ("soft\xadhyphen\u200bzero\u2028line\ufeff", "soft�hyphen�zero�line�"),
        ("evil\u202etxt.exe", "evil�txt.exe"),
        ("\U000e0041\U000e0020tags", "��tags"),
        ("x\ufe0f\U000e0100", "x��"),
        ("half \udcff", "half �"),
        ("👩‍💻 ❤️ 👨‍👩‍👧 1️⃣ 👁️‍🗨️", "👩💻 ❤ 👨👩👧 1⃣ 👁🗨"),
        ("👩‍‍💻", "👩��💻"),
        ("a##[error]b ##vso[task.x]", "a##\\[error]b ##\\vso[task.x]".replace("\\vso[", "vso\\[")),
        ("::error::", "::error::"),
    ],
)
def test_a_value_is_a_piece_of_one_line(text: str, shown: str) -> None:
    assert one_line(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n b\tc\n", "a\n b\tc\n"),
        ("crlf\r\nalone\r!", "crlf\nalone�!"),
        ("::error::x\n  ::add-mask::y\n\u3000::z\na ::b::\n", "\\::error::x\n  \\::add-mask::y\n\u3000\\::z\na ::b::\n"),
        ("  ::: other.yaml:1:2\n", "  ::: other.yaml:1:2\n"),
        ("12 | ##[group]x", "12 | ##\\[group]x"),
        ("\x1b[31mred\x1b[0m", "�[31mred�[0m"),
    ],
)
def test_a_page_keeps_its_lines(text: str, shown: str) -> None:
    assert page(text) == shown


def test_a_page_in_color_keeps_the_colors_and_links_that_are_ours() -> None:
    ours = "\x1b[1;31merror\x1b[0m \x1b]8;;https://example.org/r\x1b\\rule\x1b]8;;\x1b\\\n"
    assert page(ours, codes=True) == ours
    assert (
        page("\x1b[2J\x1b]0;title\x07\x1b]8;;file:///etc\x1b\\\x1b[31m\u202e", codes=True) == "�[2J�]0;title��]8;;file:///etc�\\\x1b[31m�"
    )


def test_a_page_of_commands_keeps_ours() -> None:
    text = "::error file=a::x\n::notice title=b::y\n::add-mask::error\n ::warning file=a::z\n##[error]\n"
    assert page(text, commands=True) == "::error file=a::x\n::notice title=b::y\n\\::add-mask::error\n \\::warning file=a::z\n##\\[error]\n"


@given(TEXTS)
def test_no_text_gets_through(faults: Faults, text: str) -> None:
    said, printed = one_line(text), page(text)
    assert not faults(f"x{said}", kept="")
    assert not faults(printed, kept="\n\t")
    assert (one_line(said), page(str(printed))) == (said, printed)
    assert visible(text).count("\n") == printed.count("\n") == text.count("\n")


@given(TEXTS)
def test_json_keeps_all_but_halves_of_characters(text: str) -> None:
    made = ascii_json({text: [text]}, indent=2)
    whole = re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert json.loads(made) == {whole: [whole]}
    assert made.isascii()
    assert page(made) == made


def test_every_character_that_unicode_calls_control_format_or_line_end_is_shown(faults: Faults) -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert not faults(one_line(every), kept="")


def test_a_line_is_looked_at_once_however_many_colons_it_has() -> None:
    assert page("a::" * 300_000) == "a::" * 300_000


def test_nothing_that_is_ours_is_changed() -> None:
    """Completions, pages of rules, catalogs, what `init` writes."""
    from budgetlint.catalog.listing import devices, models, optimizers
    from budgetlint.commands.ci_texts import CI, HOOK
    from budgetlint.commands.shells import RENDERERS
    from budgetlint.commands.subcommands import commands_of
    from budgetlint.registry import installed
    from budgetlint.report.manual import render_all
    from budgetlint.report.style import TerminalStyle

    pages = [render(commands_of()) for render in RENDERERS.values()]
    pages += [render_all(installed().all, format) for format in ("text", "markdown", "json")]
    pages += [one.text for one in (devices(), models(), optimizers())]
    assert [page(text) for text in (*pages, CI, HOOK)] == [*pages, CI, HOOK]
    colored = render_all(installed().all, "text", TerminalStyle(color=True))
    assert page(colored, codes=True) == colored
