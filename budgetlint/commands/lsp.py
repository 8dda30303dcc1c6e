"""``budgetlint lsp``: the language server on standard input and output."""

from __future__ import annotations

import argparse
import sys
from io import BytesIO

from budgetlint.commands.console import Console

HELP = """\
The language server, on standard input and output.

Started by an editor, not by hand: diagnostics as you type, for every file of the run; hover, fixes and completion. Set-up notes
for VS Code, Neovim, Helix, Zed and Emacs are in docs/editor.md.
"""

EPILOG = """\
examples:
  budgetlint lsp                            # the command that an editor's settings name
  budgetlint lsp --stdio                    # the same, for clients that always say so
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="the only way there is; editors like to say it")


def run(_args: argparse.Namespace, io: Console) -> int:
    from budgetlint.lsp.server import Server

    reading, writing = (getattr(stream, "buffer", None) or BytesIO() for stream in (io.stdin, io.out))
    if sys.stdout is io.out:
        sys.stdout = sys.stderr  # a stray print must not come between the messages
    return Server(reading, writing, lambda text: io.complain(*text.split("\n", 1))).run()
