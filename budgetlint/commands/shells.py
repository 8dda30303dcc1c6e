"""Completion scripts of bash, zsh and fish: static text, so that completing a word never starts Python."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping

from budgetlint.commands.subcommands import Argument, Subcommand

_BASH = """\
# bash completion for budgetlint: eval "$(budgetlint completion bash)"
_budgetlint() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} cmd= words= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in
            --) return ;;
            -*) ;;
            *) cmd=${{cmd:-${{COMP_WORDS[i]}}}} ;;
        esac
    done
    COMPREPLY=()
    case $cmd:$prev in
{values}
    esac
    if [[ -z $words ]]; then
        case $cmd:$cur in
{flags}
            :*) words={commands} ;;
{positionals}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _budgetlint budgetlint
"""


def bash(commands: tuple[Subcommand, ...]) -> str:
    values = [
        f"{'|'.join(f'{command.name}:{name}' for name in option.names)}) words={shlex.quote(' '.join(option.values))} ;;"
        for command, option in _options(commands)
        if option.takes
    ]
    flags = [f"{command.name}:-*) words={shlex.quote(' '.join(command.flags))} ;;" for command in commands]
    positionals = [f"{command.name}:*) words={shlex.quote(' '.join(command.words))} ;;" for command in commands if command.words]
    names = shlex.quote(" ".join(["--help", "--version", *(command.name for command in commands)]))
    filled = _files_after(values)
    return _BASH.format(values=_lines(filled), flags=_lines(flags), commands=names, positionals=_lines(positionals))


def _files_after(rows: list[str]) -> list[str]:
    """Behind an option that takes a file or any text, readline's own completion of files."""
    return [row.replace("words='' ;;", "return ;;") for row in rows]


def _options(commands: tuple[Subcommand, ...]) -> Iterator[tuple[Subcommand, Argument]]:
    return ((command, option) for command in commands for option in command.options if option.names)


def _lines(rows: list[str]) -> str:
    return "\n".join(f"{' ' * 12}{row}" for row in rows)


def zsh(commands: tuple[Subcommand, ...]) -> str:
    listed = "\n".join(f"        {shlex.quote(f'{command.name}:{command.help}')}" for command in commands)
    cases = "\n".join(f"        {command.name})\n            _arguments {_zsh_specs(command)} ;;" for command in commands)
    return f"""\
#compdef budgetlint
# zsh completion for budgetlint: save as _budgetlint in a folder of $fpath
_budgetlint() {{
    local -a commands
    commands=(
{listed}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{cases}
    esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _budgetlint "$@"
else
    compdef _budgetlint budgetlint
fi
"""


def _zsh_specs(command: Subcommand) -> str:
    return " ".join(shlex.quote(spec) for option in command.options for spec in _zsh_option(option))


def _zsh_option(option: Argument) -> Iterator[str]:
    told = re.sub(r"([\[\]:\\])", r"\\\1", _plain(option))
    words = f"({' '.join(option.values)})" if option.values else "_files"
    value = f":{option.takes}:{words}" if option.takes else ""
    if not option.names:
        yield f"*{value}"
    for name in option.names:
        yield f"*{name}[{told}]{value}"


def fish(commands: tuple[Subcommand, ...]) -> str:
    lines = ["# fish completion for budgetlint: save as ~/.config/fish/completions/budgetlint.fish"]
    for command in commands:
        lines.append(f"complete -c budgetlint -f -n __fish_use_subcommand -a {command.name} -d {shlex.quote(command.help)}")
        lines += [line for option in command.options for line in _fish_option(command, option)]
    return "\n".join(lines) + "\n"


def _fish_option(command: Subcommand, option: Argument) -> Iterator[str]:
    when = f"complete -c budgetlint -n '__fish_seen_subcommand_from {command.name}'"
    values = f" -a {shlex.quote(' '.join(option.values))}" if option.values else ""
    if not option.names:
        yield from [f"{when} -f{values}"] if values else []
        return
    names = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names)
    takes = (" -x" if values else " -r") if option.takes else ""
    yield f"{when}{names}{takes}{values} -d {shlex.quote(_plain(option))}"


def _plain(option: Argument) -> str:
    return " ".join(option.help.replace("%%", "%").split())


RENDERERS: Mapping[str, Callable[[tuple[Subcommand, ...]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
