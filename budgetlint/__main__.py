"""``python -m budgetlint``, and the console script: what Python may import is settled before anything else is imported."""

import sys

from budgetlint.isolation import search_path


def run() -> None:
    """Run the command line, and end the process with its exit code."""
    search_path.leave(sys.argv[1:])
    from budgetlint.cli import run as run_command

    run_command()


if __name__ == "__main__":
    run()
