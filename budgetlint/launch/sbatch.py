"""Which word of an ``sbatch`` command line is the job script. Source: Slurm 24.11 ``sbatch(1)``."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.documents.shell_words import Word

ALONE = frozenset({
    "-H", "--hold", "-h", "--help", "--contiguous", "-s", "--oversubscribe", "-O", "--overcommit", "-k", "--no-kill", "--parsable",
    "-Q", "--quiet", "--reboot", "--requeue", "--no-requeue", "--spread-job", "--test-only", "--usage", "-v", "--verbose", "-V",
    "--version", "-W", "--wait", "--exclusive", "--get-user-env", "--ignore-pbs", "--use-min-nodes", "--nice", "--propagate",
})  # fmt: skip
"""Options that take no value, or only one behind ``=``. Every other takes the next word."""


def job_script(words: Sequence[Word]) -> Word | None:
    """The first word that is neither an option nor the value of one; none where ``--wrap`` stands in for a script."""
    takes_value = False
    for word in words[1:]:
        if word.text.startswith("--wrap"):
            return None
        if takes_value:
            takes_value = False
        elif not word.text.startswith("-"):
            return word
        else:
            takes_value = _takes_next(word.text)
    return None


def _takes_next(option: str) -> bool:
    """``-p gpu``, ``--partition gpu``; not ``-pgpu``, ``--partition=gpu``, ``--hold``, nor the short flags ``-Qv`` written together."""
    if option.startswith("--"):
        return "=" not in option and option not in ALONE
    return len(option) == 2 and option not in ALONE
