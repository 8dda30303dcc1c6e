"""``--policy strict``, ``--policy FILE``, or the name of one that an installed package brings (entry points ``budgetlint.policies``)."""

from __future__ import annotations

import argparse
import posixpath
from pathlib import Path

from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, UnreadableFile, read_source
from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.config.config import Config
from budgetlint.config.policy import STRICT, Policy, strict
from budgetlint.isolation.entry_points import POLICIES, entry_points_of


def under(args: argparse.Namespace, config: Config) -> Config:
    """The settings of a repository as far as the policy of the command line lets them count."""
    policy = getattr(args, "policy", None)
    return config if policy is None else under_policy(config, policy)


_AS_A_WHOLE = ("select", "ignore", "per-file-ignores", "exclude", "baseline")
"""The keys of ``[tool.budgetlint]`` that count or do not; of `levels` and `allow` each entry is looked at, by what it does."""


def under_policy(config: Config, policy: Policy) -> Config:
    """The settings of a repository as far as they count. What makes it stricter always does."""
    usual, counted = Config(), policy.settings
    fields = {} if counted is None else {key.replace("-", "_") for key in _AS_A_WHOLE if key not in counted}
    kept = replace(config, **{name: getattr(usual, name) for name in fields}, policy=policy)
    if policy.settings is not None and "fail-on" not in policy.settings:
        kept = replace(kept, fail_on=min(config.fail_on, usual.fail_on))
    if policy.fail_on is not None:
        kept = replace(kept, fail_on=min(kept.fail_on, policy.fail_on))
    return replace(kept, require_verdict=kept.require_verdict or policy.require_verdict)


def open_policy(args: argparse.Namespace, io: Console) -> None:
    """``args.policy`` becomes what it names. With ``--compare-with``, one that lies in the repository is that of the revision."""
    if args.policy is None or isinstance(args.policy, Policy):
        return
    revision = getattr(args, "compare_with", None)
    text = _at_revision(args.policy, revision, io) if revision is not None and args.policy != STRICT else None
    args.policy = policy_of(args.policy, io, text=text)


def _at_revision(name: str, revision: str, io: Console) -> str | None:
    from budgetlint.commands.revision import find_revision, git_of

    git = git_of(io)
    found, place = find_revision(git, revision)
    inside = posixpath.normpath(posixpath.join(place.prefix, name.replace("\\", "/")))
    if inside.startswith(("/", "..")):
        return None
    ran = git.run("cat-file", "blob", f"{found.commit}:{inside}")
    return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else None


def policy_of(name: str, io: Console, *, text: str | None = None) -> Policy:
    """``text`` is read instead of the file: what it was at a revision."""
    from budgetlint.config.policy_schema import BadPolicy, read_policy

    if name == STRICT:
        return strict()
    source = SourceFile(name, text) if text is not None else _source(name, io)
    try:
        return read_policy(source, name)
    except BadPolicy as error:
        raise Misuse(f"--policy {name} {error}") from None


def _source(name: str, io: Console) -> SourceFile:
    path = io.root / name
    if not path.exists():
        found = next((one for one in entry_points_of(POLICIES) if one.name == name), None)
        if found is None:
            known = [STRICT, *(one.name for one in entry_points_of(POLICIES))]
            near = did_you_mean(name, known) or f"; known besides files: {', '.join(known)}"
            raise Misuse(f"--policy {name}: no such file, and no policy of an installed package{near}")
        place = found.checked_place()
        if place is not None:
            raise Misuse(f"--policy {name}: {found.owner} is installed from a folder that is checked ({place}): install a copy of it")
        path = Path(str(found.load()))
    source = read_source(path, name)
    if isinstance(source, UnreadableFile):
        raise Misuse(f"--policy {name} {source.problem}: {source.cure}")
    return source
